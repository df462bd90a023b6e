// C++ declarations of the `wg` dialect. It uses the enumerations of `ocl`.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/wg/Wg.dialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/wg/Wg.type.h.inc"
#define GET_OP_CLASSES
#include "dialects/wg/Wg.op.h.inc"
