// Memory that the application holds by pointers, not by objects: shared virtual memory (clSVMAlloc) and unified shared
// memory (cl_intel_unified_shared_memory). It has one address, on the host and on every device that uses it, so nothing
// of it is ever moved for a command, and no Residency keeps a book of it.
//
// Where it lies follows the context's devices. Devices of one driver that let the host and themselves touch the same
// pages at once share those; otherwise it is the host's memory, pinned by the first device and imported by the others.
// What some device would see at another address is no such memory.
//
// Whoever may still use an allocation holds a Ref: queued commands that were given a pointer into it, and buffers over
// it. Freeing takes it out of the context's book (Allocations); the memory goes with the last Ref.
#pragma once
#include "runtime/platform/Platform.h"
#include "runtime/support/Futex.h"

namespace kiln {

class Context;

class Allocation {
public:
  enum class Kind : uint8_t {
    Svm,    // clSVMAlloc
    Host,   // the host's, for every device
    Device, // one device's, which the host does not see
    Shared, // the host's and the devices' together
  };
  /// Of the largest type, long16: all memory is aligned for it, and for no more.
  static constexpr size_t Alignment = 128;
  /// What is asked for.
  struct Request {
    Kind kind;
    cl_bitfield flags;    // as the application gave them; a query gives them back
    DeviceObject *device; // that a Device or Shared one goes with; null for none
    size_t size;
    bool atomics = false; // the host and devices change it at once, atomically
  };
  /// CL_OUT_OF_RESOURCES where the devices have no such memory in common; CL_MEM_OBJECT_ALLOCATION_FAILURE.
  static Result<Ref<Allocation>> create(const Context &context, const Request &request);

  Kind kind() const { return request_.kind; }
  cl_bitfield flags() const { return request_.flags; }
  DeviceObject *device() const { return request_.device; }
  size_t size() const { return request_.size; }
  /// Its address everywhere. The host may look behind it unless it is a device's.
  std::byte *begin() const { return reinterpret_cast<std::byte *>(memory_->address); }
  bool contains(const void *pointer) const { return uintptr_t(pointer) - uintptr_t(begin()) < size(); }
  size_t offsetOf(const void *pointer) const { return uintptr_t(pointer) - uintptr_t(begin()); }
  /// What a stream of the device knows it as; null where that device does not use it.
  Memory *memoryFor(const DeviceObject &device) const;

  /// Becomes true when the memory has gone.
  class FreedSignal {
  public:
    void wait() {
      sleepers_.wait(freed_, [this] { return freed_.load(std::memory_order_acquire) != 0; });
    }

  private:
    friend class Allocation;
    std::atomic<uint32_t> freed_{0};
    Sleepers sleepers_;
  };
  /// For the one that has freed it, who has a Ref still.
  void signalOnFree(std::shared_ptr<FreedSignal> signal) { freedSignal_ = std::move(signal); }

  void hold() { count_.fetch_add(1, std::memory_order_relaxed); }
  void drop() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

private:
  Allocation(const Context &context, const Request &request)
      : context_(context), request_(request), atomics_(request.atomics) {}
  ~Allocation();
  Status makeOnDevice();
  Status makeShared();
  /// Memory by `maker` that all `users` have at its own address; nothing where that does not work.
  bool allocateOn(DeviceObject &owner, const std::vector<DeviceObject *> &users, bool pages);

  const Context &context_; // held by whoever uses this
  const Request request_;
  bool atomics_; // asked for, or what its device says of shared memory
  std::unique_ptr<Memory> memory_;
  std::vector<std::unique_ptr<Memory>> imported_; // by the other devices; as Context::memories
  size_t ownerNode_ = 0;                          // among those
  std::shared_ptr<FreedSignal> freedSignal_;
  std::atomic<uint32_t> count_{0};
};

} // namespace kiln
