// One kind of processor, as the compiler drives it: which passes lead to it, what it adds to a kernel's plan, and how
// LLVM IR becomes the bytes that its driver loads. Each has its folder: backends/cpu, cuda and hip. The list of them is
// backends/kilnc/compiler/Targets.cpp.
#pragma once
#include "backends/llvm/Emit.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/compiler/ProgramInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace kiln {

/// A form of a kernel beside the generic one.
struct TargetVariant {
  std::array<uint64_t, 3> localSize{}; // zero: any
  std::string suffix;                  // of the entry points' names
  bool vectorize = true;         // false with -cl-opt-disable, so that a debugger can step through one work-item
  bool report = false;           // emit remarks of the vectoriser
  unsigned vectorWidth = 0;      // 32-bit elements per machine vector; 0: the machine's
  bool checkAssumptions = false; // vector code compares what it derives with what each work-item computes
};

/// What the build options say about the code of a whole module.
struct CodeOptions {
  bool correctlyRounded = false; // -cl-fp32-correctly-rounded-divide-sqrt
  bool denormalsAreZero = false; // -cl-denorms-are-zero
};

/// A kernel's entry point in LLVM IR, and how much work it deserves.
struct EntryCode {
  std::string name;
  Effort effort = Effort::Full;
};

class Target {
public:
  explicit Target(std::unique_ptr<llvm::TargetMachine> machine) : machine_(std::move(machine)) {}
  virtual ~Target() = default;
  llvm::TargetMachine &machine() const { return *machine_; }

  /// The sizes of sub-groups that a kernel may require.
  virtual std::vector<uint64_t> subGroupSizes() const = 0;

  // ---- passes, a stage each ----------------------------------------------------------------------------------------

  /// To kernels that are one function each: the form that facts about them are read from.
  virtual void addCommonPasses(mlir::OpPassManager &passes) const = 0;
  /// Does the target have a stage of work-groups on a core, and which passes lead to it.
  virtual bool hasGroups() const { return false; }
  virtual void addWorkGroupPasses(mlir::OpPassManager &passes) const {}
  /// To the LLVM dialect.
  virtual void addLoweringPasses(mlir::OpPassManager &passes, const TargetVariant &variant) const = 0;

  /// Completes a plan from the lowered kernel.
  virtual void completePlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function) const = 0;

  // ---- from LLVM IR on ---------------------------------------------------------------------------------------------

  /// Before it is optimised: what the module calls is brought in, functions get their attributes. False with a
  /// sentence.
  virtual bool prepare(llvm::Module &module, const CodeOptions &options, std::string &error) const = 0;
  /// What lies between that and the code generator.
  virtual void optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const {
    kiln::optimise(module, machine(), effort);
  }
  /// The name of the dump of its assembly.
  virtual llvm::StringRef assemblyFile() const { return "5.s"; }
  /// Can its assembler be reached from here.
  virtual bool hasObjects() const { return true; }
  /// From a prepared module, which may be taken apart, to what the driver loads. Empty with a sentence.
  virtual std::vector<uint8_t> finish(llvm::Module &module, llvm::ArrayRef<EntryCode> entries,
                                      const CodeOptions &options, std::string &error) const = 0;

private:
  std::unique_ptr<llvm::TargetMachine> machine_;
};

/// A machine for a processor of a target that this LLVM has; null with a sentence.
std::unique_ptr<llvm::TargetMachine> createMachine(llvm::StringRef triple, llvm::StringRef processor,
                                                   llvm::StringRef features, llvm::Reloc::Model relocation,
                                                   std::string &error);

/// Sets an option of LLVM's that has no other handle; without a value, to what it usually is. lld resets all of them
/// when it links.
void setOption(llvm::StringRef option, llvm::StringRef value = {});

/// Every function, or one, gets the machine's processor and features, so that inlining crosses no border between two.
void setProcessor(llvm::Module &module, const llvm::TargetMachine &machine);
void setProcessor(llvm::Function &function, const llvm::TargetMachine &machine);

/// A number that the passes left on a lowered kernel for its plan; 0 where they did not.
uint64_t plannedNumber(mlir::LLVM::LLVMFuncOp function, llvm::StringRef name);

} // namespace kiln
