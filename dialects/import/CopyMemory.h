// Copies of memory.
#pragma once
#include "dialects/import/Body.h"

namespace kiln::import {

struct Copy {
  mlir::Value to, from;
  mlir::Value bytes;            // the size, if it is not a constant
  std::optional<uint64_t> size; // the size, if it is a constant
  unsigned toAlign = 1, fromAlign = 1;
  bool isVolatile = false;
};

/// Copies a value of type `typeId`; 0: of an unknown type.
void copyBytes(Body &body, const Copy &copy, uint32_t typeId);

} // namespace kiln::import
