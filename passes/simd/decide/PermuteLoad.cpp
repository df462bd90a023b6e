#include "passes/simd/decide/PermuteLoad.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/simd/decide/AccessGroups.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MaxOperations = 32, ElementBits = 32;

// The operands that have to be nearly strided for the result to be; nothing if the result may be anything.
std::optional<ValueRange> nearlyStridedOperands(Operation *op, const LaneShapes &shapes) {
  ValueRange operands = op->getOperands();
  if (isa<arith::AddIOp, arith::SubIOp, arith::AddFOp, arith::SubFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
          arith::MinUIOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp, arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp, arith::UIToFPOp,
          ocl::ConvertOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp, math::AbsFOp>(
          op))
    return operands;
  if (isa<arith::SelectOp>(op)) // both choices have to be
    return operands.drop_front();
  if (isa<arith::MulFOp>(op) && shapes.isUniform(operands[0]))
    return operands.drop_front();
  if ((isa<arith::MulFOp, arith::DivFOp>(op) || isDivRemOrMask(op)) && shapes.isUniform(operands[1]))
    return operands.take_front();
  return {};
}

bool isNearlyStrided(Value value, const LaneShapes &shapes) {
  llvm::SmallSetVector<Value, MaxOperations> visited;
  visited.insert(value);
  for (size_t next = 0; next < visited.size(); ++next) {
    if (shapes.of(visited[next]).isStrided())
      continue;
    Operation *op = visited[next].getDefiningOp();
    const auto operands = op && visited.size() < MaxOperations ? nearlyStridedOperands(op, shapes) : std::nullopt;
    if (!operands)
      return false;
    visited.insert(operands->begin(), operands->end());
  }
  return true;
}

} // namespace

std::optional<LinearAddress::Term> permuteLoadIndex(Value pointer, Type type, const LaneShapes &shapes,
                                                    const DataLayout &layout) {
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() != ElementBits || shapes.of(pointer).isStrided())
    return {};
  const LinearAddress address(pointer, layout);
  if (!shapes.isUniform(address.base) || hasKnownObjectSize(address.base))
    return {};
  std::optional<LinearAddress::Term> index;
  for (const LinearAddress::Term &term : address.terms) {
    if (shapes.isUniform(term.number))
      continue;
    if (index)
      return {};
    index = term;
  }
  if (!index || index->bytes != ElementBits / 8 || !isNearlyStrided(index->number, shapes))
    return {};
  return index;
}

} // namespace kiln
