// A kernel: one function of a program and the arguments that its next launch gets.
//
// The arguments are kept as the block that the code reads, one for each device that the kernel was launched on, for
// addresses differ. A launch shares the block with the kernel; setting an argument while a launch still holds it makes
// a copy first, so that launches with unchanged arguments cost a reference, on alternating devices too. Memory objects
// are not held by the kernel, as OpenCL wants it, but by each launch.
#pragma once
#include "runtime/memory/Buffer.h"
#include "runtime/program/ArgumentBlock.h"
#include "runtime/program/ExecInfo.h"
#include "runtime/program/Program.h"
#include "runtime/support/FreeList.h"
#include <array>

namespace kiln {

class LaunchRecords;
class DeviceQueue;
class Sampler;

/// A memory object that a launch was given, and what its kernel may do there.
struct MemoryUse {
  Ref<MemObject> object;
  bool reads = true, writes = true;
};

/// Memory that a launch reaches by pointers, held until it has ended.
struct PointedMemory {
  static void *operator new(size_t size) { return FreeList<sizeof(PointedMemory)>::acquire(); }
  static void operator delete(void *memory) { FreeList<sizeof(PointedMemory)>::release(memory); }

  std::vector<Ref<Allocation>, FreeListAllocator<Ref<Allocation>>> allocations;
  Ref<Allocations::Epoch> indirect; // of a kernel that may reach any others
  const char *unknown = nullptr;    // a reason why it may reach memory that is no allocation; null without one
};

/// A launch as Kernel::prepare made it: checked, and with everything it needs kept alive.
struct KernelLaunch {
  KernelLaunch();
  KernelLaunch(KernelLaunch &&) noexcept;
  KernelLaunch &operator=(KernelLaunch &&) noexcept;
  ~KernelLaunch();

  Ref<Kernel> kernel;                               // and through it the program's code
  std::shared_ptr<void> variant;                    // keeps the code of a variant
  std::shared_ptr<const DeviceProgram> initialised; // whose initializers run first; null where there is nothing to do
  Ref<ArgumentBlock> arguments;
  std::vector<MemoryUse, FreeListAllocator<MemoryUse>> uses;
  std::unique_ptr<PointedMemory> pointed;  // of a kernel that was given any
  std::unique_ptr<PrintfOutput> output;    // of a kernel that prints
  std::unique_ptr<LaunchRecords> children; // of one that enqueues
  Launch launch;
  std::array<uint64_t, 3> requestedLocalSize{1, 1, 1}; // the local size as the application knows it
};

/// The sizes of clEnqueueNDRangeKernel, as given.
struct LaunchSizes {
  cl_uint workDim = 0;
  const size_t *globalOffset = nullptr, *globalSize = nullptr, *localSize = nullptr;
};

class Kernel final : public _cl_kernel, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Kernel;
  /// clCreateKernel: CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION.
  static Result<Ref<Kernel>> create(Program &program, const std::string &name);
  /// clCreateKernelsInProgram; kernels whose definition differs between devices are left out.
  static Result<std::vector<Ref<Kernel>>> createAll(Program &program);
  /// clCloneKernel
  Ref<Kernel> clone() const;
  ~Kernel() override;

  Program &program() const { return *program_; }
  Context &context() const { return program_->context(); }
  const std::string &name() const { return name_; }
  /// What does not differ between devices: arguments, names, attributes.
  const KernelInfo &info() const { return *info_; }
  /// Of one device; null when the program is not built for it.
  const KernelInfo *info(const DeviceObject &device) const;
  /// The build's row that holds for a device; null when the program is not built for it.
  const BuildState *state(const DeviceObject &device) const;
  /// Of one device; null likewise.
  DeviceKernel *on(const DeviceObject &device) const;
  /// Local memory of a group on the device: static, and by the arguments set so far.
  cl_ulong localBytes(const DeviceObject &device) const;
  /// Whether clGetKernelArgInfo may answer.
  bool argumentInfoAvailable() const;

  /// clSetKernelArg for arguments that are no handles: CL_INVALID_ARG_INDEX, CL_INVALID_ARG_SIZE, CL_INVALID_ARG_VALUE,
  /// CL_MAX_SIZE_RESTRICTION_EXCEEDED.
  /// For Global and Constant ones it takes the null pointer.
  Status setArg(cl_uint index, size_t size, const void *value);
  /// For Global and Constant arguments: the object, or null; for a Pipe or Image one the pipe or image.
  /// CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE, CL_INVALID_MEM_OBJECT, CL_MAX_SIZE_RESTRICTION_EXCEEDED.
  Status setArgMem(cl_uint index, MemObject *object);
  /// For Sampler arguments: CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE.
  Status setArgSampler(cl_uint index, const Sampler &sampler);
  /// For Queue arguments: CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE.
  Status setArgQueue(cl_uint index, DeviceQueue &queue);
  /// A pointer instead of an object. CL_INVALID_ARG_VALUE: the argument takes none, or, for an Svm one, it leads
  /// nowhere that a device of the context knows. A device's address may be any, but the argument must be a Global one,
  /// or it is CL_INVALID_ARG_INDEX.
  enum class PointerKind : uint8_t { None, Svm, Usm, DeviceAddress };
  Status setArgPointer(cl_uint index, PointerKind kind, uint64_t address);
  /// clSetKernelExecInfo
  Status setExecInfo(cl_kernel_exec_info name, size_t size, const void *value);
  /// How the argument's value is to be read: a cl_mem for Global, Constant, Image and Pipe.
  Result<ArgKind> argKind(cl_uint index) const;

