// Buffers and sub-buffers. A sub-buffer is a window on its parent: it has no storage, and its maps are the parent's.
#pragma once
#include "runtime/memory/Box.h"
#include "runtime/memory/MemObject.h"
#include "runtime/memory/Residency.h"
#include <list>

namespace kiln {

class Buffer final : public MemObject {
public:
  /// clCreateBuffer with all its rules; `properties` as given, its terminator included, or empty.
  static Result<Ref<Buffer>> create(Context &context, cl_mem_flags flags, size_t size, void *host,
                                    std::vector<cl_mem_properties> properties = {});
  /// clCreateSubBuffer for CL_BUFFER_CREATE_TYPE_REGION.
  static Result<Ref<Buffer>> createSub(Buffer &parent, cl_mem_flags flags, cl_buffer_region region);

  /// For another kind of memory object: as large as it is, or CL_MEM_OBJECT_ALLOCATION_FAILURE. What the host writes to
  /// `bytes` before anything is enqueued is what it holds.
  static Result<Ref<Buffer>> createStorage(Context &context, size_t size, std::byte *&bytes);
  /// How many bytes one may have: what some device of the context takes.
  static size_t largest(const Context &context);

  void *hostPointer() const override;
  MemObject *parent() const override { return parent_.get(); }
  size_t offset() const override { return offset_; }
  cl_uint mapCount() const override { return mapsOf(*this); }
  Buffer &storage() override { return *this; }
  /// The buffer that has the storage: this one or its parent.
  Buffer &root() { return parent_ ? *parent_ : *this; }
  Residency &residency() { return *root().residency_; }
  /// CL_MEM_USES_SVM_POINTER
  bool usesSvmPointer() const;
  /// CL_MEM_DEVICE_ADDRESS_EXT: the address on each device of the context, in their order. CL_INVALID_OPERATION where
  /// the buffer was not made for that.
  Result<std::vector<cl_mem_device_address_ext>> deviceAddresses();

  /// The device's address of this buffer's first byte; allocates there when it has not yet.
  Result<uint64_t> address(const DeviceObject &device);
  /// R8: whether a sub-buffer starts where the device can use it.
  bool alignedFor(const DeviceObject &device) const;

  /// A map that clEnqueueMap* made of an object whose storage this is.
  struct Map {
    void *pointer;
    BoxLayout at; // in the root
    Extent extent;
    bool writes;
    const MemObject *owner;
  };
  /// Makes a map of a box known and says where the host finds its first byte. CL_INVALID_OPERATION when a map has bytes
  /// in common with it and one of the two writes.
  Result<void *> beginMap(const MemObject &owner, cl_map_flags flags, BoxLayout at, const Extent &extent);
  /// Takes one map that starts at `pointer` out of the book; the list is empty when there is none of this owner. Who
  /// finds that it cannot be ended after all puts the list back.
  std::list<Map> endMap(const MemObject &owner, void *pointer);
  void restoreMap(std::list<Map> map);
  cl_uint mapsOf(const MemObject &owner) const;
  /// Returns true if the host has a map of any part of it; of a root.
  bool isMapped() const KILN_EXCLUDES(mapMutex_);

private:
  ~Buffer() override;
  /// Makes the storage of all devices, and its addresses known.
  Status fixAddresses();
  Buffer(Ref<Context> context, cl_mem_flags flags, size_t size, std::vector<cl_mem_properties> properties)
      : MemObject(std::move(context), CL_MEM_OBJECT_BUFFER, flags, size, std::move(properties)) {}

  Ref<Buffer> parent_;
  size_t offset_ = 0;                    // in the parent
  std::unique_ptr<Residency> residency_; // of roots
  std::vector<uint64_t> addresses_;      // of roots that have fixed ones; as Context::memories
  mutable Mutex mapMutex_;
  std::list<Map> maps_ KILN_GUARDED_BY(mapMutex_); // of roots
};

/// Holds a memory object, and leads to the buffer that its bytes are in.
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
