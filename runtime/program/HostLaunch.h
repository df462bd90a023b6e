// A launch by the host: clEnqueueNDRangeKernel's, or one that a command buffer records. Kernel::prepare makes it.
#pragma once
#include "base/support/FreeList.h"
#include "runtime/memory/Allocations.h"
#include "runtime/memory/Buffer.h"
#include "runtime/program/CheckedLaunch.h"

namespace kiln {

class Kernel;

/// A memory object of a launch and the kernel's access to it.
struct MemoryUse {
  Ref<MemObject> object;
  bool reads = true, writes = true;
  int64_t argument = -1; // index of the argument; -1: a pointer leads to the object
};

/// The size of an argument in local memory.
struct LocalArgument {
  size_t index;
  uint64_t bytes;
};

/// Memory that a launch accesses through pointers, held until it has ended.
struct PointedMemory {
  static void *operator new(size_t size) { return FreeList<sizeof(PointedMemory)>::acquire(); }
  static void operator delete(void *memory) { FreeList<sizeof(PointedMemory)>::release(memory); }

  std::vector<Ref<Allocation>, FreeListAllocator<Ref<Allocation>>> allocations;
  bool isIndirect = false;          // the kernel may access any allocation indirectly
  Ref<Allocations::Epoch> indirect; // then, the epoch of the enqueue
  const char *unknown = nullptr;    // why it may access memory outside allocations; null if it does not
};

/// Of a launch whose kernel enqueues: what LaunchRecords (runtime/enqueue) are made of.
struct EnqueueArguments {
  EnqueueRules rules;
  std::vector<Ref<Object>> queues; // the DeviceQueues among the kernel's arguments
};

/// What a launch by the host keeps alive.
struct LaunchObjects {
  Ref<Kernel> kernel;                               // also holds the program's code
  std::shared_ptr<const DeviceProgram> initialised; // the program if its initializers must run first, else null
  std::vector<MemoryUse, FreeListAllocator<MemoryUse>> uses;
  std::unique_ptr<PointedMemory> pointed; // null without pointers
};

struct HostLaunch;

/// Is called when a launch has ended with success, before its event is complete.
class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;
  virtual void onEnded(const HostLaunch &launch, const DeviceObject &device) noexcept = 0;
};

/// A launch by the host. Its objects are the first base, which is destroyed last.
struct HostLaunch : LaunchObjects, CheckedLaunch {
  /// Returns one more launch of the recorded launch `this`, on the same device. It shares the arguments; printf output
  /// and the epoch are its own. Selects the code again, because a specialised variant may exist now. Not for kernels
  /// that enqueue. May throw std::bad_alloc.
  HostLaunch repeat(const DeviceObject &device) const;
  /// Ends the launch's own epoch: a recorded launch must not keep allocations that are freed later.
  void leaveEpoch();

  std::vector<protocol::KnownArgument> known;          // image formats and samplers, for the selection of the code
  std::unique_ptr<LaunchObserver> observer;            // null unless KILN_CAPTURE captures it on a GPU
  std::unique_ptr<LaunchObserver> check;               // null unless its code checks and runs on a GPU
  std::vector<LocalArgument> localArguments;           // only with KILN_CHECK
  std::unique_ptr<EnqueueArguments> enqueues;          // null unless it enqueues; `children` is set before the enqueue
  std::array<uint64_t, 3> requestedLocalSize{1, 1, 1}; // the local size that the kernel observes
  const void *enqueuedAt = nullptr;                    // return address of the call that enqueued it
};

} // namespace kiln
