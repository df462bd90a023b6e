// The initial value of a global variable as bytes. Addresses of other variables have no bytes yet and are listed
// separately (relocations).
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include <cstdint>
#include <map>

namespace kiln {

/// A variable's address plus a distance; without a variable, a number.
struct VariableAddress {
  mlir::StringAttr variable;
  uint64_t distance = 0; // modulo 2^64
};

struct InitialValue {
  llvm::SmallVector<uint8_t, 0> bytes;           // as many as the type has, or none where all are zero
  std::map<uint64_t, VariableAddress> addresses; // by the offset of the eight bytes that hold them
};

/// The bits of null pointers to these address spaces in memory.
struct NullPointers {
  uint64_t ofLocal = 0, ofPrivate = 0;
};

/// Fails with a diagnostic if the value is not a constant, or if it is not zero and has more than `maxBytes` bytes.
mlir::FailureOr<InitialValue> initialValue(mlir::LLVM::GlobalOp global, const mlir::DataLayout &layout,
                                           uint64_t maxBytes, NullPointers nulls);

} // namespace kiln
