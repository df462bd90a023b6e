// Attributes of a module that the compiler sets from the program's options.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace kiln::ocl {

/// Unit: an NDRange has no smaller work-groups at its end.
inline constexpr llvm::StringLiteral UniformGroupsAttr = "ocl.uniform_groups";
/// Unit: operations may treat subnormal numbers as zero.
inline constexpr llvm::StringLiteral FlushSubnormalsAttr = "ocl.flush_subnormals";

} // namespace kiln::ocl
