#include "runtime/memory/Buffer.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace kiln {
namespace {

constexpr cl_mem_flags AccessFlags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
constexpr cl_mem_flags PointerFlags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
constexpr cl_mem_flags HostFlags = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

Status checkFlags(cl_mem_flags flags) {
  if (flags & ~(AccessFlags | PointerFlags | HostFlags))
    return fail(CL_INVALID_VALUE, "memory flags 0x", std::hex, flags, " contain unknown bits");
  if (std::popcount(flags & AccessFlags) > 1)
    return fail(CL_INVALID_VALUE, "memory flags 0x", std::hex, flags, " name two kinds of access for kernels");
  if (std::popcount(flags & HostFlags) > 1)
    return fail(CL_INVALID_VALUE, "memory flags 0x", std::hex, flags, " name two kinds of access for the host");
  if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
    return fail(CL_INVALID_VALUE, "CL_MEM_USE_HOST_PTR stands beside another host pointer flag");
  return {};
}

/// The list of clCreateBufferWithProperties: whether it asks for fixed addresses.
Result<bool> wantsAddress(const Context &context, const std::vector<cl_mem_properties> &list) {
  std::optional<bool> wants;
  for (size_t i = 0; i + 1 < list.size(); i += 2) {
    if (list[i] != CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT || wants)
      return fail(CL_INVALID_PROPERTY, "buffer property ", list[i],
                  wants ? " is unknown, or given twice" : " is unknown");
    if (list[i + 1] != CL_TRUE && list[i + 1] != CL_FALSE)
      return fail(CL_INVALID_PROPERTY, "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT is ", list[i + 1],
                  ", neither true nor false");
    wants = list[i + 1];
  }
  if (wants && std::ranges::none_of(context.devices(), [](const DeviceObject *device) {
        return device->hasExtension("cl_ext_buffer_device_address");
      }))
    return fail(CL_INVALID_OPERATION, "no device of the context has cl_ext_buffer_device_address");
  return wants.value_or(false);
}

size_t largestAllocation(const Context &context) {
  size_t largest = 0;
  for (const DeviceObject *device : context.devices())
    largest = std::max(largest, size_t(device->info().maxAllocSize));
  return largest;
}

} // namespace

Result<Ref<Buffer>> Buffer::create(Context &context, cl_mem_flags flags, size_t size, void *host,
                                   std::vector<cl_mem_properties> properties) {
  const bool fixed = KILN_TRY(wantsAddress(context, properties));
  KILN_TRY(checkFlags(flags));
  const size_t largest = largestAllocation(context);
  if (size == 0 || size > largest)
    return fail(CL_INVALID_BUFFER_SIZE, "buffer size ", size, " is not in 1 to ", largest);
  bool wantsHost = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  if (wantsHost != (host != nullptr))
    return fail(CL_INVALID_HOST_PTR, wantsHost ? "host pointer is null" : "host pointer without a flag that uses it");
  if (!(flags & AccessFlags))
    flags |= CL_MEM_READ_WRITE;

  Ref<Allocation> allocation = wantsHost ? context.allocations().find(host) : nullptr;
  if (allocation && allocation->kind() == Allocation::Kind::Device)
    return fail(CL_INVALID_HOST_PTR, host, " is memory of a device, which the host does not see");
  if (allocation && size > allocation->size() - allocation->offsetOf(host))
    return fail(CL_INVALID_BUFFER_SIZE, size, " bytes at ", host, " pass the end of the allocation that it lies in");

  Ref<Buffer> buffer(new Buffer(&context, flags, size, std::move(properties)));
  if (allocation && flags & CL_MEM_USE_HOST_PTR)
    buffer->residency_ =
        KILN_TRY(Residency::create(context, size, static_cast<std::byte *>(host), std::move(allocation)));
  else
    buffer->residency_ =
        KILN_TRY(Residency::create(context, size, flags & CL_MEM_USE_HOST_PTR ? host : nullptr, wantsHost));
  // Mapping such a buffer never fails for want of memory.
  if (flags & CL_MEM_ALLOC_HOST_PTR)
    (void)KILN_TRY(buffer->residency_->host());
  if (flags & CL_MEM_COPY_HOST_PTR)
    std::memcpy(KILN_TRY(buffer->residency_->host()), host, size);
  if (fixed)
    KILN_TRY(buffer->fixAddresses());
  return buffer;
}

Result<Ref<Buffer>> Buffer::createStorage(Context &context, size_t size, std::byte *&bytes) {
  if (const size_t largest = largestAllocation(context); size > largest)
    return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "storage of ", size, " bytes; the largest is ", largest);
  Ref<Buffer> buffer(new Buffer(&context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, size, {}));
  buffer->residency_ = KILN_TRY(Residency::create(context, size, nullptr, /*hostFirst=*/true));
  bytes = KILN_TRY(buffer->residency_->host());
  return buffer;
}

