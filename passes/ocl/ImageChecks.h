// Lowers ocl.check_image to comparisons with the image's size, and a report.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/lowering/CheckSites.h"
#include <array>

namespace kiln {

/// Emits the report of an access outside of the image. The coordinates are doubles, and zero after the image's last
/// one.
using ReportOutside = llvm::function_ref<void(mlir::ImplicitLocOpBuilder &, const CheckedObject &, mlir::Value image,
                                              const std::array<mlir::Value, 3> &coordinates)>;

/// Lowers the checks of a kernel. Returns their number.
unsigned lowerImageChecks(mlir::func::FuncOp kernel, ReportOutside report);
/// Removes the checks of a function that is called: it has no address of the launch.
void removeImageChecks(mlir::func::FuncOp function);

} // namespace kiln
