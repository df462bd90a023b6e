// The optional parts of SPIR-V that the importer supports, from base/abi/Extensions.def.
#pragma once
#include "dialects/import/Reader.h"

namespace kiln::import {

bool isSupportedSet(llvm::StringRef name);
/// Returns true for sets of debug information, whose instructions compute nothing.
bool isDebugSetName(llvm::StringRef name);
bool isSupportedExtension(llvm::StringRef name);
bool isSupportedCapability(uint32_t number);

} // namespace kiln::import
