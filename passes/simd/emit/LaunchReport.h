// Code that writes to the report of a launch (base/abi/Assumptions.h).
#pragma once
#include "base/abi/Assumptions.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln {

/// Emits the address of the launch's report, and writes to fields of it, which are named by their offsets. Must be in a
/// kernel.
class LaunchReport {
public:
  explicit LaunchReport(mlir::ImplicitLocOpBuilder &builder)
      : b_(builder),
        report_(wg::AssumptionReportOp::create(b_, mlir::LLVM::LLVMPointerType::get(builder.getContext()))) {}

  /// Adds one to a counter.
  void count(size_t field) {
    mlir::LLVM::AtomicRMWOp::create(b_, mlir::LLVM::AtomicBinOp::add, address(field), intConstant(b_, 1, 64),
                                    mlir::LLVM::AtomicOrdering::monotonic);
  }
  void put(size_t field, mlir::Value number) { mlir::LLVM::StoreOp::create(b_, number, address(field)); }
  void put(size_t field, uint64_t number) { put(field, intConstant(b_, int64_t(number), 64)); }

  /// Writes the source line of what is emitted.
  void putLine(size_t field) {
    const auto location = b_.getLoc()->findInstanceOf<mlir::FileLineColLoc>();
    put(field, location ? location.getLine() : 0);
  }

private:
  mlir::Value address(size_t field) {
    return mlir::LLVM::GEPOp::create(b_, report_.getType(), b_.getI8Type(), report_,
                                     mlir::LLVM::GEPArg(int32_t(field)));
  }

  mlir::ImplicitLocOpBuilder &b_;
  mlir::Value report_;
};

} // namespace kiln
