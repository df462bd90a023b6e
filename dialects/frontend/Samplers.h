// What the translator gets wrong about samplers.
#pragma once
#include <llvm/IR/Module.h>
#include <string>

namespace kiln::frontend {

/// Brings samplers into the form that the translator takes. Whether the module has any.
bool prepareSamplers(llvm::Module &module);
/// The translated module with one type for all its samplers: it makes two where literal ones stand before arguments.
std::string withOneSamplerType(const std::string &spirv);

} // namespace kiln::frontend
