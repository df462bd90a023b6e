// The library's functions for images, in copies that know some of their operands.
//
//   ocl.read_image_float %i, %f, 16, 2, %c   ==>   func.call @ocl_read_image_float_0(%i, %f, ..., %c)
//
// A function of the library has a way for each addressing mode, filter and number of coordinates: 1,800 operations. The
// sampler and the number of coordinates are constants in most kernels, and a variant knows the format, so 20 to 100
// operations remain in a copy for them. The copies exist before ocl-keep-calls judges sizes: otherwise it would keep
// calls of the whole function. Calls with the same constants share a copy.
//
// In the generic form for GPUs, a copy that does not know the format and has several calls stays a function: with a
// switch over the formats in each access, a program of 44 reads has five times as much code.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "llvm/ADT/MapVector.h"
#include <optional>

namespace kiln::ocl {

class ImageFunctions {
public:
  /// Returns the copy of `function` in `module` that knows the constants among the operands of the image operation
  /// `op`. If it does not know the format, its calls with `keepsCall` may be kept.
  mlir::func::FuncOp specialized(mlir::func::FuncOp function, mlir::Operation *op, bool keepsCall,
                                 mlir::SymbolTable &module);
  /// Marks the copies whose calls are kept. No others are made after this.
  void keepCalls();

private:
  struct Copy {
    mlir::func::FuncOp function;
    bool mayStay = false;
    unsigned calls = 0;
  };
  void simplify(mlir::func::FuncOp function);

  llvm::MapVector<std::pair<mlir::Operation *, mlir::Attribute>, Copy> copies_;
  std::optional<mlir::FrozenRewritePatternSet> patterns_;
};

} // namespace kiln::ocl
