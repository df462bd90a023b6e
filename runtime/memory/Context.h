// A context: devices that share objects, and the application's error callback.
#pragma once
#include "runtime/memory/Allocations.h"
#include "runtime/memory/DeviceAddresses.h"
#include "runtime/platform/Platform.h"
#include <array>
#include <atomic>
#include <functional>

namespace kiln {

/// A memory that may hold a buffer's bytes: the host's memory, which every device with sharesHostMemory uses, or one
/// device's.
using MemoryNode = uint32_t; // 0: the host's; i + 1: that of Context::memoryDevices()[i]
inline constexpr MemoryNode HostNode = 0;
inline constexpr size_t MaxMemoryNodes = 64;
inline uint64_t nodeBit(MemoryNode node) { return uint64_t(1) << node; }

/// State of a context that belongs to a folder above this one. Created at its first use, destroyed with the context.
class ContextPart {
public:
  virtual ~ContextPart() = default;
};
enum class ContextPartKind : uint8_t { Residency, ChildSchedulers };

class Context : public _cl_context, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Context;
  using Notify = void(CL_CALLBACK *)(const char *message, const void *blob, size_t blobSize, void *userData);
  using DestructorCallback = void(CL_CALLBACK *)(cl_context context, void *userData);

  /// `properties` is the list as passed, with its terminator, or empty. Returns the CL_INVALID_* errors of
  /// clCreateContext. Duplicate devices count once.
  static Result<Ref<Context>> create(std::vector<cl_context_properties> properties,
                                     const std::vector<DeviceObject *> &devices, Notify notify, void *userData);
  /// clCreateContextFromType
  static Result<Ref<Context>> create(std::vector<cl_context_properties> properties, cl_device_type types, Notify notify,
                                     void *userData);
  ~Context() override;

  const std::vector<DeviceObject *> &devices() const { return devices_; }
  /// Index of the device in this context; -1 if it is not part of it.
  int indexOf(const DeviceObject *device) const;
  /// One device per device memory: for each root device, the first device of the context that is the root or a part of
  /// it.
  const std::vector<DeviceObject *> &memoryDevices() const { return memoryDevices_; }
  /// Index in memoryDevices() of the device whose memory `device` uses.
  size_t memoryIndexOf(const DeviceObject &device) const;
  const std::vector<cl_context_properties> &properties() const { return properties_; }

  /// The memory node that the device uses.
  MemoryNode nodeOf(const DeviceObject &device) const {
    return device.info().sharesHostMemory ? HostNode : MemoryNode(memoryIndexOf(device) + 1);
  }
  /// Returns true if bytes may have to be transferred: some device does not use the host's memory.
  bool hasSeveralNodes() const { return severalNodes_; }

  /// The part; `make` returns it as a std::unique_ptr if there is none yet. May throw std::bad_alloc.
  template <typename Make> ContextPart &part(ContextPartKind kind, Make make) const KILN_EXCLUDES(mutex_) {
    std::atomic<ContextPart *> &part = parts_[size_t(kind)];
    if (ContextPart *made = part.load(std::memory_order_acquire))
      return *made;
    Lock lock(mutex_);
    if (!part.load(std::memory_order_relaxed))
      part.store(std::unique_ptr<ContextPart>(make()).release(), std::memory_order_release);
    return *part.load(std::memory_order_relaxed);
  }

  /// Set once the context has been terminated; null if it cannot be (CL_CONTEXT_TERMINATE_KHR).
  const std::atomic<bool> *termination() const { return terminable_ ? &terminated_ : nullptr; }
  bool isTerminated() const { return terminated_.load(std::memory_order_relaxed); }
  /// clTerminateContextKHR: CL_INVALID_OPERATION, CL_CONTEXT_TERMINATED_KHR. Does not wait for the ends of commands.
  Status terminate() KILN_EXCLUDES(mutex_);
  /// What the context does with an object that registers while it exists.
  using Action = void (*)(Object &object);
  /// User events of a context with termination() register. `end` is called on termination.
  void addUserEvent(Object &event, Action end) KILN_EXCLUDES(mutex_);
  void removeUserEvent(Object &event) noexcept KILN_EXCLUDES(mutex_);

  /// SVM and USM allocations.
  Allocations &allocations() { return allocations_; }
  /// Frees the allocation, flushes all queues, and returns when the memory has been freed, after every command that may
  /// use it. Returns false if it was freed already.
  bool freeAndWait(Ref<Allocation> allocation);
  DeviceAddresses &deviceAddresses() { return deviceAddresses_; }

  /// Queues register. `flush` flushes the queue.
  void addQueue(Object &queue, Action flush) KILN_EXCLUDES(mutex_);
  void removeQueue(Object &queue) noexcept KILN_EXCLUDES(mutex_);

  /// Calls the application's callback for a failure that no call can return.
  void report(const char *message) const noexcept;
  void addDestructorCallback(DestructorCallback callback, void *userData) KILN_EXCLUDES(mutex_);

private:
  using Registered = std::vector<std::pair<Object *, Action>>;
  /// Calls the action of each object that is alive, without the lock.
  void forEachOf(Registered Context::*list) KILN_EXCLUDES(mutex_);
  Context(std::vector<cl_context_properties> properties, bool terminable, std::vector<DeviceObject *> devices,
          Notify notify, void *userData);

  const std::vector<cl_context_properties> properties_;
  const std::vector<DeviceObject *> devices_;
  const std::vector<Ref<DeviceObject>> deviceRefs_; // keeps devices_ alive
  const std::vector<DeviceObject *> memoryDevices_;
  const Notify notify_;
  void *const userData_;
  const bool severalNodes_, terminable_;
  std::atomic<bool> terminated_{false};
  mutable std::array<std::atomic<ContextPart *>, 2> parts_{}; // owned; by ContextPartKind
  Allocations allocations_;
  DeviceAddresses deviceAddresses_;
  mutable Mutex mutex_;
  Registered queues_ KILN_GUARDED_BY(mutex_), userEvents_ KILN_GUARDED_BY(mutex_);
  std::vector<std::pair<DestructorCallback, void *>> destructorCallbacks_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
