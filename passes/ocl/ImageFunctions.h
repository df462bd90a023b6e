// The library's functions for images, in copies in which some operands are constants.
//
//   ocl.read_image_float %i, %f, 16, 2, %c   ==>   func.call @ocl_read_image_float_0(%i, %f, ..., %c)
//
// A function of the library has branches for each addressing mode, filter and number of coordinates: 1,800 operations.
// Most kernels pass a constant sampler and a constant number of coordinates, and a variant fixes the format. A copy for
// such operands has 20 to 100 operations. `ocl-lower-to-library` makes the copies, because `ocl-keep-calls`, which runs
// later, compares sizes and would keep calls of the whole function. Calls with the same constants share a copy.
//
// In the generic form for GPUs, a copy without a constant format that has several calls stays a function: with a switch
// over the formats in each access, a program of 44 reads has five times as much code.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "llvm/ADT/MapVector.h"
#include <optional>

namespace kiln::ocl {

class ImageFunctions {
public:
  /// Returns the copy of `function` in `module` for the constant operands of the image operation `op`. With
  /// `keepsCall`, and without a constant format, the call may be kept.
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
