// A kernel: one function of a program and the arguments that its next launch gets.
//
// The arguments are kept as the block that the code reads (KernelAbi.h). A launch shares the block with the kernel;
// setting an argument while a launch still holds it makes a copy first, so that launches with unchanged arguments
// cost a reference. Buffers are not held by the kernel, as OpenCL wants it, but by each launch.
#pragma once
#include "runtime/memory/Buffer.h"
#include "runtime/program/Program.h"
#include <array>

namespace kiln {

/// An argument block that launches share.
class ArgumentBlock {
public:
  explicit ArgumentBlock(size_t bytes) : bytes(bytes) {}
  void hold() { count_.fetch_add(1, std::memory_order_relaxed); }
  void drop() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }
  bool unique() const { return count_.load(std::memory_order_acquire) == 1; }
  std::vector<std::byte> bytes;

private:
  std::atomic<uint32_t> count_{0};
};

/// A launch as Kernel::prepare made it: checked, and with everything it needs kept alive.
struct KernelLaunch {
  Ref<Kernel> kernel;
  std::shared_ptr<const DeviceProgram> program; // keeps the code
  std::shared_ptr<Code> variant;                // keeps a specialised one
  Ref<ArgumentBlock> arguments;
  std::vector<Ref<MemObject>> objects;
  Launch launch;
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
  const KernelInfo &info() const;
  /// Of one device; null when the program is not built for it.
  const KernelInfo *info(const DeviceObject &device) const;
  /// Local memory of a group on the device: static, and by the arguments set so far.
  cl_ulong localBytes(const DeviceObject &device) const;

  /// clSetKernelArg with all its rules but the ones that need a handle looked at.
  Status setArg(cl_uint index, size_t size, const void *value);
  /// For Global and Constant arguments: the object, or null. CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE.
  Status setArgMem(cl_uint index, MemObject *object);
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
  };
  struct Variant;

  Kernel(Program &program, std::string name, std::shared_ptr<const ProgramBuild> build);
  Result<Ref<ArgumentBlock>> blockFor(const DeviceObject &device, const KernelInfo &info, uint64_t &localBytes,
                                      std::vector<Ref<MemObject>> &objects) KILN_REQUIRES(mutex_);

  const Ref<Program> program_;
  const std::string name_;
  const std::shared_ptr<const ProgramBuild> build_; // what it was created from; a later build does not change it
  mutable Mutex mutex_;
  std::vector<Argument> arguments_ KILN_GUARDED_BY(mutex_);
  Ref<ArgumentBlock> block_ KILN_GUARDED_BY(mutex_);
  const DeviceObject *blockDevice_ KILN_GUARDED_BY(mutex_) = nullptr; // whose addresses stand in the block
};

} // namespace kiln
