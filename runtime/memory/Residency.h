// Where a buffer's bytes are. Today every device computes in host memory (DeviceInfo::sharesHostMemory), so one host
// allocation is the storage of all and its bytes are valid everywhere; a device with memory of its own adds copies and
// a map from byte ranges to the devices that hold them current, behind the same three questions.
#pragma once
#include "runtime/platform/Context.h"

namespace kiln {

class Residency {
public:
  /// Storage in the host's memory: the caller's at `host`, or, when that is null, new and owned.
  static Result<std::unique_ptr<Residency>> create(const Context &context, size_t size, void *host);

  void *host() const { return memory_->host; }
  Result<Memory *> on(const DeviceObject &device);

private:
  explicit Residency(std::unique_ptr<Memory> memory) : memory_(std::move(memory)) {}
  const std::unique_ptr<Memory> memory_;
};

} // namespace kiln