Result<Ref<Buffer>> Buffer::createSub(Buffer &parent, cl_mem_flags flags, cl_buffer_region region) {
  if (parent.parent_)
    return fail(CL_INVALID_MEM_OBJECT, "a sub-buffer has no sub-buffers");
  KILN_TRY(checkFlags(flags));
  if (flags & PointerFlags)
    return fail(CL_INVALID_VALUE, "a sub-buffer takes its host pointer flags from its parent");
  cl_mem_flags own = parent.flags();
  cl_mem_flags access = flags & AccessFlags, hostAccess = flags & HostFlags;
  bool widensDevice = ((own & CL_MEM_WRITE_ONLY) && (access & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
                      ((own & CL_MEM_READ_ONLY) && (access & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)));
  bool widensHost = ((own & CL_MEM_HOST_WRITE_ONLY) && (hostAccess & CL_MEM_HOST_READ_ONLY)) ||
                    ((own & CL_MEM_HOST_READ_ONLY) && (hostAccess & CL_MEM_HOST_WRITE_ONLY)) ||
                    ((own & CL_MEM_HOST_NO_ACCESS) && (hostAccess & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)));
  if (widensDevice || widensHost)
    return fail(CL_INVALID_VALUE, "sub-buffer flags 0x", std::hex, flags, " allow more than the parent's 0x", own);
  if (region.size == 0)
    return fail(CL_INVALID_BUFFER_SIZE, "sub-buffer size is 0");
  if (region.size > parent.size() || region.origin > parent.size() - region.size)
    return fail(CL_INVALID_VALUE, "sub-buffer of ", region.size, " bytes at ", region.origin,
                " does not lie in a parent of ", parent.size());
  bool fitsOne = std::ranges::any_of(parent.context().devices(), [&](const DeviceObject *device) {
    return region.origin % (device->info().baseAddressAlignBits / 8) == 0;
  });
  if (!fitsOne)
    return fail(CL_MISALIGNED_SUB_BUFFER_OFFSET, "no device of the context takes a sub-buffer at offset ",
                region.origin);
  cl_mem_flags inherited =
      (access ? access : own & AccessFlags) | (own & PointerFlags) | (hostAccess ? hostAccess : own & HostFlags);
  Ref<Buffer> buffer(new Buffer(&parent.context(), inherited, region.size, {}));
  buffer->parent_ = &parent;
  buffer->offset_ = region.origin;
  return buffer;
}

Buffer::~Buffer() {
  for (size_t i = 0; i < addresses_.size(); ++i)
    context().deviceAddresses().remove(i, addresses_[i], *this);
}

Status Buffer::fixAddresses() {
  const std::vector<DeviceObject *> &memories = context().memories();
  std::vector<uint64_t> addresses;
  for (DeviceObject *memory : memories)
    addresses.push_back(KILN_TRY(address(*memory)));
  addresses_ = std::move(addresses);
  for (size_t i = 0; i < addresses_.size(); ++i)
    context().deviceAddresses().add(i, addresses_[i], *this);
  return {};
}

Result<std::vector<cl_mem_device_address_ext>> Buffer::deviceAddresses() {
  const std::vector<uint64_t> &fixed = root().addresses_;
  if (fixed.empty())
    return fail(CL_INVALID_OPERATION, "the buffer was created without CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT");
  std::vector<cl_mem_device_address_ext> list;
  for (const DeviceObject *device : context().devices())
    list.push_back(fixed[context().memoryOf(*device)] + offset_);
  return list;
}

bool Buffer::usesSvmPointer() const {
  const Allocation *allocation = (parent_ ? *parent_ : *this).residency_->allocation();
  return allocation && allocation->kind() == Allocation::Kind::Svm;
}

void *Buffer::hostPointer() const {
  if (!(flags() & CL_MEM_USE_HOST_PTR))
    return nullptr;
  Residency &residency = parent_ ? *parent_->residency_ : *residency_;
  return residency.application() + offset_;
}

Result<uint64_t> Buffer::address(const DeviceObject &device) {
  Residency &residency = *root().residency_;
  Memory *memory = KILN_TRY(residency.on(device));
  return memory->address + residency.origin() + offset_;
}

bool Buffer::alignedFor(const DeviceObject &device) const {
  return offset_ % (device.info().baseAddressAlignBits / 8) == 0;
}

cl_uint Buffer::mapCount() const {
  const Buffer &owner = parent_ ? *parent_ : *this;
  Lock lock(owner.mapMutex_);
  return cl_uint(std::ranges::count(owner.maps_, this, &Map::owner));
}

Result<void *> Buffer::beginMap(cl_map_flags flags, size_t offset, size_t size) {
  Buffer &owner = root();
  size_t first = offset_ + offset;
  bool writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
  void *pointer = KILN_TRY(owner.residency_->host()) + first;
  Lock lock(owner.mapMutex_);
  for (const Map &map : owner.maps_)
    if ((writes || map.writes) && first < map.offset + map.size && map.offset < first + size)
      return fail(CL_INVALID_OPERATION, "bytes ", first, " to ", first + size, " overlap a map of ", map.offset, " to ",
                  map.offset + map.size, " and one of the two writes");
  owner.maps_.push_back({pointer, first, size, writes, this});
  return pointer;
}

std::list<Buffer::Map> Buffer::endMap(void *pointer) {
  Buffer &owner = root();
  std::list<Map> ended;
  Lock lock(owner.mapMutex_);
  auto found =
      std::ranges::find_if(owner.maps_, [&](const Map &map) { return map.pointer == pointer && map.owner == this; });
  if (found != owner.maps_.end())
    ended.splice(ended.end(), owner.maps_, found);
  return ended;
}

void Buffer::putBack(std::list<Map> map) {
  Buffer &owner = root();
  Lock lock(owner.mapMutex_);
  owner.maps_.splice(owner.maps_.end(), map);
}

} // namespace kiln
