// The attributes of a lowered kernel that passes compute and the code generator reads to complete its plan
// (KernelPlan in base/abi/ProgramInfo.h). All are i64.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace kiln::ocl::plan {

// clang-format off: a table
// Of every kernel.
inline constexpr llvm::StringLiteral StaticLocalBytes = "plan.static_local_bytes"; // local variables
inline constexpr llvm::StringLiteral PrivateBytes = "plan.private_bytes";          // per work-item, in memory
inline constexpr llvm::StringLiteral Prints = "plan.prints";                       // 1: writes to the printf buffer
inline constexpr llvm::StringLiteral Enqueues = "plan.enqueues";                   // 1: enqueues blocks
// Of CPU code.
inline constexpr llvm::StringLiteral ItemBytes = "plan.item_bytes";                // slots, per work-item
inline constexpr llvm::StringLiteral ThreadBytes = "plan.thread_bytes";            // large private variables
inline constexpr llvm::StringLiteral PreferredMultiple = "plan.preferred_multiple"; // of the local size; 1: any
inline constexpr llvm::StringLiteral DependsOnLocalSize = "plan.depends_on_local_size"; // 1: the result may
inline constexpr llvm::StringLiteral PrefersFixedLocalSize = "plan.prefers_fixed_local_size"; // 1: faster with one
inline constexpr llvm::StringLiteral PrefersTiles = "plan.prefers_tiles";          // 1: reads memory in loops
inline constexpr llvm::StringLiteral RowDimension = "plan.row_dimension";          // in which groups should be long
// Of GPU code.
inline constexpr llvm::StringLiteral RoundedDims = "plan.rounded_dims";            // bits (ocl.rounded_dims)
// clang-format on

} // namespace kiln::ocl::plan
