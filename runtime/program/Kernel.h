// A kernel: one function of a program and the arguments of its next launch.
//
// The arguments are stored as the block that the code reads, one per device that the kernel was launched on, because
// addresses differ. A launch shares the block with the kernel. Setting an argument while a launch holds the block
// copies it first, so a launch with unchanged arguments costs one reference, on alternating devices too. Memory objects
// are held by launches, not by the kernel, as OpenCL requires.
#pragma once
#include "base/support/FreeList.h"
#include "runtime/memory/Buffer.h"
#include "runtime/program/ExecInfo.h"
#include "runtime/program/HostLaunch.h"
#include "runtime/program/LocalSize.h"
#include "runtime/program/Program.h"
#include <array>

namespace kiln {

class Sampler;

class Kernel final : public _cl_kernel, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Kernel;
  /// clCreateKernel: CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION.
  static Result<Ref<Kernel>> create(Program &program, const std::string &name);
  /// clCreateKernelsInProgram. Skips kernels whose definition differs between devices.
  static Result<std::vector<Ref<Kernel>>> createAll(Program &program);
  /// clCloneKernel
  Ref<Kernel> clone() const;
  ~Kernel() override;

  Program &program() const { return *program_; }
  Context &context() const { return program_->context(); }
  const std::string &name() const { return name_; }
  /// Properties that are the same on all devices: arguments, names, attributes.
  const KernelInfo &info() const { return *info_; }
  /// Properties on one device; null if the program is not built for it.
  const KernelInfo *info(const DeviceObject &device) const;
  /// The device build that applies to the device; null if the program is not built for it.
  const BuildState *state(const DeviceObject &device) const;
  /// The kernel on one device; null if the program is not built for it.
  DeviceKernel *on(const DeviceObject &device) const;
  /// Local memory of a work-group on the device: static variables and the arguments set so far.
  cl_ulong localBytes(const DeviceObject &device) const;
  /// Returns true if clGetKernelArgInfo is supported for this build.
  bool argumentInfoAvailable() const;

  /// clSetKernelArg for arguments that are not handles: CL_INVALID_ARG_INDEX, CL_INVALID_ARG_SIZE,
  /// CL_INVALID_ARG_VALUE, CL_MAX_SIZE_RESTRICTION_EXCEEDED. For Global and Constant arguments it accepts only null.
  Status setArg(cl_uint index, size_t size, const void *value);
  /// Sets Global and Constant arguments (a buffer or null) and Pipe and Image arguments. CL_INVALID_ARG_INDEX,
  /// CL_INVALID_ARG_VALUE, CL_INVALID_MEM_OBJECT, CL_MAX_SIZE_RESTRICTION_EXCEEDED.
  Status setArgMem(cl_uint index, MemObject *object);
  /// Sets Sampler arguments: CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE.
  Status setArgSampler(cl_uint index, const Sampler &sampler);
  /// Sets Queue arguments; `address` is what kernels see of the DeviceQueue. CL_INVALID_ARG_INDEX,
  /// CL_INVALID_ARG_VALUE.
  Status setArgQueue(cl_uint index, Object &queue, uint64_t address);
  /// Sets a pointer. CL_INVALID_ARG_VALUE if the argument is not a pointer, or an Svm pointer is outside every
  /// allocation and no device of the context has system SVM. A DeviceAddress may have any value, but the argument must
  /// be Global, else CL_INVALID_ARG_INDEX.
  enum class PointerKind : uint8_t { None, Svm, Usm, DeviceAddress };
  Status setArgPointer(cl_uint index, PointerKind kind, uint64_t address);
  /// clSetKernelExecInfo
  Status setExecInfo(cl_kernel_exec_info name, size_t size, const void *value);
  /// The kind of the argument. The value is a cl_mem for Global, Constant, Image and Pipe.
  Result<ArgKind> argKind(cl_uint index) const;

