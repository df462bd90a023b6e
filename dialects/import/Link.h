// Joins imported modules by the names that their LinkageAttributes decorations gave.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kiln::import {

/// String attributes on functions and globals: the name under which other modules know it, or by which it is wanted.
inline constexpr llvm::StringLiteral ExportAttr = "ocl.export";
inline constexpr llvm::StringLiteral ImportAttr = "ocl.import";
/// Unit attribute beside ExportAttr: equal definitions in several modules are one (LinkOnceODR).
inline constexpr llvm::StringLiteral LinkOnceAttr = "ocl.link_once";

struct LinkOptions {
  /// Allows imports without a definition: for a library that another link will use.
  bool allowUnresolved = false;
};

/// One module of all. Wanted names are bound to their definitions; private symbols that clash are renamed. Null on
/// errors: a name defined twice, wanted with another type, or defined nowhere.
mlir::OwningOpRef<mlir::ModuleOp> linkModules(llvm::MutableArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> modules,
                                              const LinkOptions &options = {});

} // namespace kiln::import
