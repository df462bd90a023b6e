// The device library: target-independent implementations of `ocl` operations, written in C++ for OpenCL and lifted like
// kernels.
#pragma once
#include "mlir/IR/BuiltinOps.h"

namespace kiln::library {

/// Returns the module of the functions; each has the name of its operation with '_' for '.': `ocl_enqueue_kernel`. Read
/// once per context, whose dialects must be loaded. Callers must not modify it.
mlir::ModuleOp get(mlir::MLIRContext &context);

} // namespace kiln::library
