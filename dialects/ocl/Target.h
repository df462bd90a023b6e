// What a module is compiled for, as passes read it: the attributes `ocl.target` and `ocl.local_size` (OclTarget.td).
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::ocl {

/// On a module: array<i64: x, y, z>, the local size of every work-group.
inline constexpr llvm::StringLiteral LocalSizeAttr = "ocl.local_size";

/// Returns the module's target. Null, with an error that names the pass, if it has none.
TargetAttr targetOf(mlir::ModuleOp module, llvm::StringRef pass);
/// The same for a pass of CPU code. Also null, with an error, for a GPU.
TargetAttr cpuTargetOf(mlir::ModuleOp module, llvm::StringRef pass);
/// The same for a pass of GPU code. Also null, with an error, for a CPU.
TargetAttr gpuTargetOf(mlir::ModuleOp module, llvm::StringRef pass);

void setTarget(mlir::ModuleOp module, TargetAttr target);

/// Returns the local size of every work-group; empty: known at run time.
llvm::ArrayRef<int64_t> fixedLocalSize(mlir::ModuleOp module);
/// The end of the names of entry points: empty, or `.sized` for a fixed local size.
inline llvm::StringRef entrySuffix(mlir::ModuleOp module) { return fixedLocalSize(module).empty() ? "" : ".sized"; }

} // namespace kiln::ocl
