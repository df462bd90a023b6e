// The KernelTrait bits of a kernel's plan: how the results of two runs on the same memory may differ. The cross-check
// (runtime/crosscheck) runs kernels twice and reads them.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln {

/// The KernelTrait bits of a kernel after the common passes, including the functions that it calls. Each bit is set
/// unless the analysis proves that it does not hold.
///
/// An atomic update counts as independent of the order of work-items if its old value is unused, it is one of integers,
/// and all updates of the same memory commute with it (add with sub, each other kind with itself only). Two updates are
/// of different memory if their pointers lead to different arguments or variables. All other updates, cmpxchg, stores,
/// and loads in a kernel with an update or a store set TraitAtomicOrder. The atomic update that ocl-expand-printf makes
/// does not count: records are compared as a set.
uint32_t runTraits(mlir::ModuleOp module, mlir::func::FuncOp kernel);

} // namespace kiln
