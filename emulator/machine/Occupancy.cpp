#include "emulator/machine/Occupancy.h"

namespace kiln::emulator {
namespace {

/// The registers of a lane on a SIMD, and the most waves.
struct Simd {
  unsigned vectors, granule, waves;
};
Simd simdOf(const Gpu &gpu, unsigned waveSize) {
  if (gpu.generation == 9)
    return gpu.packedWorkItemIds ? Simd{512, 8, 8}
                                 : Simd{256, 4, 10}; // gfx90a and gfx94x have the accumulators as well
  // In wave64 a register has two halves.
  const bool large = gpu.largeRegisterFile;
  const Simd wave32{large ? 1536u : 1024u, large ? 24u : 16u, 16};
  return waveSize == 32 ? wave32 : Simd{wave32.vectors / 2, wave32.granule / 2, 16};
}

constexpr unsigned SimdsOfUnit = 4; // of a compute unit, or of a work-group processor from gfx10 on

} // namespace

Occupancy occupancyOf(const Launch &launch) {
  const Gpu &gpu = *launch.gpu;
  const KernelCode &kernel = *launch.kernel;
  const Simd simd = simdOf(gpu, kernel.waveSize);
  Occupancy result{simd.waves, simd.waves, "waves"};
  auto limit = [&](unsigned waves, const char *what) {
    if (waves < result.waves)
      result = {waves, simd.waves, what};
  };
  limit(simd.vectors / ((kernel.vectorRegisters + simd.granule - 1) / simd.granule * simd.granule), "vector registers");
  if (gpu.generation == 9)
    limit(800 / kernel.scalarRegisters, "scalar registers");
  if (const unsigned local = launch.localBytes()) {
    const unsigned bytes = gpu.localBytes * (gpu.generation >= 10 ? 2 : 1);
    const unsigned wavesOfGroup = (launch.items() + kernel.waveSize - 1) / kernel.waveSize;
    limit(std::max(1u, bytes / local * wavesOfGroup / SimdsOfUnit), "local memory");
  }
  return result;
}

} // namespace kiln::emulator
