// The versions of Clang and the SPIRV-LLVM-Translator that kiln-clc supports: LLVM 15, whose pointers have element
// types, and LLVM 19, 21 and 22, whose pointers are opaque. The only code of this folder that depends on the version.
#pragma once
#include "base/spirv/Words.h"
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

/// StringRef's function has another name in LLVM 15 than in later versions.
inline bool startsWith(llvm::StringRef text, llvm::StringRef prefix) {
  return text.take_front(prefix.size()) == prefix;
}

/// Returns the Clang arguments that only this version accepts.
const std::vector<std::string> &argumentsOfGeneration();
/// Selects the message format that all versions support.
void chooseMessages(clang::DiagnosticOptions &options);
/// Selects typed or opaque pointers in the context.
void choosePointers(llvm::LLVMContext &context);
const clang::LangOptions &languageOf(const clang::CompilerInvocation &invocation);

/// Returns the OpenCL C name of a type that exists in SPIR-V and not in LLVM: "sampler_t", "queue_t", "clk_event_t",
/// "reserve_id_t" and so on. Empty for other types.
std::string handleName(const llvm::Type &type);
/// Returns true if the constant is an integer that is cast to a handle.
bool isNumberAsHandle(const llvm::Constant &constant);

/// True if the types of pointers name the type of the elements.
extern const bool pointersHaveElementTypes;

/// Returns the type of pointers to elements of a type.
llvm::PointerType *pointerTo(llvm::Type *element, unsigned space);
/// Returns the pointer type in another address space, with the same element type if it has one.
llvm::PointerType *inAddressSpace(llvm::Type *pointer, unsigned space);

/// Converts the module to the form that this version's translator accepts. Runs before all other rewrites.
void prepareForTranslator(llvm::Module &module);
/// Runs the rewrites of Rewrites.h that only this version's translator needs.
void rewriteForTranslator(llvm::Module &module);
/// Enables the extensions that only this version's translator supports.
void allowMore(SPIRV::TranslatorOpts::ExtensionsStatusMap &extensions);
/// Fixes invalid output of this version's translator.
spirv::Words repaired(const spirv::Words &words);

/// Replaces the expression, an operand of the instruction, by instructions before it.
void expandOperand(llvm::Instruction &ins, llvm::ConstantExpr &expression);

} // namespace kiln::frontend
