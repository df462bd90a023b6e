// Registration of the dialect. Everything else is generated or is in the file of its category.
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/ocl/Ocl.dialect.cpp.inc"
#include "dialects/ocl/Ocl.enum.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/ocl/Ocl.type.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/ocl/Ocl.op.cpp.inc"

namespace kiln::ocl {
namespace {
// Every operation may be inlined: its meaning does not depend on the function around it.
struct Inlining : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const override { return true; }
};
} // namespace

void OclDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/ocl/Ocl.op.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/ocl/Ocl.type.cpp.inc"
      >();
  addInterfaces<Inlining>();
}

/// Materialises the results of folds as arith constants.
mlir::Operation *OclDialect::materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value, mlir::Type type,
                                                 mlir::Location loc) {
  return mlir::arith::ConstantOp::materialize(builder, value, type, loc);
}
} // namespace kiln::ocl
