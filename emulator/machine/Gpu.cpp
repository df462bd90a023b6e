#include "emulator/machine/Gpu.h"
#include <charconv>

namespace kiln::emulator {

bool Gpu::describe(const std::string &name, Gpu &gpu) {
  const std::unique_ptr<Disassembler> llvm = Disassembler::create(name, 0);
  if (!llvm || !name.starts_with("gfx") || name.size() < 6)
    return false;
  gpu.name = name;
  // gfx90a is 9.0.a and gfx1100 is 11.0.0: the generation is what is left without the last two digits.
  std::from_chars(name.data() + 3, name.data() + name.size() - 2, gpu.generation);
  if (gpu.generation < 9)
    return false;
  gpu.waveSize = llvm->has("wavefrontsize32") ? 32 : 64;
  gpu.architectedScratch = llvm->has("architected-flat-scratch");
  gpu.packedWorkItemIds = llvm->has("packed-tid");
  gpu.idsInTrapRegisters = llvm->has("architected-sgprs");
  gpu.hasGfx940Hazards = llvm->has("gfx940-insts");
  gpu.largeRegisterFile = llvm->has("allocate1_5xvgprs");
  gpu.lineBytes = gpu.generation == 9 && !gpu.hasGfx940Hazards ? 64 : 128;
  gpu.keepsHighHalf = gpu.generation >= 10;
  gpu.localBytes = llvm->has("addressablelocalmemorysize163840") ? 160 << 10 : 64 << 10;
  gpu.computeUnits = name == "gfx942" ? 304 : name == "gfx90a" ? 104 : name == "gfx1100" ? 96 : 64;
  return true;
}

} // namespace kiln::emulator
