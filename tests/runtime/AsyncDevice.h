// A device like a GPU behind a driver, without a GPU: memory of its own, fences, and operations that are issued at once
// and done later, on one thread per stream. Kernels are C++ functions with the CPU's ABI.
#pragma once
#include "backends/cpu/driver/Copy.h"
#include "backends/cpu/driver/CpuLaunch.h"
#include "base/support/Mutex.h"
#include "base/support/Trace.h"
#include <atomic>
#include <deque>
#include <functional>
#include <thread>

namespace kiln::test {

class AsyncDevice final : public Device {
public:
  AsyncDevice() {
    info_.type = CL_DEVICE_TYPE_ACCELERATOR;
    info_.name = "async";
    info_.hostQueueProperties = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    info_.globalMemSize = 1ull << 32;
    info_.maxAllocSize = 1ull << 30;
    info_.hasFences = true;
  }
  const DeviceInfo &info() const override { return info_; }
  Result<std::unique_ptr<Memory>> allocate(size_t bytes) override {
    return std::unique_ptr<Memory>(new Storage(bytes, false));
  }
  Result<std::unique_ptr<Memory>> allocateHost(size_t bytes) override {
    return std::unique_ptr<Memory>(new Storage(bytes, true));
  }
  Result<std::unique_ptr<Memory>> import(void *, size_t) override { return std::unique_ptr<Memory>(); }
  Result<std::unique_ptr<Code>> load(const CodePaths &, const ProgramInfo &, std::string &) override {
    return fail(CL_INVALID_OPERATION, "no code here");
  }
  Result<std::unique_ptr<Stream>> createStream(QueueHints) override { return std::unique_ptr<Stream>(new AsyncStream); }

  DeviceInfo info_;

private:
  struct Storage final : Memory {
    Storage(size_t size, bool shown) : Storage(new std::byte[size], size, shown) {}
    Storage(std::byte *data, size_t size, bool shown)
        : Memory(uint64_t(data), shown ? data : nullptr, size), data(data) {}
    const std::unique_ptr<std::byte[]> data;
  };
  struct Reached final : Fence {
    struct State {
      Mutex mutex;
      ConditionVariable condition;
      bool reached KILN_GUARDED_BY(mutex) = false;
    };
    std::shared_ptr<State> state = std::make_shared<State>();
  };

  /// The issued work and the thread that does it. Outlives the stream.
  struct Work {
    Mutex mutex;
    ConditionVariable condition;
    std::deque<std::function<void()>> items KILN_GUARDED_BY(mutex);
    bool closed KILN_GUARDED_BY(mutex) = false;

    void push(std::function<void()> item) {
      Lock lock(mutex);
      items.push_back(std::move(item));
      condition.notifyOne();
    }
    void run() {
      for (;;) {
        std::function<void()> item;
        {
          Lock lock(mutex);
          condition.wait(lock, [&]() KILN_REQUIRES(mutex) { return closed || !items.empty(); });
          if (items.empty())
            return;
          item = std::move(items.front());
          items.pop_front();
        }
        item();
      }
    }
  };

  class AsyncStream final : public Stream, private Issuer {
  public:
    AsyncStream() {
      std::thread([work = work_] { work->run(); }).detach();
    }
    ~AsyncStream() override { // possibly on its own thread
      Lock lock(work_->mutex);
      work_->closed = true;
      work_->condition.notifyOne();
    }
    void submit(Operation &operation) override {
      auto start = std::make_shared<uint64_t>(0);
      if (operation.needsTimes)
        work_->push([start] { *start = nowNanoseconds(); });
      cl_int code = operation.issue(*this).code();
      work_->push([&operation, code, start, timed = operation.needsTimes] {
        operation.onEnded(code, *start, timed ? nowNanoseconds() : 0);
      });
    }
    void flush() override {}
    Status copy(const Region &to, const Region &from) override {
      work_->push([=, division = division_] { (void)cpu::copyRegion(allotment(*division), to, from).ok(); });
      return {};
    }
    Status fill(const Region &to, std::span<const std::byte> pattern) override {
      work_->push([=, division = division_] { (void)cpu::fillRegion(allotment(*division), to, pattern).ok(); });
      return {};
    }
    Status launch(const Launch &launch) override {
      work_->push([=, division = division_] { (void)cpu::runLaunch(allotment(*division), launch).ok(); });
      return {};
    }
    Result<std::shared_ptr<Fence>> recordFence() override {
      auto fence = std::make_shared<Reached>();
      work_->push([state = fence->state] {
        Lock lock(state->mutex);
        state->reached = true;
        state->condition.notifyAll();
      });
      return std::shared_ptr<Fence>(fence);
    }
    Status waitFence(const Fence &fence) override {
      work_->push([state = static_cast<const Reached &>(fence).state] {
        Lock lock(state->mutex);
        state->condition.wait(lock, [&]() KILN_REQUIRES(state->mutex) { return state->reached; });
      });
      return {};
    }

  private:
    static cpu::ThreadAllotment allotment(cpu::StreamDivision &division) {
      return {cpu::DeviceThreads::shared()->pool(), division};
    }
    const std::shared_ptr<cpu::StreamDivision> division_ =
        std::make_shared<cpu::StreamDivision>(cpu::DeviceThreads::shared()->pool());
    const std::shared_ptr<Work> work_ = std::make_shared<Work>();
  };
};

} // namespace kiln::test
