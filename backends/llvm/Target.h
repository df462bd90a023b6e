// One kind of processor, as the compiler drives it: which passes lead to it, what it adds to a kernel's plan, and how LLVM
// IR becomes the bytes that its driver loads. Each has its folder: backends/cpu, cuda and hip. The list of them is
// backends/kilnc/compiler/Targets.cpp.
#pragma once
#include "backends/llvm/Emit.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/compiler/ProgramInfo.h"
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kiln {

/// A form of a kernel beside the generic one.
struct TargetVariant {
  std::array<uint64_t, 3> localSize{}; // zero: any
  std::string suffix;                  // of the entry points' names
};

/// What the build options say about the code of a whole module.
struct CodeOptions {
  Effort effort = Effort::Full;
  std::set<std::string> stopgaps; // kernels (their entries) that are worth Effort::Stopgap at most
  bool correctlyRounded = false;  // -cl-fp32-correctly-rounded-divide-sqrt
  bool denormalsAreZero = false;  // -cl-denorms-are-zero
};

class Target {
public:
  explicit Target(std::unique_ptr<llvm::TargetMachine> machine) : machine_(std::move(machine)) {}
  virtual ~Target() = default;
  llvm::TargetMachine &machine() const { return *machine_; }

  // ---- passes, a stage each ----------------------------------------------------------------------------------------

  /// To kernels that are one function each: the form that facts about them are read from.
  virtual void addCommonPasses(mlir::OpPassManager &passes) const = 0;
  /// Does the target have a stage of work-groups on a core, and which passes lead to it.
  virtual bool hasGroups() const { return false; }
  virtual void addGroupPasses(mlir::OpPassManager &passes) const {}
  /// To the LLVM dialect.
  virtual void addLoweringPasses(mlir::OpPassManager &passes, const TargetVariant &variant) const = 0;

  /// Completes a plan from the lowered kernel.
  virtual void completePlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function) const = 0;

  // ---- from LLVM IR on ---------------------------------------------------------------------------------------------

  /// Before it is optimised: what the module calls is brought in, functions get their attributes. False with a sentence.
  virtual bool prepare(llvm::Module &module, const CodeOptions &options, std::string &error) const = 0;
  /// Behind the optimiser.
  virtual void polish(llvm::Module &module, const CodeOptions &options) const {}
  /// The name of the dump of its assembly.
  virtual llvm::StringRef assemblyFile() const { return "5.s"; }
  /// Can its assembler be reached from here.
  virtual bool hasObjects() const { return true; }
  /// What the driver loads. Empty with a sentence.
  virtual std::vector<uint8_t> finish(llvm::Module &module, std::string &error) const = 0;
  /// Optimises, polishes and finishes in one go, kernels apart where that is faster.
  virtual std::vector<uint8_t> compile(llvm::Module &module, llvm::ArrayRef<std::string> entries,
                                       const CodeOptions &options, std::string &error) const;

private:
  std::unique_ptr<llvm::TargetMachine> machine_;
};

/// A machine for a processor of a target that this LLVM has; null with a sentence.
std::unique_ptr<llvm::TargetMachine> createMachine(llvm::StringRef triple, llvm::StringRef processor,
                                                   llvm::StringRef features, llvm::Reloc::Model relocation,
                                                   std::string &error);

/// Every function gets the machine's processor and features, so that inlining crosses no border between two.
void setProcessor(llvm::Module &module, const llvm::TargetMachine &machine);

/// A number that the passes left on a lowered kernel for its plan; 0 where they did not.
uint64_t plannedNumber(mlir::LLVM::LLVMFuncOp function, llvm::StringRef name);

} // namespace kiln
