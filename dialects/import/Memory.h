// The Memory Operands of loads, stores and copies.
#pragma once
#include "dialects/import/Body.h"

namespace kiln::import {

struct MemoryOperands {
  unsigned align = 0;
  bool isVolatile = false, isNontemporal = false;
};

/// Reads the optional memory operands at args[first]. Sets `end` to the index after them.
std::optional<MemoryOperands> memoryOperands(Body &body, const Instruction &ins, size_t first, size_t *end = nullptr);

} // namespace kiln::import
