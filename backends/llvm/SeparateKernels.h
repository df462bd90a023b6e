// Divides a module by its kernels.
#pragma once
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kiln {

/// The functions with a body, and the variables, that a function reaches by calls and operands; also itself.
llvm::DenseSet<const llvm::GlobalValue *> reachedFrom(const llvm::Function &function);

/// The number of instructions in all functions of `reached`.
unsigned instructionsOf(const llvm::DenseSet<const llvm::GlobalValue *> &reached);

/// Returns a module with these kernels of `module` and all that they reach.
std::unique_ptr<llvm::Module> separate(const llvm::Module &module, llvm::ArrayRef<llvm::StringRef> kernels);

/// Converts a module to bitcode and back. Reading returns null with `error` set for bytes that are no module of this
/// version of LLVM.
std::vector<uint8_t> toBitcode(const llvm::Module &module);
std::unique_ptr<llvm::Module> fromBitcode(llvm::ArrayRef<uint8_t> bytes, llvm::LLVMContext &context,
                                          std::string &error);

} // namespace kiln
