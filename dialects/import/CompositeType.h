// Creates LLVM's debug information of arrays, vectors and structs.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Config/llvm-config.h"

namespace kiln::import {

struct CompositeType {
  unsigned tag; // DW_TAG_*
  mlir::StringAttr name = {};
  mlir::LLVM::DIFileAttr file = {};
  uint32_t line = 0;
  mlir::LLVM::DITypeAttr element = {}; // of an array or a vector
  mlir::LLVM::DIFlags flags = mlir::LLVM::DIFlags::Zero;
  uint64_t bits;
  llvm::ArrayRef<mlir::LLVM::DINodeAttr> parts; // members, or the index range of each dimension
};

/// LLVM 22 has moved the parts to the end of the parameters.
inline mlir::LLVM::DICompositeTypeAttr compositeType(mlir::MLIRContext *context, const CompositeType &type) {
#if LLVM_VERSION_MAJOR < 22
  return mlir::LLVM::DICompositeTypeAttr::get(context, type.tag, type.name, type.file, type.line, /*scope=*/nullptr,
                                              type.element, type.flags, type.bits, /*alignInBits=*/0, type.parts,
                                              nullptr, nullptr, nullptr, nullptr);
#else
  return mlir::LLVM::DICompositeTypeAttr::get(context, type.tag, type.name, type.file, type.line, /*scope=*/nullptr,
                                              type.element, type.flags, type.bits, /*alignInBits=*/0, nullptr, nullptr,
                                              nullptr, nullptr, type.parts);
#endif
}

} // namespace kiln::import
