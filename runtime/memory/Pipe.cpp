#include "runtime/memory/Pipe.h"
#include "base/abi/PipeAbi.h"
#include <algorithm>
#include <cstring>

namespace kiln {

Result<Ref<Pipe>> Pipe::create(Context &context, cl_mem_flags flags, cl_uint packetSize, cl_uint maxPackets) {
  cl_uint largest = 0;
  bool hasPipes = false;
  for (const DeviceObject *device : context.devices()) {
    hasPipes |= device->info().pipes;
    largest = std::max(largest, device->info().pipeMaxPacketSize);
  }
  if (!hasPipes)
    return fail(CL_INVALID_OPERATION, "no device of the context has pipes (CL_DEVICE_PIPE_SUPPORT)");
  if (flags & ~cl_mem_flags(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS))
    return fail(CL_INVALID_VALUE, "memory flags 0x", std::hex, flags,
                " contain bits other than CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS");
  if (!packetSize || packetSize > largest)
    return fail(CL_INVALID_PIPE_SIZE, "pipe_packet_size is ", packetSize, ", must be 1 to ", largest);
  if (!maxPackets)
    return fail(CL_INVALID_PIPE_SIZE, "pipe_max_packets is 0");

  static std::atomic<uint64_t> pipesMade{0};
  const abi::PipeHead head = abi::emptyPipe(packetSize, maxPackets, pipesMade.fetch_add(1, std::memory_order_relaxed));
  std::byte *bytes;
  Ref<Buffer> storage = KILN_TRY(Buffer::createStorage(context, abi::pipeBytes(packetSize, maxPackets), bytes));
  std::memcpy(bytes, &head, sizeof head);
  std::memset(bytes + sizeof head, 0, abi::pipePacketsAt(abi::pipePlaces(maxPackets)) - sizeof head);
  return Ref<Pipe>(new Pipe(context, flags ? flags : CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, std::move(storage),
                            packetSize, maxPackets));
}

} // namespace kiln
