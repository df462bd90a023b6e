// A stream as queues use it. Where the device orders its streams, issuing happens inside of `submit`, and a thread that
// has work on another stream may want to mark this one meanwhile: one at a time.
#pragma once
#include "runtime/platform/Platform.h"

namespace kiln {

class DeviceStream {
public:
  DeviceStream(DeviceObject &device, std::unique_ptr<Stream> stream)
      : device_(device), stream_(std::move(stream)), orders_(device.info().ordersStreams) {}
  static Result<std::unique_ptr<DeviceStream>> create(DeviceObject &device, StreamHints hints = {}) {
    return std::make_unique<DeviceStream>(device, KILN_TRY(device.device().createStream(hints)));
  }

  DeviceObject &device() const { return device_; }
  /// For everything but submit and mark.
  Stream *operator->() const { return stream_.get(); }

  bool orders() const { return orders_; } // DeviceInfo::ordersStreams
  void submit(Operation &operation) KILN_EXCLUDES(issuing_) {
    if (!orders_)
      return stream_->submit(operation);
    Lock lock(issuing_);
    stream_->submit(operation);
  }
  Result<std::shared_ptr<Fence>> mark() KILN_EXCLUDES(issuing_) {
    Lock lock(issuing_);
    return stream_->mark();
  }

private:
  DeviceObject &device_;
  const std::unique_ptr<Stream> stream_;
  const bool orders_;
  Mutex issuing_;
};

} // namespace kiln
