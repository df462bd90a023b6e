// A device that runs nothing and records the calls to it. The runtime's tests use it to decide when and how a command
// ends; a new backend starts as a copy of it. KILN_DEVICES=null shows the cost of an application without its kernels. A
// test can change `info_` for separate memory or for fences.
#pragma once
#include "backends/Device.h"
#include "base/support/Mutex.h"
#include <atomic>
#include <vector>

namespace kiln::null {

enum class RecordedCall : uint8_t { Copy, Fill, Launch, RecordFence, WaitFence };

class NullStream;

class NullDevice final : public Device {
public:
  NullDevice();

  const DeviceInfo &info() const override { return info_; }
  Result<std::unique_ptr<Memory>> allocate(size_t bytes) override { return make(bytes, info_.sharesHostMemory); }
  Result<std::unique_ptr<Memory>> import(void *host, size_t bytes) override;
  Result<std::unique_ptr<Memory>> allocateHost(size_t bytes) override { return make(bytes, true); }
  size_t imageRowAlignment(uint32_t) const override { return imageRowAlignment_; }
  Result<std::unique_ptr<Code>> load(const CodePaths &paths, const ProgramInfo &info, std::string &log) override;
  Result<std::unique_ptr<Stream>> createStream(QueueHints hints) override;

  /// While paused, operations end in `completeOne` only; otherwise at the next flush.
  void pause(bool paused) { isPaused_.store(paused); }
  bool isPaused() const { return isPaused_.load(); }
  /// Ends the first operation of a stream that has one, with `code`. Returns false if there is none. For one thread at
  /// a time.
  bool completeOne(cl_int code = CL_SUCCESS);
  std::vector<RecordedCall> recordedCalls() const;
  /// Operations that are submitted and have not ended.
  size_t open() const;
  /// Operations that were submitted with `needsTimes`.
  size_t timed() const { return timed_.load(); }

  // Tests may change these before the first use of the device.
  DeviceInfo info_;
  size_t imageRowAlignment_ = 1;

private:
  friend class NullStream;
  static Result<std::unique_ptr<Memory>> make(size_t bytes, bool shown);
  std::atomic<bool> isPaused_{false};
  std::atomic<size_t> timed_{0};
  mutable Mutex mutex_;
  std::vector<RecordedCall> recordedCalls_ KILN_GUARDED_BY(mutex_);
  std::vector<NullStream *> streams_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln::null
