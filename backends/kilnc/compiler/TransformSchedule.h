// Schedules in MLIR's transform dialect: a module with `transform.named_sequence @__transform_main`, whose argument is
// the program.
#pragma once
#include "mlir/IR/BuiltinOps.h"

namespace kiln {

/// Applies the schedule to a program, and verifies the result. Fails with a diagnostic at a line of `file`, the name of
/// the schedule's file. The program is in no useful state then.
llvm::LogicalResult applyTransformSchedule(mlir::ModuleOp program, llvm::StringRef schedule, llvm::StringRef file);

} // namespace kiln
