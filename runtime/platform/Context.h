// A context: the devices that share objects, and where the application wants to hear of failures.
#pragma once
#include "runtime/memory/Allocations.h"
#include "runtime/memory/DeviceAddresses.h"
#include "runtime/platform/Platform.h"
#include <functional>

namespace kiln {

class ResidencyManager;
class ChildScheduler;
class Queue;

/// Where a buffer's bytes may lie: in the host's memory, which is that of every device that sharesHostMemory, or in
/// that of one device.
using MemoryNode = uint32_t; // 0 is the host's, i + 1 that of Context::memoryDevices()[i]
inline constexpr MemoryNode HostNode = 0;
inline constexpr size_t MaxMemoryNodes = 64;
inline uint64_t nodeBit(MemoryNode node) { return uint64_t(1) << node; }

class Context : public _cl_context, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Context;
  using Notify = void(CL_CALLBACK *)(const char *message, const void *blob, size_t blobSize, void *userData);
  using DestructorCallback = void(CL_CALLBACK *)(cl_context context, void *userData);

  /// `properties` is the list as given, its terminator included, or empty. Checks its keys and values: CL_INVALID_*
  /// as clCreateContext has them. Devices named twice count once.
  static Result<Ref<Context>> create(std::vector<cl_context_properties> properties, std::vector<DeviceObject *> devices,
                                     Notify notify, void *userData);
  /// clCreateContextFromType
  static Result<Ref<Context>> create(std::vector<cl_context_properties> properties, cl_device_type types, Notify notify,
                                     void *userData);
  ~Context() override;

  const std::vector<DeviceObject *> &devices() const { return devices_; }
  /// Position of the device in this context; -1 when it has no part in it.
  int indexOf(const DeviceObject *device) const;
  /// The devices that stand for a memory: the first of those that are parts of one root device, or it itself.
  const std::vector<DeviceObject *> &memoryDevices() const { return memoryDevices_; }
  /// Position among them of the one in whose memory the device computes.
  size_t memoryOf(const DeviceObject &device) const;
  const std::vector<cl_context_properties> &properties() const { return properties_; }

  /// Where the device computes.
  MemoryNode nodeOf(const DeviceObject &device) const {
    return device.info().sharesHostMemory ? HostNode : MemoryNode(memoryOf(device) + 1);
  }
  /// What moves bytes between places; null where there is one place only.
  ResidencyManager *residencyManager() const { return residencyManager_.get(); }

  /// What runs commands that kernels enqueue on this device of the context.
  ChildScheduler &childScheduler(const DeviceObject &device) const {
    return *childSchedulers_[size_t(indexOf(&device))];
  }

  /// Shared virtual memory and unified shared memory.
  Allocations &allocations() { return allocations_; }
  /// Frees, and returns when the memory has gone: what may use it is flushed and has ended then. False where somebody
  /// else has freed it.
  bool freeAndWait(Ref<Allocation> allocation);
  DeviceAddresses &deviceAddresses() { return deviceAddresses_; }

  /// Queues are known to their context while they exist.
  void add(Queue &queue) KILN_EXCLUDES(mutex_);
  void remove(Queue &queue) noexcept KILN_EXCLUDES(mutex_);

  /// Tells the application's callback about a failure that no return value can carry.
  void report(const char *message) const noexcept;
  void addDestructorCallback(DestructorCallback callback, void *userData) KILN_EXCLUDES(mutex_);

private:
  /// Everything enqueued so far, in any queue, runs without further calls.
  void flushQueues() KILN_EXCLUDES(mutex_);
  Context(std::vector<cl_context_properties> properties, std::vector<DeviceObject *> devices, Notify notify,
          void *userData);

  const std::vector<cl_context_properties> properties_;
  const std::vector<DeviceObject *> devices_;
  const std::vector<Ref<DeviceObject>> deviceRefs_; // the same
  const std::vector<DeviceObject *> memoryDevices_;
  const Notify notify_;
  void *const userData_;
  const std::unique_ptr<ResidencyManager> residencyManager_;
  std::vector<std::unique_ptr<ChildScheduler>> childSchedulers_; // by the device's position
  Allocations allocations_;
  DeviceAddresses deviceAddresses_;
  Mutex mutex_;
  std::vector<Queue *> queues_ KILN_GUARDED_BY(mutex_);
  std::vector<std::pair<DestructorCallback, void *>> destructorCallbacks_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
