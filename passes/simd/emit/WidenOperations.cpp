#include "passes/simd/emit/WidenOperations.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/analysis/Elementwise.h"
#include "passes/simd/decide/EarlyChecks.h"
#include "passes/simd/emit/CheckAssumptions.h"
#include "passes/simd/emit/CopyForLane0.h"
#include "passes/simd/emit/Scalarize.h"
#include "passes/simd/emit/WidenCheck.h"
#include "passes/simd/emit/WidenElementwise.h"
#include "passes/simd/emit/WidenIf.h"
#include "passes/simd/emit/WidenMemory.h"
#include "passes/simd/emit/WidenShortVectors.h"
#include "passes/simd/emit/WidenTrack.h"
#include "passes/simd/emit/WidenWhile.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace kiln {
namespace {

// Returns true if lane 0's value is all that the results need, and lane 0 may compute it.
bool isComputedByLane0(VectorBody &body, Operation *op) {
  return op->getNumResults() > 0 && !op->getNumRegions() &&
         llvm::all_of(op->getResults(), [&](Value result) { return body.hasLane0(result); }) &&
         (isMemoryEffectFree(op) || isa<wg::ReadOp>(op));
}

// Reads an element of a slot that is the same for all lanes, if checks of its index have passed.
bool widenRead(VectorBody &body, wg::ReadOp read) {
  VectorBuilder &b = body.builder();
  const std::optional<StrideInfo> info = body.knownStrideInfo(body.shape(read.getItem()));
  if (!info || info->stride != 0 || !isa<IntegerType, FloatType>(read.getType()))
    return false;
  Value shared = wg::ReadOp::create(b, read.getType(), read.getSlot(), body.lane0(read.getItem()));
  body.setVectors(read.getResult(), b.splatVectors(shared));
  return true;
}

// Widens an operation by its kind. Returns false for kinds without a row, and for forms of an operation that the
// function of its row does not handle.
bool widenByKind(VectorBody &body, Operation *op, Value mask) {
  auto emitsNothing = [](Operation *) { return true; };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](scf::IfOp branch) { return widenIf(body, branch, mask), true; })
      .Case([&](scf::WhileOp loop) { return widenWhile(body, loop, mask), true; })
      .Case([&](LLVM::LoadOp load) { return !load.getVolatile_() && (widenLoad(body, load, mask), true); })
      .Case([&](LLVM::StoreOp store) { return !store.getVolatile_() && (widenStore(body, store, mask), true); })
      .Case([&](wg::ReadOp read) { return widenRead(body, read); })
      .Case<ocl::QueryOp, ocl::LinearQueryOp, ocl::FenceOp, wg::AddressOp, LLVM::AllocaOp>(
          [&](Operation *) { return copyForLane0(body, op, mask), true; })
      .Case([&](ocl::TrackAccessOp track) { return widenTrack(body, track, mask); })
      .Case([&](vector::ExtractOp extract) { return widenExtract(body, extract); })
      .Case([&](vector::InsertOp insert) { return widenInsert(body, insert); })
      .Case([&](vector::FromElementsOp join) { return widenFromElements(body, join), true; })
      .Case([&](vector::BroadcastOp broadcast) { return widenBroadcast(body, broadcast); })
      .Case([&](vector::ShuffleOp shuffle) { return widenShuffle(body, shuffle), true; })
      .Case<vector::BitCastOp, arith::BitcastOp, LLVM::BitcastOp>([&](Operation *) { return widenBitcast(body, op); })
      .Case<LLVM::GEPOp>(emitsNothing) // addresses are computed where they are used
      .Case<LLVM::DbgValueOp, LLVM::DbgDeclareOp>(emitsNothing)
      .Default([](Operation *) { return false; });
}

void widenOperation(VectorBody &body, Operation *op, Value mask) {
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && enterGuard(body, branch))
    return;
  llvm::SaveAndRestore canFallBack(body.fallback().canFallBack);
  if (op->getNumRegions())
    body.fallback().canFallBack = false;
  if (auto check = dyn_cast<ocl::CheckAccessOp>(op))
    return widenCheck(body, check, mask);
  if (const ScatteredUpdate *update = body.updateOf(op); update && op != update->store)
    return; // at the store
  if (isComputedByLane0(body, op))
    return copyForLane0(body, op, mask);
  if (widenByKind(body, op, mask))
    return;
  if (isElementwise(op))
    return widenElementwise(body, op, mask);
  scalarize(body, op, mask);
}

} // namespace

void widenBlock(VectorBody &body, Block &block, Value mask) {
  for (Operation &op : block.without_terminator()) {
    body.builder().setLoc(op.getLoc());
    widenOperation(body, &op, mask);
    const bool isCheckedEarly = body.shapes().isCheckedEarly(&op);
    assert((!isCheckedEarly || body.fallback().canFallBack) && "code relies on a check that nothing emits");
    if (isCheckedEarly)
      body.checks().checkEarly(&op); // before code that compares what the check confirms
    auto check = dyn_cast<ocl::CheckAccessOp>(op);
    if (body.options().checksAssumptions && !(check && body.groups().covers(check)))
      expectStrides(body, &op, mask);
    body.fallback().canFallBack = body.fallback().canFallBack && isRepeatable(&op);
    if (body.fallback().canFallBack && !isCheckedEarly)
      body.checks().checkEarly(&op);
  }
}

} // namespace kiln
