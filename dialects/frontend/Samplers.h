// What the translator gets wrong about samplers.
#pragma once
#include "dialects/spirv/Words.h"
#include <llvm/IR/Module.h>

namespace kiln::frontend {

/// Brings samplers into the form that the translator takes. Whether the module has any.
bool prepareSamplers(llvm::Module &module);
/// The translated module with one type for all its samplers: it makes two where literal ones stand before arguments.
spirv::Words withOneSamplerType(const spirv::Words &words);

} // namespace kiln::frontend
