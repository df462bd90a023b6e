#include "runtime/memory/Buffer.h"
#include "base/support/Checks.h"
#include "runtime/memory/MemFlags.h"
#include <algorithm>
#include <cstring>

namespace kiln {
namespace {

/// Checks the property list of clCreateBufferWithProperties. Returns true if it requests fixed addresses.
Result<bool> wantsAddress(const Context &context, const std::vector<cl_mem_properties> &list) {
  std::optional<bool> wants;
  for (size_t i = 0; i + 1 < list.size(); i += 2) {
    if (list[i] != CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT || wants)
      return fail(CL_INVALID_PROPERTY, "buffer property ", list[i],
                  wants ? " is unknown, or given twice" : " is unknown");
    if (list[i + 1] != CL_TRUE && list[i + 1] != CL_FALSE)
      return fail(CL_INVALID_PROPERTY, "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT is ", list[i + 1],
                  ", must be CL_TRUE or CL_FALSE");
    wants = list[i + 1];
  }
  if (wants && std::ranges::none_of(context.devices(), [](const DeviceObject *device) {
        return device->hasExtension("cl_ext_buffer_device_address");
      }))
    return fail(CL_INVALID_OPERATION, "no device of the context has cl_ext_buffer_device_address");
  return wants.value_or(false);
}

} // namespace

size_t Buffer::largest(const Context &context) {
  size_t largest = 0;
  for (const DeviceObject *device : context.devices())
    largest = std::max(largest, size_t(device->info().maxAllocSize));
  return largest;
}

Result<Ref<Buffer>> Buffer::create(Context &context, cl_mem_flags flags, size_t size, void *host,
                                   std::vector<cl_mem_properties> properties) {
  const bool fixed = KILN_TRY(wantsAddress(context, properties));
  KILN_TRY(checkFlags(flags));
  const size_t most = largest(context);
  if (size == 0 || size > most)
    return fail(CL_INVALID_BUFFER_SIZE, "buffer size is ", size, ", must be 1 to ", most);
  KILN_TRY(checkHostPointer(flags, host));
  if (!(flags & AccessFlags))
    flags |= CL_MEM_READ_WRITE;

  Ref<Allocation> allocation = host ? context.allocations().find(host) : nullptr;
  if (allocation && allocation->kind() == Allocation::Kind::Device)
    return fail(CL_INVALID_HOST_PTR, host, " is a device USM allocation, which the host cannot access");
  if (allocation && size > allocation->size() - allocation->offsetOf(host))
    return fail(CL_INVALID_BUFFER_SIZE, size, " bytes at ", host, " exceed the allocation that contains it");

  Ref<Buffer> buffer(new Buffer(&context, flags, size, std::move(properties)));
  if (allocation && flags & CL_MEM_USE_HOST_PTR)
    buffer->residency_ =
        KILN_TRY(Residency::create(context, size, static_cast<std::byte *>(host), std::move(allocation)));
  else
    buffer->residency_ =
        KILN_TRY(Residency::create(context, size, flags & CL_MEM_USE_HOST_PTR ? host : nullptr, host != nullptr));
  // Allocated now, so that mapping such a buffer cannot fail for lack of memory.
  if (flags & CL_MEM_ALLOC_HOST_PTR)
    (void)KILN_TRY(buffer->residency_->host());
  if (flags & CL_MEM_COPY_HOST_PTR)
    std::memcpy(KILN_TRY(buffer->residency_->host()), host, size);
  if (fixed)
    KILN_TRY(buffer->fixAddresses()); // kernels may write through these
  else if (checks().init && !host)
    buffer->written_ = WrittenBytes::create(size);
  return buffer;
}

Result<Ref<Buffer>> Buffer::createStorage(Context &context, size_t size, std::byte *&bytes) {
  if (const size_t most = largest(context); size > most)
    return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "storage size is ", size, ", must be at most ", most);
  Ref<Buffer> buffer(new Buffer(&context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, size, {}));
  buffer->residency_ = KILN_TRY(Residency::create(context, size, nullptr, /*initialisedByHost=*/true));
  bytes = KILN_TRY(buffer->residency_->host());
  return buffer;
}

