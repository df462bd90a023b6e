#include "passes/simd/Near.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/simd/AccessRuns.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MostDepth = 16, ElementBits = 32;

bool risesAlmostEvenly(Value value, const LaneShapes &shapes, unsigned depth) {
  if (shapes.of(value).isStrided())
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == MostDepth)
    return false;
  auto rises = [&](Value operand) { return risesAlmostEvenly(operand, shapes, depth + 1); };
  if (isa<arith::AddIOp, arith::SubIOp, arith::AddFOp, arith::SubFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
          arith::MinUIOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp, arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp, arith::UIToFPOp,
          ocl::ConvertOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp, math::AbsFOp>(
          op))
    return llvm::all_of(op->getOperands(), rises);
  if (auto select = dyn_cast<arith::SelectOp>(op)) // of two places, whichever it is
    return rises(select.getTrueValue()) && rises(select.getFalseValue());
  if (isa<arith::MulFOp>(op))
    return (shapes.isUniform(op->getOperand(0)) && rises(op->getOperand(1))) ||
           (shapes.isUniform(op->getOperand(1)) && rises(op->getOperand(0)));
  if (isa<arith::DivFOp>(op) || isPartition(op))
    return shapes.isUniform(op->getOperand(1)) && rises(op->getOperand(0));
  return false;
}

} // namespace

std::optional<LinearAddress::Term> nearIndex(Value pointer, Type type, const LaneShapes &shapes,
                                             const DataLayout &layout) {
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() != ElementBits || shapes.of(pointer).isStrided())
    return {};
  const LinearAddress address(pointer, layout);
  if (!shapes.isUniform(address.base) || isOfKnownSize(address.base))
    return {};
  std::optional<LinearAddress::Term> index;
  for (const LinearAddress::Term &term : address.terms) {
    if (shapes.isUniform(term.number))
      continue;
    if (index)
      return {};
    index = term;
  }
  if (!index || index->bytes != ElementBits / 8 || !risesAlmostEvenly(index->number, shapes, 0))
    return {};
  return index;
}

} // namespace kiln
