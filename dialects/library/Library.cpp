#include "dialects/library/Library.h"
#include "dialects/import/Import.h"
#include "dialects/import/Link.h"
#include <map>
#include <memory>

extern "C" const uint8_t *const kiln_library_modules[]; // begin and end of each, and then null

namespace kiln::library {

mlir::ModuleOp get(mlir::MLIRContext &context) {
  // Never freed: contexts live as long as their processes, and a fork of the zygote finds what was lifted before it.
  static auto &libraries = *new std::map<mlir::MLIRContext *, mlir::OwningOpRef<mlir::ModuleOp>>;
  auto [known, isNew] = libraries.try_emplace(&context);
  if (!isNew)
    return known->second ? *known->second : mlir::ModuleOp();
  llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>> parts;
  for (const uint8_t *const *next = kiln_library_modules; *next; next += 2) {
    parts.push_back(import::importSpirv({next[0], next[1]}, context));
    if (!parts.back())
      return {};
  }
  known->second = import::linkModules(parts);
  return known->second ? *known->second : mlir::ModuleOp();
}

} // namespace kiln::library
