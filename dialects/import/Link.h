// Links imported modules by the names in their LinkageAttributes decorations.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kiln::import {

/// String attributes on functions and globals: the name of an exported definition, or of an imported declaration.
inline constexpr llvm::StringLiteral ExportAttr = "ocl.export";
inline constexpr llvm::StringLiteral ImportAttr = "ocl.import";
/// Unit attribute beside ExportAttr: LinkOnceODR, equal definitions in several modules are merged.
inline constexpr llvm::StringLiteral LinkOnceAttr = "ocl.link_once";

struct LinkOptions {
  /// Allows imports without a definition, for a library that is linked again (-create-library).
  bool allowUnresolved = false;
};

/// Links all modules to one. Binds imports to their definitions and renames private symbols that conflict. Returns
/// null, with a diagnostic, if a name is defined twice, has another type where it is imported, or is not defined.
mlir::OwningOpRef<mlir::ModuleOp> linkModules(llvm::MutableArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> modules,
                                              const LinkOptions &options = {});

} // namespace kiln::import
