#include "passes/simd/decide/OneLaneBranch.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/analysis/Conjuncts.h"
#include "passes/analysis/PlainAccess.h"
#include "passes/analysis/Size.h"

using namespace mlir;

namespace kiln {
namespace {

// A longer branch hides the processor's latencies better as a vector with one active lane. Not measured: branches on
// the edges of tiles have 5 to 30 operations.
constexpr unsigned MaxOperations = 64;

std::optional<OneLaneBranch> oneLaneComparison(Value condition, const LaneShapes &shapes) {
  auto comparison = condition.getDefiningOp<arith::CmpIOp>();
  if (!comparison || comparison.getPredicate() != arith::CmpIPredicate::eq)
    return {};
  const auto rises = [&](Value value) {
    const std::optional<StrideInfo> info = shapes.of(value).strideInfo();
    return info && info->stride == 1 && isa<IntegerType>(value.getType());
  };
  Value id = comparison.getLhs(), number = comparison.getRhs();
  if (!rises(id))
    std::swap(id, number);
  if (!rises(id) || !shapes.isUniform(number) || id.getType().getIntOrFloatBitWidth() < 8)
    return {};
  return OneLaneBranch{comparison.getResult(), id, number};
}

// Private memory is interleaved by lane, and a generic pointer may point to it.
bool isShared(Value pointer) {
  const unsigned space = cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  return space == ocl::Global || space == ocl::Constant || space == ocl::Local;
}

// Returns true if a copy of the operation may run for one lane.
bool canRunInOneLane(Operation *op, scf::IfOp branch, const LaneShapes &shapes, const AccessGroups &groups) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return isPlain(load) && isShared(load.getAddr()) && !groups.of(op);
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return isPlain(store) && isShared(store.getAddr()) && !groups.of(op);
  if (isa<ocl::QueryOp>(op))
    return op->getParentOp() == branch && shapes.of(op->getResult(0)).isStridedAlways();
  if (isa<scf::IfOp, scf::YieldOp>(op))
    return true;
  return isa<arith::ArithDialect>(op->getDialect()) || isa<LLVM::GEPOp, ocl::MathOp>(op);
}

} // namespace

std::optional<OneLaneBranch> oneLaneBranch(scf::IfOp branch, const LaneShapes &shapes, const AccessGroups &groups) {
  if (branch.getNumResults() || !branch.getElseRegion().empty() ||
      hasMoreOperations(branch.getThenRegion(), MaxOperations))
    return {};
  std::optional<OneLaneBranch> found;
  for (Value side : conjuncts(branch.getCondition()))
    if (!found)
      found = oneLaneComparison(side, shapes);
  if (!found)
    return {};
  const auto isRefused = [&](Operation *op) {
    const bool usesVectors = llvm::any_of(op->getOperandTypes(), [](Type type) { return isa<VectorType>(type); });
    return usesVectors || !canRunInOneLane(op, branch, shapes, groups) ? WalkResult::interrupt()
                                                                       : WalkResult::advance();
  };
  return branch.getThenRegion().walk(isRefused).wasInterrupted() ? std::nullopt : found;
}

} // namespace kiln
