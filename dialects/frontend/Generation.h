// The two generations of Clang and the SPIRV-LLVM-Translator that kiln-clc is built from: LLVM 15, whose pointers have
// element types, and LLVM 19, whose pointers are opaque. The only code of this folder that depends on the version.
#pragma once
#include "dialects/spirv/Words.h"
#include <LLVMSPIRVLib.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
class DiagnosticOptions;
class LangOptions;
} // namespace clang

namespace kiln::frontend {

/// StringRef's own function has another name in each generation.
inline bool startsWith(llvm::StringRef text, llvm::StringRef prefix) {
  return text.take_front(prefix.size()) == prefix;
}

/// Clang's arguments that only one generation takes.
const std::vector<std::string> &argumentsOfGeneration();
/// Chooses the form of messages that both generations know.
void chooseMessages(clang::DiagnosticOptions &options);
/// Makes the context's pointers those of the generation.
void choosePointers(llvm::LLVMContext &context);
const clang::LangOptions &languageOf(const clang::CompilerInvocation &invocation);

/// "sampler_t", "queue_t", "clk_event_t", "reserve_id_t" and so on: what OpenCL C calls a type whose values SPIR-V has
/// and LLVM has not. Empty for other types.
std::string handleName(const llvm::Type &type);
/// Returns true if the constant is a number that was cast to a handle.
bool isNumberAsHandle(const llvm::Constant &constant);

/// The pointer type in another address space; same element type, if it has one.
llvm::PointerType *inAddressSpace(llvm::Type *pointer, unsigned space);

/// Brings the module into the form that the generation's translator takes, before all other rewrites.
void prepareForTranslator(llvm::Module &module);
/// Runs those of Rewrites.h that only this generation's translator needs.
void rewriteForTranslator(llvm::Module &module);
/// Allows the extensions that only this generation's translator can use.
void allowMore(SPIRV::TranslatorOpts::ExtensionsStatusMap &extensions);
/// Repairs what the generation's translator gets wrong.
spirv::Words repaired(const spirv::Words &words);

/// Replaces the expression, an operand of the instruction, by instructions before it.
void expandOperand(llvm::Instruction &ins, llvm::ConstantExpr &expression);

} // namespace kiln::frontend
