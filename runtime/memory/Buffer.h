// Buffers and sub-buffers. A sub-buffer is a range of its parent: it has no storage, and its maps are kept by the
// parent.
#pragma once
#include "runtime/memory/Box.h"
#include "runtime/memory/IssuedMaps.h"
#include "runtime/memory/MemObject.h"
#include "runtime/memory/Residency.h"
#include "runtime/memory/WrittenBytes.h"
#include <list>

namespace kiln {

/// Returns true if no kernel may use the mapped bytes; otherwise kernels may read them.
inline bool mapsForWriting(cl_map_flags flags) { return flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION); }

class Buffer final : public MemObject {
public:
  /// clCreateBuffer with all its rules. `properties` as given, with the terminator, or empty.
  static Result<Ref<Buffer>> create(Context &context, cl_mem_flags flags, size_t size, void *host,
                                    std::vector<cl_mem_properties> properties = {});
  /// clCreateSubBuffer for CL_BUFFER_CREATE_TYPE_REGION.
  static Result<Ref<Buffer>> createSub(Buffer &parent, cl_mem_flags flags, cl_buffer_region region);

  /// Storage for another kind of memory object. Its initial contents are what the host writes to `bytes` before the
  /// first enqueue. CL_MEM_OBJECT_ALLOCATION_FAILURE if it is larger than every device allows.
  static Result<Ref<Buffer>> createStorage(Context &context, size_t size, std::byte *&bytes);
  /// The largest size: the maximum over the devices of the context.
  static size_t largest(const Context &context);

  void *hostPointer() const override;
  MemObject *parent() const override { return parent_.get(); }
  size_t offset() const override { return offset_; }
  cl_uint mapCount() const override { return mapsOf(*this); }
  Buffer &storage() override { return *this; }
  /// The buffer that has the storage: this one or its parent.
  Buffer &root() { return parent_ ? *parent_ : *this; }
  Residency &residency() { return *root().residency_; }
  /// With KILN_CHECK=init, the bytes of the root buffer that have been written; else null, as for buffers with initial
  /// contents.
  WrittenBytes *written() { return root().written_.get(); }
  /// Null without KILN_CHECK=memory.
  IssuedMaps *issuedMaps() { return root().issuedMaps_.get(); }
  /// CL_MEM_USES_SVM_POINTER
  bool usesSvmPointer() const;
  /// CL_MEM_DEVICE_ADDRESS_EXT: the address on each device of the context, in their order. CL_INVALID_OPERATION if the
  /// buffer was created without the property.
  Result<std::vector<cl_mem_device_address_ext>> deviceAddresses();

  /// The device's address of this buffer's first byte. Allocates the storage there if there is none.
  Result<uint64_t> address(const DeviceObject &device);
  /// R8: returns true if a sub-buffer's offset has the alignment that the device requires.
  bool alignedFor(const DeviceObject &device) const;

  /// A map that clEnqueueMap* made of an object with this storage.
  struct Map {
    void *pointer;
    BoxLayout at; // in the root buffer
    Extent extent;
    bool writes;
    const MemObject *owner;
  };
  /// Records a map of a box and returns the host address of its first byte. CL_INVALID_OPERATION if a live map overlaps
  /// it and one of the two is for writing.
  Result<void *> beginMap(const MemObject &owner, cl_map_flags flags, BoxLayout at, const Extent &extent);
  /// Removes the record of one map of `owner` that starts at `pointer`; the list is empty if there is none. If the
  /// unmap fails later, the caller restores it with restoreMap.
  std::list<Map> endMap(const MemObject &owner, void *pointer);
  void restoreMap(std::list<Map> map);
  cl_uint mapsOf(const MemObject &owner) const;
  /// Returns true if any part of this root buffer is mapped.
  bool isMapped() const KILN_EXCLUDES(mapMutex_);

private:
  ~Buffer() override;
  /// Allocates the storage of all devices and registers its addresses.
  Status fixAddresses();
  Buffer(Ref<Context> context, cl_mem_flags flags, size_t size, std::vector<cl_mem_properties> properties)
      : MemObject(std::move(context), CL_MEM_OBJECT_BUFFER, flags, size, std::move(properties)) {}

  Ref<Buffer> parent_;
  size_t offset_ = 0;                    // in the parent
  std::unique_ptr<Residency> residency_; // of a root buffer
  std::unique_ptr<WrittenBytes> written_;
  const std::unique_ptr<IssuedMaps> issuedMaps_ = IssuedMaps::createIfChecked(); // of a root buffer
  std::vector<uint64_t> addresses_; // of a root buffer with fixed addresses; indexed as Context::memoryDevices
  mutable Mutex mapMutex_;
  std::list<Map> maps_ KILN_GUARDED_BY(mapMutex_); // of a root buffer
};

/// A reference to a memory object, used as the buffer that has its bytes.
class StorageRef {
public:
  StorageRef() = default;
  StorageRef(MemObject *object) : object_(object) {}
  template <typename Kind> StorageRef(Ref<Kind> object) : object_(std::move(object)) {}

  const Ref<MemObject> &object() const { return object_; }
  Buffer &operator*() const { return object_->storage(); }
  Buffer *operator->() const { return &object_->storage(); }

private:
  Ref<MemObject> object_;
};

} // namespace kiln
