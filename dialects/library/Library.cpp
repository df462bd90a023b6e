#include "dialects/library/Library.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include <map>

extern "C" const char kiln_library_begin[], kiln_library_end[];

namespace kiln::library {

mlir::ModuleOp get(mlir::MLIRContext &context) {
  // Never freed: contexts live as long as their processes. The zygote's children inherit the parsed module.
  static auto &libraries = *new std::map<mlir::MLIRContext *, mlir::OwningOpRef<mlir::ModuleOp>>;
  auto [known, isNew] = libraries.try_emplace(&context);
  if (isNew) {
    llvm::SourceMgr source;
    source.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer({kiln_library_begin, size_t(kiln_library_end - kiln_library_begin)}, "library",
                                         /*RequiresNullTerminator=*/false),
        {});
    known->second =
        mlir::parseSourceFile<mlir::ModuleOp>(source, mlir::ParserConfig(&context, /*verifyAfterParse=*/false));
  }
  return known->second ? *known->second : mlir::ModuleOp();
}

} // namespace kiln::library
