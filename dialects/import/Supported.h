// What the importer lifts of SPIR-V's optional parts, as backends/SpirvSupport.def lists it.
#pragma once
#include "dialects/import/Reader.h"

namespace kiln::import {

bool isSupportedSet(llvm::StringRef name);
/// Of instructions that compute nothing.
bool isDebugSetName(llvm::StringRef name);
bool isSupportedExtension(llvm::StringRef name);
bool isSupportedCapability(uint32_t number);

} // namespace kiln::import
