// A program's code on one device, and the variants of its kernels that are made for what launches have in common.
//
// The generic variant of a kernel runs any local size, and images of any format. Where the plan says that a fixed size
// would be worth it, or the kernel is given images, the second launch of a kind asks for a variant, which is compiled
// in the background; launches take it when it is there. One that fails is not asked for again, and the generic one goes
// on running.
#pragma once
#include "runtime/compiler/Compiler.h"
#include "runtime/platform/Platform.h"
#include "runtime/program/Printf.h"
#include "runtime/program/ScalarForm.h"
#include "runtime/program/VariableBlock.h"
#include "runtime/support/Mutex.h"
#include <map>

namespace kiln {

class DeviceProgram;
class InitFiniKernels;
class ReleaseCallbacks;

/// One kernel of a program on a device.
class DeviceKernel {
public:
  DeviceKernel(const KernelInfo &info, Function *generic);

  const KernelInfo &info;
  Function *const generic;

  /// The function for launches with this local size, if all their groups are whole, which are given these images'
  /// formats and samplers. What keeps its code alive is put in `code` when that is not the program itself.
  Function *functionFor(const std::shared_ptr<const DeviceProgram> &program, const std::array<uint64_t, 3> &localSize,
                        bool whole, const std::vector<protocol::KnownArgument> &known,
                        std::shared_ptr<void> &code) noexcept KILN_EXCLUDES(mutex_);

  /// Which form of the kernel a function is: "generic", or what a variant is made for.
  std::string formOf(const Function *function) KILN_EXCLUDES(mutex_);

private:
  struct Variant {
    protocol::Specialisation kind;
    unsigned launches = 0;
    bool requested = false;
    Function *function = nullptr; // when it is ready
    std::shared_ptr<void> code;
  };
  /// False when nobody will build it.
  bool request(std::shared_ptr<const DeviceProgram> program, const protocol::Specialisation &kind);

  Mutex mutex_;
  std::vector<Variant> variants_ KILN_GUARDED_BY(mutex_);
};

/// Does not change once made; kernels and launches hold it. When nobody does any more its finalizers run, and then it
/// ends.
class DeviceProgram {
public:
  /// `request` is what the code was built from: variants are built from the same. `log` gets the driver's words.
  /// `callbacks` are held until the end.
  static Result<std::shared_ptr<const DeviceProgram>> load(DeviceObject &device, CodeResult built,
                                                           protocol::BuildRequest request,
                                                           std::shared_ptr<ReleaseCallbacks> callbacks,
                                                           std::string &log);
  ~DeviceProgram();

  const ProgramInfo &info() const { return built_.info; }
  /// The code for a program binary, as Compiler::seal gives it. The same bytes every time, for an application asks for
  /// their size first.
  const wire::Bytes &sealed() const KILN_EXCLUDES(mutex_);
  /// Null when the program has no such kernel.
  DeviceKernel *kernel(const std::string &name) const;
  /// Those that kernels enqueue, by their numbers.
  const std::vector<std::unique_ptr<DeviceKernel>> &blocks() const { return blocks_; }
  DeviceKernel *block(size_t number) const { return number < blocks_.size() ? blocks_[number].get() : nullptr; }
  /// Where its variables lie on the device; 0 without any.
  uint64_t variables() const { return variables_.address(); }
  /// Null when there is nothing that the runtime launches by itself.
  InitFiniKernels *initFiniKernels() const { return initFiniKernels_.get(); }
  PrintfPool &printfPool() const { return printfPool_; }
  Device &device() const { return device_->device(); }
  /// The same program in the scalar form, compiled by the first call, which waits for the compiler. Null if there is
  /// none, with the reason in `why`.
  const ScalarForm *scalarForm(std::string &why) const KILN_EXCLUDES(scalarMutex_);

private:
  friend class DeviceKernel;
  DeviceProgram(DeviceObject &device, CodeResult built, protocol::BuildRequest request,
                std::shared_ptr<ReleaseCallbacks> callbacks);
  /// The functions of all kernels in the loaded code.
  Status findFunctions();

  const std::shared_ptr<ReleaseCallbacks> callbacks_; // the last to go
  const Ref<DeviceObject> device_;                    // a variant may be made when the program's context is gone
  const CodeResult built_;                            // its file outlives the code that was loaded from it
  const protocol::BuildRequest request_;
  VariableBlock variables_;
  mutable PrintfPool printfPool_;
  std::unique_ptr<Code> code_;
  std::map<std::string, std::unique_ptr<DeviceKernel>> kernels_;
  std::vector<std::unique_ptr<DeviceKernel>> blocks_;
  std::unique_ptr<InitFiniKernels> initFiniKernels_;
  mutable Mutex scalarMutex_;
  mutable std::optional<Result<std::unique_ptr<ScalarForm>>> scalarForm_ KILN_GUARDED_BY(scalarMutex_);
  mutable Mutex mutex_;
  mutable std::optional<wire::Bytes> sealed_ KILN_GUARDED_BY(mutex_); // when somebody has asked
};

} // namespace kiln
