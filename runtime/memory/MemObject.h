// The base of buffers, images and pipes: the results of clGetMemObjectInfo and destructor callbacks.
#pragma once
#include "runtime/memory/Context.h"

namespace kiln {

class Buffer;

class MemObject : public _cl_mem, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Memory;
  using DestructorCallback = void(CL_CALLBACK *)(cl_mem object, void *userData);

  cl_mem_object_type type() const { return type_; }
  cl_mem_flags flags() const { return flags_; }
  size_t size() const { return size_; }
  Context &context() const { return *context_; }
  const std::vector<cl_mem_properties> &properties() const { return properties_; }
  /// CL_MEM_HOST_PTR: the pointer given with CL_MEM_USE_HOST_PTR, else null.
  virtual void *hostPointer() const = 0;
  virtual MemObject *parent() const { return nullptr; }
  virtual size_t offset() const { return 0; }
  virtual cl_uint mapCount() const = 0;
  /// The buffer that has the bytes.
  virtual Buffer &storage() = 0;
  /// With KILN_CHECK, the return address of the application's call that created it; else null.
  const void *createdAt() const { return createdAt_; }
  /// Called before the application has the handle.
  void setCreatedAt(const void *returnAddress) { createdAt_ = returnAddress; }

  /// Callbacks run in reverse order of registration, when nothing uses the object any more and before its storage is
  /// freed.
  void addDestructorCallback(DestructorCallback callback, void *userData) KILN_EXCLUDES(callbackMutex_);

  bool hostMayRead() const { return !(flags_ & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)); }
  bool hostMayWrite() const { return !(flags_ & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)); }

protected:
  MemObject(Ref<Context> context, cl_mem_object_type type, cl_mem_flags flags, size_t size,
            std::vector<cl_mem_properties> properties)
      : Object(Kind), context_(std::move(context)), type_(type), flags_(flags), size_(size),
        properties_(std::move(properties)) {}
  void destroy() override;

private:
  const Ref<Context> context_;
  const cl_mem_object_type type_;
  const cl_mem_flags flags_;
  const size_t size_;
  const std::vector<cl_mem_properties> properties_;
  const void *createdAt_ = nullptr;
  Mutex callbackMutex_;
  std::vector<std::pair<DestructorCallback, void *>> destructorCallbacks_ KILN_GUARDED_BY(callbackMutex_);
};

} // namespace kiln
