// What a global variable holds at first, as bytes. Addresses of other variables are no bytes yet: they are told apart.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include <cstdint>
#include <map>

namespace kiln {

/// An address in a variable, or that of no variable: a number.
struct VariableAddress {
  mlir::StringAttr variable;
  uint64_t distance = 0; // modulo 2^64
};

struct InitialValue {
  llvm::SmallVector<uint8_t, 0> bytes; // as many as the type has, or none where all are zero
  std::map<uint64_t, VariableAddress> addresses; // by the offset of the eight bytes that hold them
};

/// Failure, with a diagnostic, when the value cannot be known before the program runs, or would fill more than
/// `maxBytes` and is not zero. `localNull` is what a null pointer to private or local memory is in memory.
mlir::FailureOr<InitialValue> initialValue(mlir::LLVM::GlobalOp global, const mlir::DataLayout &layout,
                                           uint64_t maxBytes, uint64_t localNull);

} // namespace kiln
