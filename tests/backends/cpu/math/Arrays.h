// The library's functions over arrays, for the sweep.
#pragma once

namespace kiln::math {

enum class Operands { One, Two, Int };

/// z[i] = f(x[i], y[i]) for n values, a multiple of the width.
using OverArray = void(const void *x, const void *y, void *z, unsigned long n);

struct ArrayFunction {
  const char *name; // null ends the table
  Operands operands;
  bool isDouble;
  // One lane, then widths 4, 8, 16 of floats and 2, 4, 8 of doubles, which are null for the library of GPUs.
  OverArray *instances[4];
};
extern "C" const ArrayFunction KilnMathArrays[];

} // namespace kiln::math
