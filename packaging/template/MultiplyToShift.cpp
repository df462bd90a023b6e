// Replaces multiplications by a power of two by shifts.
//
//   %c8 = arith.constant 8 : i32               %c3 = arith.constant 3 : i32
//   %y = arith.muli %x, %c8 : i32        ==>   %y = arith.shli %x, %c3 : i32
//
// Legal because both keep the low bits of x * 2^k. The flags nsw and nuw are dropped: for the sign bit, they do not
// mean the same for a shift.
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace {

struct ShiftForMultiply : mlir::OpRewritePattern<mlir::arith::MulIOp> {
  using OpRewritePattern::OpRewritePattern;
  mlir::LogicalResult matchAndRewrite(mlir::arith::MulIOp multiply, mlir::PatternRewriter &rewriter) const override {
    llvm::APInt factor;
    // Canonicalization has moved constants to the right.
    if (!matchPattern(multiply.getRhs(), mlir::m_ConstantInt(&factor)) || !factor.isPowerOf2())
      return mlir::failure();
    mlir::Type type = multiply.getType();
    auto number = rewriter.getIntegerAttr(mlir::getElementTypeOrSelf(type), factor.exactLogBase2());
    mlir::TypedAttr value = number;
    if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(type))
      value = mlir::SplatElementsAttr::get(shaped, number.getValue());
    auto amount = mlir::arith::ConstantOp::create(rewriter, multiply.getLoc(), value);
    rewriter.replaceOpWithNewOp<mlir::arith::ShLIOp>(multiply, multiply.getLhs(), amount);
    return mlir::success();
  }
};

struct MultiplyToShift : mlir::PassWrapper<MultiplyToShift, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MultiplyToShift)
  llvm::StringRef getArgument() const override { return "multiply-to-shift"; }
  llvm::StringRef getDescription() const override { return "replace multiplications by a power of two by shifts"; }
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<ShiftForMultiply>(&getContext());
    if (failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "MultiplyToShift", "1", [] { mlir::PassRegistration<MultiplyToShift>(); }};
}
