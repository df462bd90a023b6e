// A name for a kernel's code that is the same in every run and on every machine.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace kiln {

/// Hashes the kernel and the functions that it reaches, as the importer made them: 16 hexadecimal digits. Other kernels
/// of the program, comments, line numbers and names of local values have no influence; constants, types and
/// specialisation constants have one.
std::string kernelHash(mlir::ModuleOp module, mlir::func::FuncOp kernel);

} // namespace kiln
