// The metadata note of a code object: MessagePack, as https://llvm.org/docs/AMDGPUUsage.html#code-object-v5-metadata
// says.
#pragma once
#include "emulator/loader/CodeObject.h"
#include "llvm/ADT/StringRef.h"

namespace kiln::emulator {

struct KernelMetadata {
  std::string name;
  u32 maxGroupSize = 1024, vectorRegisters = 0, scalarRegisters = 0;
  std::vector<HiddenArgument> hidden;
  std::vector<ExplicitArgument> arguments;
};

/// Reads the kernels and the processor ("gfx942"). Returns false if the note is damaged.
bool parseMetadata(llvm::StringRef note, std::vector<KernelMetadata> &kernels, std::string &processor);

} // namespace kiln::emulator
