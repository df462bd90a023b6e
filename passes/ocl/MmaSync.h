// Multiplications by NVIDIA's instruction mma.sync, for GPUs from sm_80 on: half, and bytes.
#pragma once
#include "dialects/ocl/Target.h"
#include "passes/ocl/MatrixFragment.h"

namespace kiln {

bool hasMmaSync(ocl::TargetAttr target);

/// Which work-item has which component of an operand of the instruction; nothing: no instruction has the type.
std::optional<MatrixFragment> mmaFragment(ocl::MatrixType type);

/// Returns true if there are instructions for the multiplication.
bool isMma(ocl::MatrixMultiplyAddOp op);

/// Returns a * b + c, component by component, as `mmaFragment` says. Integers wrap.
llvm::SmallVector<mlir::Value> multiplyByMma(mlir::OpBuilder &builder, ocl::MatrixMultiplyAddOp op, mlir::ValueRange a,
                                             mlir::ValueRange b, mlir::ValueRange c);

} // namespace kiln