  /// Everything that clEnqueueNDRangeKernel checks about kernel, arguments and sizes, for a queue on `device`.
  /// A null local size is chosen. A global size of zero is a launch of nothing.
  Result<KernelLaunch> prepare(const DeviceObject &device, const LaunchSizes &sizes);

private:
  struct Argument {
    bool set = false;
    MemObject *object = nullptr; // not held
    uint64_t localSize = 0;
    Ref<DeviceQueue> queue{};
    PointerKind pointer = PointerKind::None;
    uint64_t address = 0;
  };

  /// What a device reads, and what was worked out for launches on it.
  struct DeviceArguments {
    Ref<ArgumentBlock> block; // null before the first launch there
    bool current = false;     // what depends on the device is in it
    uint64_t localBytes = 0;
    // The last choice of a local size: choosing takes longer than a short launch.
    std::array<uint64_t, 3> chosenFor{}, chosen{1, 1, 1};
    std::array<uint64_t, 3> freeLocalSizeFor{}, freeLocalSize{1, 1, 1};

    /// Makes the block safe to write.
    std::byte *writable() {
      if (!block->unique())
        block = block->clone();
      return block->data;
    }
  };

  Kernel(Program &program, std::string name, std::shared_ptr<const ProgramBuild> build, const KernelInfo &info);
  /// The row of the build that holds for the device; -1 when there is no code for it.
  int deviceBuildIndex(const DeviceObject &device) const;

  /// Writes a value to the blocks of all devices.
  void putBytes(cl_uint index, const void *value, size_t size) KILN_REQUIRES(mutex_);
  /// Sets a checked argument.
  void put(cl_uint index, Argument argument) KILN_REQUIRES(mutex_);
  /// What an image or sampler is, for variants.
  void recordKnownArgument(cl_uint index, uint32_t value) KILN_REQUIRES(mutex_);
  /// Holds what pointers lead to. CL_INVALID_OPERATION: the device does not take such pointers.
  Status retainAllocations(const DeviceObject &device, const KernelInfo &info, KernelLaunch &launch)
      KILN_REQUIRES(mutex_);
  /// Of a kernel with images or samplers: what only a launch can tell, once for the arguments as they are.
  Status checkImages(const DeviceObject &device, const KernelInfo &info) KILN_REQUIRES(mutex_);
  /// Writes what depends on the device, and how much local memory a group has.
  Status bind(const DeviceObject &device, const KernelInfo &info, DeviceArguments &deviceArguments)
      KILN_REQUIRES(mutex_);
  /// Of a launch of a kernel that enqueues. CL_INVALID_DEVICE_QUEUE.
  Result<std::unique_ptr<LaunchRecords>> makeChildren(const DeviceObject &device, const BuildState &state)
      KILN_REQUIRES(mutex_);
  Result<std::array<uint64_t, 3>> localSizeFor(const DeviceObject &device, const BuildState &state,
                                               const KernelInfo &info, const Launch &launch, const size_t *given,
                                               DeviceArguments &deviceArguments) KILN_REQUIRES(mutex_);
  /// The groups that a launch gets whose kernel cannot see them.
  std::array<uint64_t, 3> chooseFreeLocalSize(const DeviceInfo &limits, const KernelInfo &info, const Launch &launch,
                                              DeviceArguments &deviceArguments) KILN_REQUIRES(mutex_);

  const Ref<Program> program_;
  const std::string name_;
  const std::shared_ptr<const ProgramBuild> build_; // what it was created from; a later build does not change it
  const KernelInfo *const info_;                    // of the first device that has it
  const bool hasImages_;                            // or samplers, among its arguments
  std::vector<DeviceKernel *> deviceKernels_;       // by the device's place in the program; null where there is none

  mutable Mutex mutex_;
  std::vector<Argument> arguments_ KILN_GUARDED_BY(mutex_);
  std::vector<DeviceArguments>
      deviceArguments_ KILN_GUARDED_BY(mutex_); // by the device's place in the program; one at least has a block
  unsigned unset_ KILN_GUARDED_BY(mutex_) = 0;
  unsigned pointers_ KILN_GUARDED_BY(mutex_) = 0; // arguments that are pointers
  ExecInfo execInfo_ KILN_GUARDED_BY(mutex_);
  std::vector<protocol::KnownArgument> known_ KILN_GUARDED_BY(mutex_); // what images and samplers among them are
};

} // namespace kiln
