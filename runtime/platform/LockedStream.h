// A stream, its device, and the lock around `submit` and `recordFence`. On a device with fences, `submit` issues the
// operation, while another thread may record a fence on the same stream.
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
  Stream *get() const { return stream_.get(); }
  /// For all functions but submit and recordFence.
  Stream *operator->() const { return stream_.get(); }

  bool hasFences() const { return hasFences_; }
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
