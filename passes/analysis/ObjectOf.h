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
  mlir::Value base = {}; // the argument, the variable's address, or the one pointer from memory
  uint64_t bytes = 0;    // of a variable
  llvm::StringRef name = {};
};

/// Follows the pointer back through address arithmetic, casts, choices and loops.
Object objectOf(mlir::Value pointer, const mlir::DataLayout &layout);

/// Returns true if the pointer is a multiple of `alignment`, a power of two, whenever the objects that it may point
/// into are: variables, and memory of the kernel's arguments. False for pointers from memory.
bool isAlignedInObject(mlir::Value pointer, uint64_t alignment, const mlir::DataLayout &layout);

} // namespace kiln
