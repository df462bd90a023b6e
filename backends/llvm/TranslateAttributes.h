#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace kiln {

/// Registers the translation of CopyAlignAttr and SynchronizeAsAttr to LLVM IR.
void registerAttributeTranslation(mlir::DialectRegistry &registry);

} // namespace kiln
