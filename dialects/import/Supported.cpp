#include "dialects/import/Supported.h"
#include "llvm/ADT/STLExtras.h"

namespace kiln::import {

#define KILN_SPIRV_CAPABILITY(name, number) static_assert(uint32_t(spv::Capability::name) == number);
#define KILN_SPIRV_GROUP_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_PIPE_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_IMAGE_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_CLOCK_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_ENQUEUE_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_HALF_ADD_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_HALF_MIN_MAX_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#include "base/abi/SpirvSupport.def"

bool isSupportedSet(llvm::StringRef name) {
  static constexpr llvm::StringLiteral sets[] = {
#define KILN_SPIRV_SET(name) name,
#include "base/abi/SpirvSupport.def"
  };
  return llvm::is_contained(sets, name);
}

bool isDebugSetName(llvm::StringRef name) {
  return (isSupportedSet(name) && name != "OpenCL.std") || name == "SPIRV.debug" || name.starts_with("NonSemantic.");
}

bool isSupportedExtension(llvm::StringRef name) {
  static constexpr llvm::StringLiteral extensions[] = {
#define KILN_SPIRV_EXTENSION(name) name,
#define KILN_SPIRV_GROUP_EXTENSION(name) name,
#define KILN_SPIRV_CLOCK_EXTENSION(name) name,
#define KILN_SPIRV_HALF_ADD_EXTENSION(name) name,
#include "base/abi/SpirvSupport.def"
  };
  return llvm::is_contained(extensions, name);
}

bool isSupportedCapability(uint32_t number) {
  switch (number) {
#define KILN_SPIRV_CAPABILITY(name, number) case number:
#define KILN_SPIRV_GROUP_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_PIPE_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_IMAGE_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_CLOCK_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_ENQUEUE_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_HALF_ADD_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#define KILN_SPIRV_HALF_MIN_MAX_CAPABILITY(name, number) KILN_SPIRV_CAPABILITY(name, number)
#include "base/abi/SpirvSupport.def"
    return true;
  }
  return false;
}

} // namespace kiln::import
