// Buffers that have one address for life on each device (CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT), found by addresses that
// the application put into arguments or named beside them: a launch uses those buffers like any other.
#pragma once
#include "runtime/support/Mutex.h"
#include "runtime/support/Ref.h"
#include <cstddef>
#include <map>

namespace kiln {

class Buffer;

class DeviceAddresses {
public:
  /// `memory`: as Context::memories. The buffer takes itself out before it goes.
  void add(size_t memory, uint64_t address, Buffer &buffer) KILN_EXCLUDES(mutex_);
  void remove(size_t memory, uint64_t address, const Buffer &buffer) noexcept KILN_EXCLUDES(mutex_);
  /// The buffer that the address lies in; null where there is none, or where it is going.
  Ref<Buffer> find(size_t memory, uint64_t address) const KILN_EXCLUDES(mutex_);

private:
  mutable Mutex mutex_;
  // Two may begin at one address: buffers over the same memory of the host.
  std::multimap<std::pair<size_t, uint64_t>, Buffer *> buffers_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
