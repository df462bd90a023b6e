#include "dialects/import/Supported.h"
#include "llvm/ADT/STLExtras.h"

namespace kiln::import {

bool isSupportedSet(llvm::StringRef name) {
  static constexpr llvm::StringLiteral sets[] = {
#define KILN_SPIRV_SET(name, extension) name,
#include "base/abi/Extensions.def"
  };
  return llvm::is_contained(sets, name);
}

bool isDebugSetName(llvm::StringRef name) {
  return (isSupportedSet(name) && name != "OpenCL.std") || name == "SPIRV.debug" || name.starts_with("NonSemantic.");
}

bool isSupportedExtension(llvm::StringRef name) {
  static constexpr llvm::StringLiteral extensions[] = {
#define KILN_SPIRV_EXTENSION(name, extension, needs) name,
#include "base/abi/Extensions.def"
  };
  return llvm::is_contained(extensions, name);
}

bool isSupportedCapability(uint32_t number) {
  switch (spv::Capability(number)) {
#define KILN_SPIRV_CAPABILITY(name, needs) case spv::Capability::name:
#include "base/abi/Extensions.def"
    return true;
  default:
    return false;
  }
}

} // namespace kiln::import
