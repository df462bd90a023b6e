// Memory that the application names by pointers: shared virtual memory (clSVMAlloc) and unified shared memory
// (cl_intel_unified_shared_memory). It has one address on the host and on every device that uses it, so it is never
// transferred and has no residency map.
//
// Its kind of memory depends on the context's devices. If one driver's host and devices may access managed memory at
// the same time, it is that; otherwise it is host memory that the first device pins and the others import. An
// allocation fails if a device would see it at another address.
//
// Queued commands with a pointer into an allocation, and buffers over it, hold a Ref. Freeing removes it from the
// context's map (Allocations); the memory is freed with the last Ref.
#pragma once
#include "base/support/Futex.h"
#include "runtime/memory/IssuedMaps.h"
#include "runtime/platform/Platform.h"

namespace kiln {

class Context;

class Allocation {
public:
  enum class Kind : uint8_t {
    Svm,    // clSVMAlloc
    Host,   // host memory, for every device
    Device, // memory of one device, which the host cannot access
    Shared, // accessible to the host and the devices
  };
  /// The alignment of the largest type, long16; the same for all allocations.
  static constexpr size_t Alignment = 128;
  /// The parameters of an allocation.
  struct Request {
    Kind kind;
    cl_bitfield flags;    // as the application gave them; returned by a query
    DeviceObject *device; // the device of a Device or Shared allocation; may be null
    size_t size;
    bool atomics = false;              // the host and devices access it concurrently with atomics
    const void *allocatedAt = nullptr; // return address of the application's call
  };
  /// CL_OUT_OF_RESOURCES if the devices have no common memory; CL_MEM_OBJECT_ALLOCATION_FAILURE.
  static Result<Ref<Allocation>> create(const Context &context, const Request &request);

  Kind kind() const { return request_.kind; }
  cl_bitfield flags() const { return request_.flags; }
  DeviceObject *device() const { return request_.device; }
  size_t size() const { return request_.size; }
  const void *allocatedAt() const { return request_.allocatedAt; }
  /// The address, everywhere. The host must not dereference it if the kind is Device.
  std::byte *begin() const { return reinterpret_cast<std::byte *>(memory_->address); }
  bool contains(const void *pointer) const { return uintptr_t(pointer) - uintptr_t(begin()) < size(); }
  size_t offsetOf(const void *pointer) const { return uintptr_t(pointer) - uintptr_t(begin()); }
  /// The allocation as a stream of the device names it; null if the device does not use it.
  Memory *memoryFor(const DeviceObject &device) const;

  /// Maps by clEnqueueSVMMap. Null without KILN_CHECK=memory.
  IssuedMaps *issuedMaps() const { return issuedMaps_.get(); }

  /// Signals that the memory has been freed.
  class FreedSignal {
  public:
    void wait() {
      waitQueue_.wait(freed_, [this] { return freed_.load(std::memory_order_acquire) != 0; });
    }

  private:
    friend class Allocation;
    std::atomic<uint32_t> freed_{0};
    WaitQueue waitQueue_;
  };
  /// Called by the thread that freed the allocation and still holds a Ref.
  void signalOnFree(std::shared_ptr<FreedSignal> signal) { freedSignal_ = std::move(signal); }

  void incRef() { count_.fetch_add(1, std::memory_order_relaxed); }
  void decRef() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

private:
  Allocation(const Context &context, const Request &request)
      : context_(context), request_(request), atomics_(request.atomics), issuedMaps_(IssuedMaps::createIfChecked()) {}
  ~Allocation();
  Status makeOnDevice();
  Status makeShared();
  /// Allocates on `owner` and imports to the other `users`. Returns false if a user has no access at the same address;
  /// nothing is kept then.
  bool allocateOn(DeviceObject &owner, const std::vector<DeviceObject *> &users, bool pages);

  const Context &context_; // users of the allocation hold a reference
  const Request request_;
  bool atomics_; // requested, or a property of the device's shared memory
  const std::unique_ptr<IssuedMaps> issuedMaps_;
  std::unique_ptr<Memory> memory_;
  std::vector<std::unique_ptr<Memory>> imported_; // by the other devices, indexed as Context::memoryDevices
  size_t ownerNode_ = 0;                          // index in Context::memoryDevices
  std::shared_ptr<FreedSignal> freedSignal_;
  std::atomic<uint32_t> count_{0};
};

} // namespace kiln
