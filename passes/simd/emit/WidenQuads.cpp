#include "passes/simd/emit/WidenQuads.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/simd/emit/CheckAssumptions.h"
#include "passes/simd/emit/ConsecutiveAccesses.h"
#include "passes/simd/emit/LaneValues.h"
#include "passes/simd/emit/MaskedLoad.h"
#include "passes/simd/emit/Transpose.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned Quad = 4;

// The operands of a division, a remainder, a shift or a mask, and the stride of the strided one.
struct TileOperands {
  Value strided, uniform;
  StrideInfo info;
};

// Nothing if quads of this operation cannot be checked: the stride must be a power of two and have no guards.
std::optional<TileOperands> tileOperandsOf(VectorBody &body, Operation *divRemOrMask) {
  Value strided = divRemOrMask->getOperand(0), uniform = divRemOrMask->getOperand(1);
  if (body.shape(strided).isUniform())
    std::swap(strided, uniform);
  const std::optional<StrideInfo> info = body.knownStrideInfo(body.shape(strided));
  if (!info || info->stride <= 0 || !llvm::isPowerOf2_64(uint64_t(info->stride)) || !body.shape(uniform).isUniform())
    return {};
  return TileOperands{strided, uniform, *info};
}

// Checks that tiles and quads start at multiples of `span`, the distance that four lanes cover.
Value checkQuads(VectorBody &body, Value pointer) {
  VectorBuilder &b = body.builder();
  if (body.isSkipped(Assumption::Quads))
    return intConstant(b, 1, 1);
  Value holds;
  const LaneShape where = body.quadShapes()->of(pointer); // a temporary of the loop's range would be destroyed
  for (Operation *guard : where.guards()) {
    if (isa<ocl::CheckAccessOp>(guard)) { // a lane's pointer is redirected if its check fails
      Value passes = arith::XOrIOp::create(b, body.checks().failureOf(guard), intConstant(b, 1, 1));
      holds = holds ? arith::AndIOp::create(b, holds, passes).getResult() : passes;
      continue;
    }
    const TileOperands operands = *tileOperandsOf(body, guard);
    Value strided = body.lane0(operands.strided), uniform = body.lane0(operands.uniform);
    Type type = strided.getType();
    auto constant = [&](uint64_t value) {
      return arith::ConstantOp::create(b, b.getIntegerAttr(type, int64_t(value))).getResult();
    };
    auto require = [&](arith::CmpIPredicate predicate, Value a, Value bound) {
      Value one = arith::CmpIOp::create(b, predicate, a, bound);
      holds = holds ? arith::AndIOp::create(b, holds, one).getResult() : one;
    };
    const uint64_t span = Quad * uint64_t(operands.info.stride);
    auto low = [&](Value value) { return arith::AndIOp::create(b, value, constant(span - 1)).getResult(); };
    require(arith::CmpIPredicate::eq, low(strided), constant(0));
    if (isa<arith::AndIOp>(guard)) {
      require(arith::CmpIPredicate::eq, low(uniform), constant(span - 1));
      continue;
    }
    const unsigned bits = type.getIntOrFloatBitWidth();
    const bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp>(guard);
    const APInt max = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    require(arith::CmpIPredicate::ule, strided, constant((max - (span / Quad) * (b.lanes() - 1)).getZExtValue()));
    if (isa<arith::ShRUIOp, arith::ShRSIOp>(guard))
      require(arith::CmpIPredicate::uge, uniform, constant(llvm::Log2_64(span)));
    else
      require(arith::CmpIPredicate::eq, low(uniform), constant(0));
  }
  return holds;
}

} // namespace

bool canUseQuads(VectorBody &body, const MemoryAccess &access) {
  VectorBuilder &b = body.builder();
  if (!body.quadShapes() || b.lanes() % Quad || b.lanes() == Quad)
    return false;
  const LaneShape where = body.quadShapes()->of(access.pointer);
  return isConsecutive(body, where.strideInfoIfGuardsHold(), access.type) &&
         getElementTypeOrSelf(access.type).getIntOrFloatBitWidth() >= body.target().minMaskedElementBits &&
         !where.guards().empty() && llvm::all_of(where.guards(), [&](Operation *guard) {
           if (isa<ocl::CheckAccessOp>(guard))
             return bool(body.checks().failureOf(guard));
           return isDivRemOrMask(guard) && tileOperandsOf(body, guard);
         });
}

Vectors loadQuads(VectorBody &body, const MemoryAccess &access, llvm::function_ref<Vectors()> otherwise) {
  VectorBuilder &b = body.builder();
  const auto [pointer, type, alignment, mask] = access;
  const unsigned count = componentCount(type);
  const SmallVector<Type> types(b.vectorCount(type), b.wide(b.laneType(type)));
  auto branch = scf::IfOp::create(b, types, checkQuads(body, pointer), /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  auto row = VectorType::get({int64_t(Quad) * count}, getElementTypeOrSelf(type));
  SmallVector<Value> rows;
  for (unsigned lane = 0; lane < b.lanes(); lane += Quad) {
    Value from = laneOf(body, pointer, lane);
    rows.push_back(mask ? maskedLoad(b, row, from, b.repeatLanes(b.slice(mask, lane, Quad), count, Quad), alignment)
                        : LLVM::LoadOp::create(b, row, from, alignment).getResult());
  }
  Value interleaved = b.concat(rows);
  if (body.options().checksAssumptions && count == 1)
    expectLoaded(body, interleaved, access, Assumption::Quads);
  scf::YieldOp::create(b, b.isAos() || count == 1 ? Vectors{interleaved} : deinterleave(b, interleaved, count));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, otherwise());
  return Vectors(branch.getResults());
}

void storeQuads(VectorBody &body, const MemoryAccess &access, Value value, llvm::function_ref<void()> otherwise) {
  VectorBuilder &b = body.builder();
  const auto [pointer, type, alignment, mask] = access;
  const unsigned count = componentCount(type);
  const Vectors own = body.vectors(value);
  auto branch = scf::IfOp::create(b, TypeRange(), checkQuads(body, pointer), /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value interleaved = b.isAos() || count == 1 ? own[0] : interleave(b, own);
  for (unsigned lane = 0; lane < b.lanes(); lane += Quad) {
    Value to = laneOf(body, pointer, lane), row = b.slice(interleaved, lane * count, Quad * count);
    if (mask)
      LLVM::MaskedStoreOp::create(b, row, to, b.repeatLanes(b.slice(mask, lane, Quad), count, Quad),
                                  b.getI32IntegerAttr(int32_t(alignment)));
    else
      LLVM::StoreOp::create(b, row, to, alignment);
  }
  scf::YieldOp::create(b);
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
  scf::YieldOp::create(b);
}

} // namespace kiln
