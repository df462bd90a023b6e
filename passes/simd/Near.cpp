#include "passes/simd/Near.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/simd/AccessRuns.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MostOperations = 32, ElementBits = 32;

// The operands that have to rise almost evenly for the result to; null: it may be anything.
std::optional<ValueRange> risingOperands(Operation *op, const LaneShapes &shapes) {
  ValueRange operands = op->getOperands();
  if (isa<arith::AddIOp, arith::SubIOp, arith::AddFOp, arith::SubFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
          arith::MinUIOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp, arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp, arith::UIToFPOp,
          ocl::ConvertOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp, math::AbsFOp>(
          op))
    return operands;
  if (isa<arith::SelectOp>(op)) // of two places, whichever it is
    return operands.drop_front();
  if (isa<arith::MulFOp>(op) && shapes.isUniform(operands[0]))
    return operands.drop_front();
  if ((isa<arith::MulFOp, arith::DivFOp>(op) || isDivRemOrMask(op)) && shapes.isUniform(operands[1]))
    return operands.take_front();
  return {};
}

bool risesAlmostEvenly(Value value, const LaneShapes &shapes) {
  llvm::SmallSetVector<Value, MostOperations> asked;
  asked.insert(value);
  for (size_t next = 0; next < asked.size(); ++next) {
    if (shapes.of(asked[next]).isStrided())
      continue;
    Operation *op = asked[next].getDefiningOp();
    const auto operands = op && asked.size() < MostOperations ? risingOperands(op, shapes) : std::nullopt;
    if (!operands)
      return false;
    asked.insert(operands->begin(), operands->end());
  }
  return true;
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
  if (!index || index->bytes != ElementBits / 8 || !risesAlmostEvenly(index->number, shapes))
    return {};
  return index;
}

} // namespace kiln
