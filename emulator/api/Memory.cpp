// HIP's entries for memory and copies. A device address is the host's address of the same byte.
#include "emulator/api/Runtime.h"
#include "emulator/machine/AddressSpace.h"
#include <cstring>

using namespace kiln::emulator;
using Kind = Allocation::Kind;

namespace {

int allocateAs(Kind kind, void **memory, size_t bytes) {
  if (int code = runtime().broken)
    return code;
  *memory = runtime().allocate(kind, bytes, currentDevice());
  return *memory ? Success : OutOfMemory;
}

bool isKnown(const void *memory, size_t bytes) {
  const Range range = addressSpace().find(u64(memory), bytes);
  return range.end != 0;
}

/// Runs `operation` on the stream; returns after it if it uses pageable memory, which the caller may free then.
int enqueue(void *handle, bool isPageable, std::function<int()> operation) {
  if (int code = runtime().broken)
    return code;
  const std::shared_ptr<Stream> stream = runtime().stream(handle);
  if (!stream)
    return InvalidHandle;
  if (isPageable)
    stream->pushAndWait(std::move(operation));
  else
    stream->push(std::move(operation));
  return Success;
}

int copy(void *to, bool toDevice, const void *from, bool fromDevice, size_t bytes, void *stream) {
  if ((toDevice && !isKnown(to, bytes)) || (fromDevice && !isKnown(from, bytes)))
    return bytes ? InvalidValue : Success;
  return enqueue(stream, !isKnown(to, bytes) || !isKnown(from, bytes), [=] {
    std::memmove(to, from, bytes);
    return Success;
  });
}

template <typename T> int fill(u64 address, T value, size_t count, void *stream) {
  if (!isKnown(reinterpret_cast<void *>(address), count * sizeof(T)))
    return count ? InvalidValue : Success;
  return enqueue(stream, false, [=] {
    std::fill_n(reinterpret_cast<T *>(address), count, value);
    return Success;
  });
}

} // namespace

HIP_ENTRY hipMalloc(void **memory, size_t bytes) { return allocateAs(Kind::Device, memory, bytes); }
HIP_ENTRY hipMallocManaged(void **memory, size_t bytes, unsigned) { return allocateAs(Kind::Managed, memory, bytes); }
HIP_ENTRY hipHostMalloc(void **memory, size_t bytes, unsigned) { return allocateAs(Kind::Host, memory, bytes); }
HIP_ENTRY hipFree(void *memory) { return memory ? runtime().release(memory, {Kind::Device, Kind::Managed}) : Success; }
HIP_ENTRY hipHostFree(void *memory) { return memory ? runtime().release(memory, {Kind::Host}) : Success; }
HIP_ENTRY hipHostRegister(void *memory, size_t bytes, unsigned) { return runtime().registerHost(memory, bytes); }
HIP_ENTRY hipHostUnregister(void *memory) { return runtime().release(memory, {Kind::Registered}); }
HIP_ENTRY hipHostGetDevicePointer(void **device, void *host, unsigned) {
  if (!isKnown(host, 1))
    return InvalidValue;
  *device = host;
  return Success;
}
HIP_ENTRY hipMemGetInfo(size_t *left, size_t *total) {
  *total = runtime().deviceBytes();
  *left = *total - runtime().allocatedBytes(currentDevice());
  return Success;
}
/// Pages do not move: every device is the host.
HIP_ENTRY hipMemPrefetchAsync(const void *memory, size_t bytes, int, void *) {
  return isKnown(memory, bytes) ? Success : InvalidValue;
}

HIP_ENTRY hipMemcpyHtoDAsync(void *to, const void *from, size_t bytes, void *stream) {
  return copy(to, true, from, false, bytes, stream);
}
HIP_ENTRY hipMemcpyDtoHAsync(void *to, const void *from, size_t bytes, void *stream) {
  return copy(to, false, from, true, bytes, stream);
}
HIP_ENTRY hipMemcpyDtoDAsync(void *to, const void *from, size_t bytes, void *stream) {
  return copy(to, true, from, true, bytes, stream);
}
HIP_ENTRY hipMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, void *stream) {
  return copy(to, true, from, true, bytes, stream);
}
HIP_ENTRY hipMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t rows,
                           int kind, void *stream) {
  if (!rows || !width)
    return Success;
  if (kind < 1 || kind > 3 || toPitch < width || fromPitch < width)
    return InvalidValue;
  const size_t toBytes = (rows - 1) * toPitch + width, fromBytes = (rows - 1) * fromPitch + width;
  constexpr int ToHost = 2, ToDevice = 1;
  if ((kind != ToHost && !isKnown(to, toBytes)) || (kind != ToDevice && !isKnown(from, fromBytes)))
    return InvalidValue;
  return enqueue(stream, !isKnown(to, toBytes) || !isKnown(from, fromBytes), [=] {
    for (size_t row = 0; row < rows; ++row)
      std::memmove(static_cast<char *>(to) + row * toPitch, static_cast<const char *>(from) + row * fromPitch, width);
    return Success;
  });
}
HIP_ENTRY hipMemsetD8Async(u64 address, unsigned char value, size_t count, void *stream) {
  return fill<u8>(address, value, count, stream);
}
HIP_ENTRY hipMemsetD16Async(u64 address, unsigned short value, size_t count, void *stream) {
  return fill<u16>(address, value, count, stream);
}
HIP_ENTRY hipMemsetD32Async(u64 address, int value, size_t count, void *stream) {
  return fill<i32>(address, value, count, stream);
}
