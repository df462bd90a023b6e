// Which bytes an operation accesses through which of its operands, for passes that check accesses.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace kiln {

/// A pointer operand of an access, and the bytes that are accessed through it.
struct PointerAccess {
  mlir::OpOperand *pointer;
  ocl::AccessKind kind;
  uint64_t bytes;
  mlir::Value size = {}; // instead of `bytes`: a number that is not constant
};

/// The accesses of a load, a store, a copy or an atomic operation; none of other operations.
llvm::SmallVector<PointerAccess, 2> pointerAccesses(mlir::Operation *op, const mlir::DataLayout &layout);

/// The alignment in bytes that OpenCL C requires of the pointer: that of the access's type. 1 of a copy without one.
uint64_t alignmentOf(const PointerAccess &access, const mlir::DataLayout &layout);

/// The number of bytes, as an i64.
mlir::Value bytesOf(const PointerAccess &access, mlir::ImplicitLocOpBuilder &b);

/// Returns true if bytes that are read are only stored again: a copy of a struct, whose gaps have no value, and the
/// neighbours of a bit-field or of a component of a vector.
bool readsOnlyToStore(mlir::Operation *op);

/// The bytes from a variable to a pointer, as an i64; null if there is more than address arithmetic between them.
mlir::Value offsetOf(mlir::Value pointer, mlir::Value variable, const mlir::DataLayout &layout,
                     mlir::ImplicitLocOpBuilder &b);

} // namespace kiln
