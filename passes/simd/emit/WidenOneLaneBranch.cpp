// Runs a branch that at most one lane takes as a scalar copy for that lane:
//
//   %first = id of lane 0                                  %distance = n - %first
//   scf.if (id == n) {                                     scf.if (%distance < lanes) {
//     llvm.store %x, %p                           ==>        llvm.store <lane %distance of %x>, <lane %distance of %p>
//   }                                                      }
//
// As a vector, each access in the branch would be one per lane, with the dummy slot's address for all but one of them.
// bench's halo_stencil, a diffusion step on tiles of 16 x 16 whose edges load the halo by two such branches, takes 5.6
// ms on one thread in place of 10.2.
#include "passes/simd/emit/WidenOneLaneBranch.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/analysis/Conjuncts.h"
#include "passes/simd/emit/CopyForLane0.h"

using namespace mlir;

namespace kiln {
namespace {

/// Values of the scalar body in one lane, whose number is known at run time.
class LaneCopy {
public:
  LaneCopy(VectorBody &body, Value lane) : body_(body), b_(body.builder()), lane_(lane) {}

  Value of(Value value) {
    if (Value known = copies_.lookupOrNull(value))
      return known;
    const Value copy = make(value);
    copies_.map(value, copy);
    return copy;
  }

  void copy(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (isa<ocl::QueryOp>(op)) {
        copyForLane0(body_, &op, {}); // then `of` adds the lane's distance
        continue;
      }
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (!op.isAncestor(definingOperation(operand)))
            of(operand);
      });
      b_.clone(op, copies_);
    }
  }

  Value bitOf(Value mask) {
    const Value bits = b_.maskBits(mask);
    const Value moved = arith::ShRUIOp::create(b_, bits, number(bits.getType()));
    return arith::TruncIOp::create(b_, b_.getI1Type(), moved);
  }

private:
  // The lane's number as an integer of this type.
  Value number(Type type) {
    if (isa<IndexType>(type))
      return arith::IndexCastUIOp::create(b_, type, lane_);
    const unsigned width = type.getIntOrFloatBitWidth(), own = lane_.getType().getIntOrFloatBitWidth();
    return width > own   ? arith::ExtUIOp::create(b_, type, lane_).getResult()
           : width < own ? arith::TruncIOp::create(b_, type, lane_).getResult()
                         : lane_;
  }

  static Operation *definingOperation(Value value) {
    Operation *op = value.getDefiningOp();
    return op ? op : value.getParentBlock()->getParentOp();
  }

  Value make(Value value) {
    const LaneShape shape = body_.shape(value);
    if (shape.isUniform())
      return body_.lane0(value);
    if (const std::optional<StrideInfo> info = body_.knownStrideInfo(shape); info && !isa<VectorType>(value.getType()))
      return strided(value, info->stride);
    // Code is shorter if the lane computes a number again than if it is extracted from a vector.
    Operation *op = value.getDefiningOp();
    if (op && !body_.hasVectors(value) && !op->getNumRegions() && isMemoryEffectFree(op)) {
      IRMapping mapping;
      for (Value operand : op->getOperands())
        mapping.map(operand, of(operand));
      return b_.clone(*op, mapping)->getResult(cast<OpResult>(value).getResultNumber());
    }
    const Value vector = body_.vectors(value)[0];
    if (value.getType().isInteger(1))
      return bitOf(vector);
    const Value index = number(b_.getIndexType());
    return vector::ExtractOp::create(b_, vector, ArrayRef<OpFoldResult>{index});
  }

  Value strided(Value value, int64_t stride) {
    const Value first = body_.lane0(value);
    if (stride == 0)
      return first;
    const bool isPointer = isa<LLVM::LLVMPointerType>(value.getType());
    const Type type = isPointer ? b_.getI64Type() : value.getType();
    const Value step = arith::ConstantOp::create(b_, b_.getIntegerAttr(type, stride));
    const Value distance = arith::MulIOp::create(b_, number(type), step);
    if (isPointer)
      return LLVM::GEPOp::create(b_, value.getType(), b_.getI8Type(), first, ValueRange{distance});
    return arith::AddIOp::create(b_, first, distance);
  }

  VectorBody &body_;
  VectorBuilder &b_;
  const Value lane_;
  IRMapping copies_;
};

} // namespace

void widenOneLaneBranch(VectorBody &body, scf::IfOp op, const OneLaneBranch &taken, Value mask) {
  VectorBuilder &b = body.builder();
  OpBuilder::InsertionGuard guard(b);
  VectorBody::CounterpartsScope scope(body);
  const auto enter = [&](Value condition) {
    auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  };
  const Value lane = arith::SubIOp::create(b, body.lane0(taken.number), body.lane0(taken.id));
  const Value lanes = arith::ConstantOp::create(b, b.getIntegerAttr(lane.getType(), b.lanes()));
  enter(arith::CmpIOp::create(b, arith::CmpIPredicate::ult, lane, lanes));
  LaneCopy copy(body, lane);
  if (mask) // before anything that holds for active lanes only
    enter(copy.bitOf(mask));
  for (Value side : conjuncts(op.getCondition()))
    if (side != taken.comparison)
      enter(copy.of(side));
  copy.copy(op.getThenRegion().front());
}

} // namespace kiln
