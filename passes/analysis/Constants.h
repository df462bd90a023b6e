// Numbers that are known while compiling.
#pragma once
#include "mlir/IR/Matchers.h"

namespace kiln {

/// With its sign; nothing for numbers of more than 64 bits.
inline std::optional<int64_t> constantOf(mlir::Value value) {
  llvm::APInt number;
  if (!matchPattern(value, mlir::m_ConstantInt(&number)) || number.getBitWidth() > 64)
    return {};
  return number.getSExtValue();
}

} // namespace kiln
