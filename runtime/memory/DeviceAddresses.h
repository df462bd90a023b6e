// Buffers with a fixed address on each device (CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT), found by addresses that the
// application passes as arguments or names in clSetKernelExecInfo. A launch uses these buffers like its other
// arguments.
#pragma once
#include "base/support/Mutex.h"
#include "base/support/Ref.h"
#include <cstddef>
#include <map>

namespace kiln {

class Buffer;

class DeviceAddresses {
public:
  /// `memory` is an index into Context::memoryDevices. A buffer removes itself before its destruction.
  void add(size_t memory, uint64_t address, Buffer &buffer) KILN_EXCLUDES(mutex_);
  void remove(size_t memory, uint64_t address, const Buffer &buffer) noexcept KILN_EXCLUDES(mutex_);
  /// The buffer that contains the address; null if there is none, or if it is being destroyed.
  Ref<Buffer> find(size_t memory, uint64_t address) const KILN_EXCLUDES(mutex_);

private:
  mutable Mutex mutex_;
  // Two buffers over the same host memory have the same address.
  std::multimap<std::pair<size_t, uint64_t>, Buffer *> buffers_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
