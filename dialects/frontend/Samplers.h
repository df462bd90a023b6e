// Fixes invalid samplers of the translator.
#pragma once
#include "base/spirv/Words.h"
#include <llvm/IR/Module.h>

namespace kiln::frontend {

/// Converts samplers to the form that the translator accepts. Returns true if the module has any.
bool prepareSamplers(llvm::Module &module);
/// Merges sampler types: the translator writes two if a literal sampler precedes a sampler argument.
spirv::Words withOneSamplerType(const spirv::Words &words);

} // namespace kiln::frontend
