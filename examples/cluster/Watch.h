// A thread that looks for a rank that StarPU 1.3 would let wait for ever: StarPU takes the errors of a lost device for
// a lack of memory, and repeats an allocation that fails until it succeeds.
#pragma once
#include <starpu.h>
#include <starpu_opencl.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace cluster {

/// The OpenCL device of one of StarPU's workers.
cl_device_id deviceOf(int worker);
/// Its name, such as: OpenCL device 1 (NVIDIA H100).
std::string deviceName(int worker);
/// The name of a lost device of this rank; empty if there is none.
std::string lostDevice();

class Watch {
public:
  /// After StarPU's start. `fail` is called at most once, on the thread, with the reason why the rank cannot go on.
  /// `taskBytes`: the memory that a task needs on the device.
  Watch(size_t taskBytes, std::function<void(const std::string &)> fail);
  /// Before StarPU's end.
  ~Watch();
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;

  void taskSubmitted() { ++waiting_; }
  void taskStarted() {
    --waiting_;
    ++running_;
    ++changes_;
  }
  void taskEnded() {
    --running_;
    ++changes_;
  }

private:
  void run();
  /// Records what StarPU counts as available. While it repeats a failed allocation, it counts each attempt.
  void sampleMemory();
  /// The name of a device that has no memory for a task, although StarPU had not filled it with data of other tasks,
  /// which it would move out; empty if there is none.
  std::string exhaustedDevice() const;

  const size_t taskBytes_;
  const std::function<void(const std::string &)> fail_;
  std::atomic<long> waiting_ = 0, running_ = 0; // tasks
  std::atomic<uint64_t> changes_ = 0;
  std::map<int, starpu_ssize_t> left_; // by worker; used by the thread only
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

} // namespace cluster
