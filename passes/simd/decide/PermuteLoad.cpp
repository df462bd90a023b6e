#include "passes/simd/decide/PermuteLoad.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/simd/decide/AccessGroups.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MaxOperations = 32, ElementBits = 32;

// The operands that have to be nearly strided for the result to be; nothing if the result may be anything.
// `allowsTiles`: divisions, remainders, shifts and masks.
std::optional<ValueRange> nearlyStridedOperands(Operation *op, const LaneShapes &shapes, bool allowsTiles) {
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
  if ((isa<arith::MulFOp, arith::DivFOp>(op) || (allowsTiles && isDivRemOrMask(op))) && shapes.isUniform(operands[1]))
    return operands.take_front();
  return {};
}

// The values that control flow chooses from: those of the sides of a branch; the first and the next value of a number
// that a loop carries; in a loop's body, what its condition forwards. None for other values.
SmallVector<Value, 2> chosenFrom(Value value) {
  if (auto branch = value.getDefiningOp<scf::IfOp>()) {
    const unsigned number = cast<OpResult>(value).getResultNumber();
    return {branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)};
  }
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp()) : scf::WhileOp();
  if (!loop)
    return {};
  const unsigned number = argument.getArgNumber();
  if (argument.getOwner() == loop.getBeforeBody())
    return {loop.getInits()[number], loop.getYieldOp().getOperand(number)};
  return {loop.getConditionOp().getArgs()[number]};
}

bool isNearlyStrided(Value value, const LaneShapes &shapes, bool allowsTiles) {
  llvm::SmallSetVector<Value, MaxOperations> visited;
  visited.insert(value);
  for (size_t next = 0; next < visited.size(); ++next) {
    if (shapes.of(visited[next]).isStrided())
      continue;
    if (const auto chosen = chosenFrom(visited[next]); !chosen.empty() && visited.size() < MaxOperations) {
      visited.insert(chosen.begin(), chosen.end());
      continue;
    }
    Operation *op = visited[next].getDefiningOp();
    const auto operands =
        op && visited.size() < MaxOperations ? nearlyStridedOperands(op, shapes, allowsTiles) : std::nullopt;
    if (!operands)
      return false;
    visited.insert(operands->begin(), operands->end());
  }
  return true;
}

// The only term of the address that varies by lane, if it is a nearly strided index of elements of this type.
std::optional<LinearAddress::Term> nearlyStridedIndex(Value pointer, Type type, const LaneShapes &shapes,
                                                      const DataLayout &layout, bool allowsTiles) {
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8 != 0 || shapes.of(pointer).isStrided())
    return {};
  const LinearAddress address(pointer, layout);
  if (!shapes.isUniform(address.base))
    return {};
  std::optional<LinearAddress::Term> index;
  for (const LinearAddress::Term &term : address.terms) {
    if (shapes.isUniform(term.number))
      continue;
    if (index)
      return {};
    index = term;
  }
  if (!index || index->bytes * 8 != int64_t(type.getIntOrFloatBitWidth()) ||
      !isNearlyStrided(index->number, shapes, allowsTiles))
    return {};
  return index;
}

} // namespace

std::optional<LinearAddress::Term> permuteLoadIndex(Value pointer, Type type, const LaneShapes &shapes,
                                                    const DataLayout &layout) {
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() != ElementBits ||
      hasKnownObjectSize(LinearAddress(pointer, layout).base))
    return {};
  return nearlyStridedIndex(pointer, type, shapes, layout, /*allowsTiles=*/true);
}

std::optional<LinearAddress::Term> clampedIndex(Value pointer, Type type, const LaneShapes &shapes,
                                                const DataLayout &layout) {
  return nearlyStridedIndex(pointer, type, shapes, layout, /*allowsTiles=*/false);
}

} // namespace kiln
