// How many waves of a kernel are on a SIMD at once, by the registers and local memory of its descriptor.
#pragma once
#include "emulator/machine/Launch.h"

namespace kiln::emulator {

struct Occupancy {
  unsigned waves = 0, most = 0; // of a SIMD
  const char *limit = ""; // what limits the waves: "waves", "vector registers", "scalar registers", "local memory"
};
Occupancy occupancyOf(const Launch &launch);

} // namespace kiln::emulator
