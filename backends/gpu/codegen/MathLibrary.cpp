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
  if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded)) {
    error = "cannot link the math library";
    return false;
  }
  for (const std::string &name : wanted) {
    llvm::Function *function = module.getFunction(name);
    if (!function || function->isDeclaration()) {
      error = "the math library has no function '" + name + "'";
      return false;
    }
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  return true;
}

} // namespace kiln
