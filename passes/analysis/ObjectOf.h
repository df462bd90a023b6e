// The object that a pointer of a kernel points into.
#pragma once
#include "mlir/IR/Value.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace kiln {

struct Object {
  enum Kind : uint8_t {
    Unknown,  // a pointer from memory, or one that may point into several objects
    Argument, // what a pointer argument of the kernel points to: a buffer, an allocation, local memory
    Runtime,  // memory of Kiln's own: a printf buffer, the description of an image
    Variable, // a variable or constant of known size, or a struct that is passed by value
  };
  Kind kind = Unknown;
  mlir::Value base = {}; // the argument, or the variable's address
  uint64_t bytes = 0;    // of a variable
  llvm::StringRef name = {};
};

/// Follows the pointer back through address arithmetic, casts, choices and loops.
Object objectOf(mlir::Value pointer, const mlir::DataLayout &layout);

} // namespace kiln