  /// Checks kernel, arguments and sizes as clEnqueueNDRangeKernel does, for a queue on `device`. Chooses the local size
  /// if it is null. A global size of 0 gives a launch without work-items.
  Result<HostLaunch> prepare(const DeviceObject &device, const LaunchSizes &sizes);

private:
  struct Argument {
    bool set = false;
    MemObject *object = nullptr; // no reference
    uint64_t localSize = 0;
    Ref<Object> queue{}; // a DeviceQueue
    PointerKind pointer = PointerKind::None;
    uint64_t address = 0;
  };

  /// A device's argument block, and values computed for launches on it.
  struct DeviceArguments {
    Ref<ArgumentBlock> block; // null before the first launch on the device
    bool current = false;     // the device-dependent values in it are current
    uint64_t localBytes = 0;
    bool areDistinct = false; // Launch::distinctArguments
    ChosenLocalSizes localSizes;

    /// Copies the block if a launch shares it. Returns its bytes.
    std::byte *writable() {
      if (!block->unique())
        block = block->clone();
      return block->data;
    }
  };

  Kernel(Program &program, std::string name, std::shared_ptr<const ProgramBuild> build, const KernelInfo &info);
  /// The index of the device build that applies to the device; -1 without code for it.
  int deviceBuildIndex(const DeviceObject &device) const;

  /// Writes a value to the blocks of all devices.
  void putBytes(cl_uint index, const void *value, size_t size) KILN_REQUIRES(mutex_);
  /// Sets a checked argument.
  void put(cl_uint index, Argument argument) KILN_REQUIRES(mutex_);
  /// Records an image's format or a sampler, for specialised variants.
  void recordKnownArgument(cl_uint index, uint32_t value) KILN_REQUIRES(mutex_);
  /// Adds references to the allocations and buffers that pointers lead to. CL_INVALID_OPERATION if the device does not
  /// support such pointers.
  Status retainAllocations(const DeviceObject &device, const KernelInfo &info, HostLaunch &launch)
      KILN_REQUIRES(mutex_);
  /// Checks image and sampler arguments. Called once per change of arguments.
  Status checkImages(const DeviceObject &device, const KernelInfo &info) KILN_REQUIRES(mutex_);
  /// Writes the device-dependent values, and computes the local memory of a group.
  Status bind(const DeviceObject &device, const KernelInfo &info, DeviceArguments &deviceArguments)
      KILN_REQUIRES(mutex_);
  /// Returns `known_` with the flags of images that have a texture object on the device. After `bind`.
  std::vector<protocol::KnownArgument> knownOn(const KernelInfo &info, const DeviceArguments &deviceArguments) const
      KILN_REQUIRES(mutex_);
  /// For a kernel that enqueues.
  std::unique_ptr<EnqueueArguments> enqueueArguments(const BuildState &state) KILN_REQUIRES(mutex_);

  const Ref<Program> program_;
  const std::string name_;
  const std::shared_ptr<const ProgramBuild> build_; // the build that it was created from; later builds do not change it
  const KernelInfo *const info_;                    // of the first device that has the kernel
  const bool hasImages_;                            // has image or sampler arguments
  std::vector<DeviceKernel *> deviceKernels_;       // by the device's index in the program; null without code

  mutable Mutex mutex_;
  std::vector<Argument> arguments_ KILN_GUARDED_BY(mutex_);
  std::vector<DeviceArguments>
      deviceArguments_ KILN_GUARDED_BY(mutex_); // by the device's index in the program; at least one has a block
  unsigned unset_ KILN_GUARDED_BY(mutex_) = 0;
  unsigned pointers_ KILN_GUARDED_BY(mutex_) = 0; // number of pointer arguments
  ExecInfo execInfo_ KILN_GUARDED_BY(mutex_);
  std::vector<protocol::KnownArgument> known_ KILN_GUARDED_BY(mutex_); // formats of image arguments, and samplers
};

} // namespace kiln
