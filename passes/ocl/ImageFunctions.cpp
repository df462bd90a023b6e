#include "passes/ocl/ImageFunctions.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Canonicalizations.h"
#include "passes/ocl/ImageLoads.h"

using namespace mlir;

namespace kiln::ocl {
namespace {

// The format, sampler or shape, if it is a constant or a variant fixes it. Nothing for coordinates.
IntegerAttr constantOf(Value operand) {
  IntegerAttr constant;
  if (!operand.getType().isInteger(32))
    return {};
  if (matchPattern(operand, m_Constant(&constant)))
    return constant;
  if (auto format = operand.getDefiningOp<ImageFormatOp>()) {
    IntegerAttr known = fixedValue(format.getImage());
    return known ? IntegerAttr::get(operand.getType(), int32_t(imageFormatOf(known))) : IntegerAttr();
  }
  return fixedValue(operand);
}

} // namespace

func::FuncOp ImageFunctions::specialized(func::FuncOp function, Operation *op, bool keepsCall, SymbolTable &module) {
  Builder attributes(op->getContext());
  const IntegerAttr image = fixedValue(op->getOperand(0));
  SmallVector<Attribute> known;
  for (Value operand : op->getOperands()) {
    const IntegerAttr constant = constantOf(operand);
    known.push_back(constant ? Attribute(constant) : attributes.getUnitAttr());
  }
  known.push_back(image ? Attribute(image) : attributes.getUnitAttr());
  constexpr unsigned Format = 1;
  keepsCall = keepsCall && !isa<IntegerAttr>(known[Format]);
  known.push_back(attributes.getBoolAttr(keepsCall));
  Copy &copy = copies_[{function, attributes.getArrayAttr(known)}];
  ++copy.calls;
  if (copy.function)
    return copy.function;
  copy.function = function.clone();
  copy.mayStay = keepsCall;
  module.insert(copy.function); // renames it
  auto b = OpBuilder::atBlockBegin(&copy.function.getBody().front());
  for (BlockArgument argument : copy.function.getArguments())
    if (auto constant = dyn_cast<IntegerAttr>(known[argument.getArgNumber()]))
      argument.replaceAllUsesWith(arith::ConstantOp::create(b, function.getLoc(), constant));
  specializeImageLoads(copy.function.getArgument(0), image);
  simplify(copy.function);
  return copy.function;
}

void ImageFunctions::keepCalls() {
  for (auto &[key, copy] : copies_)
    if (copy.mayStay && copy.calls > 1) {
      MLIRContext *context = copy.function.getContext();
      copy.function->setAttr(InlineIfConstantAttr, UnitAttr::get(context)); // its first argument, the image, is none
      copy.function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
    }
}

void ImageFunctions::simplify(func::FuncOp function) {
  if (!patterns_) {
    RewritePatternSet patterns(function.getContext());
    populateCanonicalizations(patterns);
    patterns_.emplace(std::move(patterns));
  }
  // A limit of iterations is not an error: what remains is simplified after inlining.
  (void)applyPatternsGreedily(function, *patterns_);
}

} // namespace kiln::ocl
