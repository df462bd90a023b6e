// Translates the LLVM dialect to LLVM IR, optimises it, and emits object code or assembly.
#pragma once
#include "base/protocol/Effort.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include <memory>

namespace llvm {
class PassInstrumentationCallbacks;
} // namespace llvm

namespace kiln {

class Target;

/// Returns null, with a diagnostic, if the module has an operation without a translation to LLVM IR.
std::unique_ptr<llvm::Module> translateToLlvm(mlir::ModuleOp module, llvm::LLVMContext &context);

/// Runs LLVM's pipeline with the target's passes and options. `observer`, if not null, is called for each pass.
void optimise(llvm::Module &module, const Target &target, Effort effort,
              llvm::PassInstrumentationCallbacks *observer = nullptr);

/// Returns object code or assembly for the module. Modifies the module.
llvm::SmallVector<char, 0> emit(llvm::Module &module, const Target &target, llvm::CodeGenFileType type,
                                Effort effort = Effort::Full);

/// Returns true if the function has many instructions or blocks. LLVM's passes that take more than linear time skip
/// large functions.
bool isLarge(const llvm::Function &function);
/// Returns true if a function of the module is large.
bool hasLargeFunction(const llvm::Module &module);

/// For functions with more blocks, the code generator skips parts that take O(n^2), n being the number of blocks.
inline constexpr unsigned MaxBlocks = 600;

} // namespace kiln
