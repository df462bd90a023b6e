// What operations of `ocl` do that are no matter of any target: functions in C++ for OpenCL, lifted like any kernel.
#pragma once
#include "mlir/IR/BuiltinOps.h"

namespace kiln::library {

/// The functions, by the names of their operations with '_' for '.': `ocl_enqueue_kernel`. Read once a context, whose
/// dialects are loaded; it belongs to the context's user no more than they do.
mlir::ModuleOp get(mlir::MLIRContext &context);

} // namespace kiln::library
