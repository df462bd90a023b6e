// kiln-lift-library: SPIR-V modules of dialects/library to what kilnc carries of them, when Kiln is built.
//
//   kiln-lift-library OUTPUT a.spv b.spv ...
//
// They are lifted, joined and simplified here once, for inlining unsimplified code would have each program's build do
// it for each operation.
#include "dialects/import/Import.h"
#include "dialects/import/Link.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

// What this program makes is not there for it to use.
extern "C" const char kiln_library_begin[1] = {}, kiln_library_end[1] = {};

namespace {

int complain(const llvm::Twine &sentence) {
  llvm::errs() << "kiln-lift-library: " << sentence << "\n";
  return 1;
}

LogicalResult simplify(ModuleOp module) {
  Builder b(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    // What is exported is used, as far as passes have to know.
    if (function->removeAttr(kiln::import::ExportAttr) && !function->removeAttr(kiln::import::LinkOnceAttr))
      function->setAttr(kiln::ocl::KernelAttr, b.getUnitAttr());
    if (function->removeAttr(kiln::ocl::DontInlineAttr)) {
      function->setAttr(kiln::ocl::SharedAttr, b.getUnitAttr());
      function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
    }
  }
  PassManager passes(module.getContext());
  kiln::addLibraryPasses(passes);
  if (failed(passes.run(module)))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    function->removeAttr(kiln::ocl::KernelAttr);
  return success();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return complain("usage: kiln-lift-library OUTPUT MODULES");
  DialectRegistry registry;
  kiln::registerInterfaces(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  kiln::import::loadDialects(context);
  llvm::SmallVector<OwningOpRef<ModuleOp>> parts;
  for (const char *path : llvm::ArrayRef(argv, argc).drop_front(2)) {
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!file)
      return complain(llvm::Twine(path) + ": " + file.getError().message());
    ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>((*file)->getBufferStart()), (*file)->getBufferSize());
    parts.push_back(kiln::import::importSpirv(bytes, context));
    if (!parts.back())
      return complain(llvm::Twine(path) + " cannot be lifted");
  }
  OwningOpRef<ModuleOp> library = kiln::import::linkModules(parts);
  if (!library || failed(simplify(*library)))
    return complain("the modules cannot be joined or simplified");
  std::error_code error;
  llvm::ToolOutputFile output(argv[1], error, llvm::sys::fs::OF_None);
  if (error || failed(writeBytecodeToFile(*library, output.os())))
    return complain(llvm::Twine(argv[1]) + " cannot be written");
  output.keep();
  return 0;
}