Result<Ref<Buffer>> Buffer::createSub(Buffer &parent, cl_mem_flags flags, cl_buffer_region region) {
  if (parent.parent_)
    return fail(CL_INVALID_MEM_OBJECT, "a sub-buffer has no sub-buffers");
  const cl_mem_flags inherited = KILN_TRY(inheritFlags(flags, parent.flags()));
  if (region.size == 0)
    return fail(CL_INVALID_BUFFER_SIZE, "sub-buffer size is 0");
  if (region.size > parent.size() || region.origin > parent.size() - region.size)
    return fail(CL_INVALID_VALUE, "sub-buffer of ", region.size, " bytes at ", region.origin,
                " is not inside its parent of ", parent.size());
  bool fitsOne = std::ranges::any_of(parent.context().devices(), [&](const DeviceObject *device) {
    return region.origin % (device->info().baseAddressAlignBits / 8) == 0;
  });
  if (!fitsOne)
    return fail(
        CL_MISALIGNED_SUB_BUFFER_OFFSET,
        "no device of the context has an alignment (CL_DEVICE_MEM_BASE_ADDR_ALIGN) that allows a sub-buffer at offset ",
        region.origin);
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
  const std::vector<DeviceObject *> &memories = context().memoryDevices();
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
    list.push_back(fixed[context().memoryIndexOf(*device)] + offset_);
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
  return residency.hostPointer() + offset_;
}

Result<uint64_t> Buffer::address(const DeviceObject &device) {
  Residency &residency = *root().residency_;
  Memory *memory = KILN_TRY(residency.storageFor(device));
  return memory->address + residency.origin() + offset_;
}

bool Buffer::alignedFor(const DeviceObject &device) const {
  return offset_ % (device.info().baseAddressAlignBits / 8) == 0;
}

cl_uint Buffer::mapsOf(const MemObject &object) const {
  const Buffer &owner = parent_ ? *parent_ : *this;
  Lock lock(owner.mapMutex_);
  return cl_uint(std::ranges::count(owner.maps_, &object, &Map::owner));
}

bool Buffer::isMapped() const {
  Lock lock(mapMutex_);
  return !maps_.empty();
}

Result<void *> Buffer::beginMap(const MemObject &object, cl_map_flags flags, BoxLayout at, const Extent &extent) {
  Buffer &owner = root();
  at.offset += offset_;
  const bool writes = mapsForWriting(flags);
  void *pointer = KILN_TRY(owner.residency_->host()) + at.offset;
  Lock lock(owner.mapMutex_);
  for (const Map &map : owner.maps_)
    if ((writes || map.writes) && overlap(at, extent, map.at, map.extent))
      return fail(CL_INVALID_OPERATION, "a box from byte ", at.offset, " overlaps a map of one from ", map.at.offset,
                  " and one of the two is mapped for writing");
  owner.maps_.push_back({pointer, at, extent, writes, &object});
  return pointer;
}

std::list<Buffer::Map> Buffer::endMap(const MemObject &object, void *pointer) {
  Buffer &owner = root();
  std::list<Map> ended;
  Lock lock(owner.mapMutex_);
  auto found =
      std::ranges::find_if(owner.maps_, [&](const Map &map) { return map.pointer == pointer && map.owner == &object; });
  if (found != owner.maps_.end())
    ended.splice(ended.end(), owner.maps_, found);
  return ended;
}

void Buffer::restoreMap(std::list<Map> map) {
  Buffer &owner = root();
  Lock lock(owner.mapMutex_);
  owner.maps_.splice(owner.maps_.end(), map);
}

} // namespace kiln
