#include "runtime/memory/Residency.h"
#include "runtime/support/Log.h"
#include <algorithm>

namespace kiln {

Result<std::unique_ptr<Residency>> Residency::create(const Context &context, size_t size, void *host) {
  for (const DeviceObject *device : context.devices())
    if (!device->info().sharesHostMemory)
      return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "device ", device->info().name, " has memory of its own");
  Device &device = context.devices().front()->device();
  std::unique_ptr<Memory> memory = KILN_TRY(host ? device.import(host, size) : device.allocate(size));
  KILN_LOG(Debug, Memory, host ? "imported " : "allocated ", size, " bytes at ", memory->host);
  return std::unique_ptr<Residency>(new Residency(std::move(memory)));
}

Result<Memory *> Residency::on(const DeviceObject &) { return memory_.get(); }

} // namespace kiln
