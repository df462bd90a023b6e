// Constant integers.
#pragma once
#include "mlir/IR/Matchers.h"

namespace kiln {

/// The sign-extended value of an integer constant; nothing for other values and for types of more than 64 bits.
inline std::optional<int64_t> constantOf(mlir::Value value) {
  llvm::APInt number;
  if (!matchPattern(value, mlir::m_ConstantInt(&number)) || number.getBitWidth() > 64)
    return {};
  return number.getSExtValue();
}

} // namespace kiln
