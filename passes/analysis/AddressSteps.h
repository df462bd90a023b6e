// What each index of a llvm.getelementptr adds to the address.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include <optional>

namespace kiln {

/// `number` times `bytes`, or `bytes` if the index is a constant or a field. A narrow number is sign-extended.
struct AddressStep {
  mlir::Value number;
  int64_t bytes;
};

/// Nothing if an index is that of a vector's element.
std::optional<llvm::SmallVector<AddressStep>> addressSteps(mlir::LLVM::GEPOp gep, const mlir::DataLayout &layout);

} // namespace kiln
