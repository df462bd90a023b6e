// LLVM dialect -> LLVM IR -> optimised LLVM IR -> object code or assembly.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace llvm {
class PassBuilder;
}

namespace kiln {

/// Null, with a diagnostic, when the module holds something that LLVM IR has no word for.
std::unique_ptr<llvm::Module> translateToLlvm(mlir::ModuleOp module, llvm::LLVMContext &context);

/// How much work LLVM puts into code.
enum class Effort {
  None,    // no more than code generation needs (-cl-opt-disable)
  Quick,   // for code that better code will replace
  Full,
};
/// `extend` may add to the pipeline, where LLVM lets one.
void optimise(llvm::Module &module, llvm::TargetMachine &machine, Effort effort,
              llvm::function_ref<void(llvm::PassBuilder &)> extend = {});

/// The machine's code for the module, which it changes.
llvm::SmallVector<char, 0> emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                                Effort effort = Effort::Full);

} // namespace kiln
