// Attributes of a module that the compiler sets from the program's options, and from all its code.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace kiln::ocl {

/// Unit: an NDRange has no smaller work-groups at its end.
inline constexpr llvm::StringLiteral UniformGroupsAttr = "ocl.uniform_groups";
/// Unit: operations may treat subnormal numbers as zero.
inline constexpr llvm::StringLiteral FlushSubnormalsAttr = "ocl.flush_subnormals";
/// Unit: a kernel reads the times of events (capture_event_profiling_info).
inline constexpr llvm::StringLiteral ReadsEventTimesAttr = "ocl.reads_event_times";

} // namespace kiln::ocl
