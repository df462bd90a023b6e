#include "passes/simd/emit/VectorBody.h"
#include "passes/simd/emit/LaneValues.h"

using namespace mlir;

namespace kiln {
namespace {
// Operations of branches and loops that may be emitted twice, without and with a mask.
constexpr unsigned MaxDuplicatedOps = 150;
} // namespace

VectorBody::VectorBody(wg::ParallelOp from, Region &to, const Analyses &analyses, const Options &options)
    : from_(from), to_(to), analyses_(analyses), options_(options), layout_(DataLayout::closest(from)),
      builder_(from.getLoc(), options.target, options.lanes, options.registerBits, options.isAos) {
  fallback_.canFallBack = !from.getMask();
}

bool VectorBody::hasVectors(Value value) const {
  const auto known = values_.find(value);
  return known != values_.end() && !known->second.vectors.empty();
}

Value VectorBody::lane0(Value value) const {
  if (!from_->getRegion(0).isAncestor(value.getParentRegion()))
    return value;
  return values_.find(value)->second.lane0;
}

// Emitted after lane 0's value, so that the vectors dominate every use. A varying address is computed at each use
// instead.
Vectors VectorBody::vectors(Value value) {
  if (hasVectors(value))
    return values_.find(value)->second.vectors;
  if (!hasLane0(value))
    return {widenCopy(*this, value.getDefiningOp())};
  OpBuilder::InsertionGuard guard(builder_);
  Value scalar = lane0(value);
  if (!to_.isAncestor(scalar.getParentRegion()))
    builder_.setInsertionPointToStart(&to_.front());
  else
    builder_.setInsertionPointAfterValue(scalar);
  Vectors made = vectorsFromLane0(*this, value);
  setVectors(value, made);
  return made;
}

const ScatteredUpdate *VectorBody::updateOf(Operation *op) const {
  const ScatteredUpdate *update = options_.isAos ? nullptr : analyses_.updates.of(op);
  if (!update || !quadShapes())
    return update;
  LLVM::LoadOp load = update->load;
  return quadShapes()->of(load.getAddr()).isStrided() ? nullptr : update;
}

bool VectorBody::mayDuplicate(unsigned ops) const { return duplicatedOps_ + ops <= MaxDuplicatedOps; }

} // namespace kiln
