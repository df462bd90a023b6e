// The interface of a code generator: passes, the kernel plan, and the conversion of LLVM IR to the file that its driver
// loads. Implementations are in backends/cpu, cuda and hip, their list in backends/kilnc/compiler/Targets.cpp.
#pragma once
#include "backends/llvm/Emit.h"
#include "base/abi/ProgramInfo.h"
#include "dialects/ocl/KernelPlan.h"
#include "dialects/ocl/Target.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class PassBuilder;
}

namespace kiln {

struct PassReports; // passes/Pipelines.h

/// Build options that apply to a whole module.
struct CodeOptions {
  bool correctlyRounded = false;                          // -cl-fp32-correctly-rounded-divide-sqrt
  bool denormalsAreZero = false;                          // -cl-denorms-are-zero
  llvm::PassInstrumentationCallbacks *observer = nullptr; // called for each pass of LLVM
};

/// A kernel's entry point in LLVM IR and its optimisation effort.
struct EntryCode {
  std::string name;
  Effort effort = Effort::Full;
};

/// Code that an assembler converts to machine code.
struct AssemblerInput {
  std::string library;           // its path, or a name that the loader searches
  unsigned major = 0, minor = 0; // the version that the library must have; 0.0: any
  llvm::StringRef code;
  bool forLargestGroups = false; // the functions' registers have room for the device's largest groups
};

struct Assembly {
  std::vector<uint8_t> machineCode{}; // empty with `error` set
  std::string error{}, messages{};    // the assembler's messages may be there in any case
  bool hasAssembler = true;           // false: the library cannot be used
};

/// A command-line option of LLVM that has no API.
struct LlvmOption {
  llvm::StringRef name;
  std::string value;
};

/// A pass of a target. LLVM's code generator runs it after the pass `after`.
struct InsertedPass {
  llvm::AnalysisID after;
  llvm::Pass *added; // the pass manager deletes it
};

/// The values of the kernel plan that passes recorded on a lowered kernel.
class RecordedPlan {
public:
  explicit RecordedPlan(mlir::LLVM::LLVMFuncOp kernel) : kernel_(kernel) {}
  mlir::LLVM::LLVMFuncOp kernel() const { return kernel_; }
  /// Returns the value of a name in dialects/ocl/KernelPlan.h. Emits an error if the kernel has none.
  uint64_t operator[](llvm::StringRef name);
  /// Fails if a value was missing.
  llvm::LogicalResult result() const { return result_; }

private:
  mlir::LLVM::LLVMFuncOp kernel_;
  llvm::LogicalResult result_ = llvm::success();
};

class Target {
public:
  explicit Target(std::unique_ptr<llvm::TargetMachine> machine) : machine_(std::move(machine)) {}
  virtual ~Target() = default;
  llvm::TargetMachine &machine() const { return *machine_; }

  /// Describes the target for passes, which read it from the module (dialects/ocl/OclTarget.td).
  virtual ocl::TargetAttr describe(mlir::MLIRContext &context) const = 0;

  /// The sub-group sizes that a kernel may require.
  virtual std::vector<uint64_t> subGroupSizes() const = 0;

  // ---- passes of each stage ----------------------------------------------------------------------------------------

  /// Adds the passes on `ocl`: inlining, except of functions that ocl-keep-calls keeps, and promotion of variables.
  /// extractKernelInfo reads the result.
  virtual void addCommonPasses(mlir::OpPassManager &passes, const PassReports &reports) const = 0;
  /// Returns true if kernels may have asm statements.
  virtual bool hasAssembly() const { return false; }
  /// Returns true if the target uses the wg dialect.
  virtual bool hasWorkGroupStage() const { return false; }
  /// Adds passes that lower `ocl` to `wg`; called only if hasWorkGroupStage().
  virtual void addWorkGroupPasses(mlir::OpPassManager &passes, const PassReports &reports) const {}
  /// Adds passes that lower to the LLVM dialect: from `wg` if hasWorkGroupStage(), else from `ocl`.
  virtual void addLoweringPasses(mlir::OpPassManager &passes, const PassReports &reports) const = 0;

  /// Completes a kernel's plan from the values that passes recorded on the lowered kernel. A missing one is an error,
  /// which `values` reports.
  virtual void completePlan(KernelInfo &info, RecordedPlan &values) const = 0;

  // ---- LLVM IR -----------------------------------------------------------------------------------------------------

  /// Prepares a module for optimisation: links libraries and sets attributes. Returns false with `error` set.
  virtual bool prepare(llvm::Module &module, const CodeOptions &options, std::string &error) const = 0;
  /// Optimises a prepared module.
  virtual void optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const {
    kiln::optimise(module, *this, effort, options.observer);
  }
  /// Returns true if finish() compiles each kernel with its effort; false: all with the least effort of any.
  virtual bool hasEffortPerKernel() const { return false; }
  /// Returns the effort for a module that is compiled as a whole.
  static Effort leastEffort(llvm::ArrayRef<EntryCode> entries) {
    Effort least = Effort::Full;
    for (const EntryCode &entry : entries)
      least = std::min(least, entry.effort);
    return least;
  }
  /// The file name of the assembly in a dump.
  virtual llvm::StringRef assemblyFile() const { return "5.s"; }
  /// Returns true if the target emits object files.
  virtual bool hasObjects() const { return true; }
  /// Compiles a prepared module to the file that the driver loads. May destroy the module. Empty with `error` set.
  virtual std::vector<uint8_t> finish(llvm::Module &module, llvm::ArrayRef<EntryCode> entries,
                                      const CodeOptions &options, std::string &error) const = 0;

  // ---- what the target adds to kiln::optimise and emit -------------------------------------------------------------

  /// Adds passes at the extension points of LLVM's pipeline.
  virtual void extendPipeline(llvm::PassBuilder &) const {}
  /// Returns LLVM's options for this module and effort; they are set while it is optimised, and while its code is
  /// generated.
  virtual std::vector<LlvmOption> llvmOptions(const llvm::Module &, Effort) const { return {}; }
  /// Changes an optimised module before the code generator runs.
  virtual void prepareCodeGeneration(llvm::Module &, Effort) const {}
  /// Creates the target's passes for LLVM's code generator.
  virtual llvm::SmallVector<InsertedPass> codeGeneratorPasses() const { return {}; }
  /// Changes the text of the code generator.
  virtual void finishAssembly(llvm::SmallVectorImpl<char> &) const {}

  // ---- code --------------------------------------------------------------------------------------------------------

  /// Converts code of finish() to machine code by the library of an assembler. Only for drivers that take code which
  /// is not machine code.
  virtual Assembly assemble(const AssemblerInput &) const { return {.error = "the target's code is machine code"}; }

private:
  std::unique_ptr<llvm::TargetMachine> machine_;
};

/// Creates a target machine; returns null, with `error` set, if LLVM does not support the triple or the processor.
std::unique_ptr<llvm::TargetMachine> createMachine(llvm::StringRef triple, llvm::StringRef processor,
                                                   llvm::StringRef features, llvm::Reloc::Model relocation,
                                                   std::string &error);

/// Sets the processor and features of all functions or of one to the machine's, so that inlining is allowed among them.
void setProcessor(llvm::Module &module, const llvm::TargetMachine &machine);
void setProcessor(llvm::Function &function, const llvm::TargetMachine &machine);

} // namespace kiln
