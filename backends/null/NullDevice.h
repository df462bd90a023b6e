// A device that runs nothing and remembers what it was asked. The runtime's tests use it to say when a command ends
// and how; a new backend starts as a copy of it. As KILN_DEVICES=null it shows what an application costs apart from
// its kernels. A test may make it a device with memory of its own, or one that orders its streams, by changing `info_`.
#pragma once
#include "backends/Device.h"
#include "runtime/support/Mutex.h"
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
  Result<std::unique_ptr<Code>> load(const std::string &path, const ProgramInfo &info, std::string &log) override;
  Result<std::unique_ptr<Stream>> createStream(QueueHints hints) override;

  /// Operations stay where they are until `step`; otherwise they end at the next flush.
  void pause(bool paused) { isPaused_.store(paused); }
  bool isPaused() const { return isPaused_.load(); }
  /// Ends the first operation of a stream that has one, with `code`; false when none has. For one thread at a time.
  bool completeOne(cl_int code = CL_SUCCESS);
  std::vector<RecordedCall> recordedCalls() const;
  /// Operations that are somewhere between submit and their end.
  size_t open() const;

  DeviceInfo info_; // tests may change it before the device is used

private:
  friend class NullStream;
  static Result<std::unique_ptr<Memory>> make(size_t bytes, bool shown);
  std::atomic<bool> isPaused_{false};
  mutable Mutex mutex_;
  std::vector<RecordedCall> recordedCalls_ KILN_GUARDED_BY(mutex_);
  std::vector<NullStream *> streams_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln::null
