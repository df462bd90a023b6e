// A stream as queues use it. Where the device orders its streams, issuing happens inside of `submit`, and a thread that
// has work on another stream may want to mark this one meanwhile: one at a time.
#pragma once
#include "runtime/platform/Platform.h"

namespace kiln {

class LockedStream {
public:
  LockedStream(DeviceObject &device, std::unique_ptr<Stream> stream)
      : device_(device), stream_(std::move(stream)), hasFences_(device.info().hasFences) {}
  static Result<std::unique_ptr<LockedStream>> create(DeviceObject &device, QueueHints hints = {}) {
    return std::make_unique<LockedStream>(device, KILN_TRY(device.device().createStream(hints)));
  }

  DeviceObject &device() const { return device_; }
  /// For everything but submit and mark.
  Stream *operator->() const { return stream_.get(); }

  bool hasFences() const { return hasFences_; } // DeviceInfo::ordersStreams
  void submit(Operation &operation) KILN_EXCLUDES(issuing_) {
    if (!hasFences_)
      return stream_->submit(operation);
    Lock lock(issuing_);
    stream_->submit(operation);
  }
  Result<std::shared_ptr<Fence>> recordFence() KILN_EXCLUDES(issuing_) {
    Lock lock(issuing_);
    return stream_->recordFence();
  }

private:
  DeviceObject &device_;
  const std::unique_ptr<Stream> stream_;
  const bool hasFences_;
  Mutex issuing_;
};

} // namespace kiln
