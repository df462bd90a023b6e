// Translates the LLVM dialect to LLVM IR, optimises it, and emits object code or assembly.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace llvm {
class PassBuilder;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace kiln {

/// Returns null, with a diagnostic, if the module has an operation without a translation to LLVM IR.
std::unique_ptr<llvm::Module> translateToLlvm(mlir::ModuleOp module, llvm::LLVMContext &context);

/// The optimisation effort of LLVM.
enum class Effort {
  None,  // only passes that code generation needs (-cl-opt-disable)
  Quick, // for code that a specialised variant will replace
  Full,
};
/// `extend` may register callbacks at the pipeline's extension points; `observer`, if not null, is called for each
/// pass.
void optimise(llvm::Module &module, llvm::TargetMachine &machine, Effort effort,
              llvm::function_ref<void(llvm::PassBuilder &)> extend = {},
              llvm::PassInstrumentationCallbacks *observer = nullptr);

/// Returns object code or assembly for the module. Modifies the module.
llvm::SmallVector<char, 0> emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                                Effort effort = Effort::Full);

} // namespace kiln
