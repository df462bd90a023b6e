#include "backends/gpu/codegen/MathLibrary.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

extern "C" const char kiln_nvptx_math_begin[], kiln_nvptx_math_end[];
extern "C" const char kiln_amdgpu_math_begin[], kiln_amdgpu_math_end[];

namespace kiln {

llvm::StringRef nvptxMathLibrary() {
  return {kiln_nvptx_math_begin, size_t(kiln_nvptx_math_end - kiln_nvptx_math_begin)};
}
llvm::StringRef amdgpuMathLibrary() {
  return {kiln_amdgpu_math_begin, size_t(kiln_amdgpu_math_end - kiln_amdgpu_math_begin)};
}

bool linkMathLibrary(llvm::Module &module, llvm::StringRef library, std::string &error) {
  llvm::SmallVector<std::string> wanted;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic())
      wanted.push_back(function.getName().str());
  if (wanted.empty())
    return true;
  auto parsed = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(library, "math library"), module.getContext());
  if (!parsed) {
    error = "the math library: " + llvm::toString(parsed.takeError());
    return false;
  }
  (*parsed)->setTargetTriple(module.getTargetTriple());
  (*parsed)->setDataLayout(module.getDataLayout());
  llvm::SmallVector<std::string> linked; // in the callback: also functions that the library's functions call
  auto collect = [&](llvm::Module &, const llvm::StringSet<> &names) {
    for (const auto &name : names)
      linked.push_back(name.getKey().str());
  };
  if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded, collect)) {
    error = "cannot link the math library";
    return false;
  }
  for (const std::string &name : linked)
    if (llvm::GlobalValue *value = module.getNamedValue(name); value && !value->isDeclaration())
      value->setLinkage(llvm::GlobalValue::InternalLinkage);
  for (const std::string &name : wanted)
    if (llvm::Function *function = module.getFunction(name); !function || function->isDeclaration()) {
      error = "the math library has no function '" + name + "'";
      return false;
    }
  return true;
}

} // namespace kiln
