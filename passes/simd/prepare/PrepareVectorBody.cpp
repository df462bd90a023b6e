#include "passes/simd/prepare/PrepareVectorBody.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/analysis/SubGroupSize.h"
#include "passes/ocl/LiftControlFlow.h"
#include "passes/ocl/LowerSwitch.h"
#include "passes/simd/prepare/PoisonFlags.h"
#include "passes/simd/prepare/PromoteLoopMemory.h"
#include "passes/simd/prepare/UnrollPrivateArrayLoops.h"

using namespace mlir;

namespace kiln {
namespace {

// Lifting a graph takes O(n^2) time in its blocks.
constexpr size_t MaxBlocks = 300;

// A switch becomes nested comparisons. With more cases a jump per work-item is as fast.
constexpr unsigned MaxCases = 128;

// Sub-groups consist of consecutive linear local ids, so a sub-group id and the id within one follow from that.
void lowerSubGroupQueries(Region &body) {
  const int64_t size = cpuSubGroupSize(body.getParentOp());
  body.walk([size](ocl::LinearQueryOp query) {
    bool isId = query.getKind() == ocl::LinearQuery::sub_group_id;
    if (!isId && query.getKind() != ocl::LinearQuery::sub_group_local_id)
      return;
    OpBuilder b(query);
    Location loc = query.getLoc();
    Type type = query.getType();
    Value linear = ocl::LinearQueryOp::create(b, loc, type, ocl::LinearQuery::local_linear_id);
    auto number = [&](int64_t value) { return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)); };
    Value result;
    if (isId)
      result = arith::ShRUIOp::create(b, loc, linear, number(llvm::Log2_64(uint64_t(size))));
    else
      result = arith::AndIOp::create(b, loc, linear, number(size - 1));
    query.replaceAllUsesWith(result);
    query.erase();
  });
}

// Replaces an insert whose element a shuffle copies to all lanes by a broadcast.
void shuffleToBroadcast(Region &body) {
  body.walk([](vector::ShuffleOp shuffle) {
    auto insert = shuffle.getV1().getDefiningOp<vector::InsertOp>();
    if (!insert || !insert.getDynamicPosition().empty() || insert.getStaticPosition().size() != 1 ||
        isa<VectorType>(insert.getValueToStoreType()) || !llvm::all_equal(shuffle.getMask()) ||
        shuffle.getMask().front() != insert.getStaticPosition()[0])
      return;
    OpBuilder b(shuffle);
    shuffle.replaceAllUsesWith(
        vector::BroadcastOp::create(b, shuffle.getLoc(), shuffle.getType(), insert.getValueToStore()).getResult());
    shuffle.erase();
  });
}

// if %c {} else {A}  ==>  if not %c {A}: the form that lifting an early return makes.
void invertEmptyThen(Region &body) {
  body.walk([](scf::IfOp branch) {
    if (branch.getNumResults() || branch.getElseRegion().empty() || !branch.thenBlock()->without_terminator().empty() ||
        branch.elseBlock()->without_terminator().empty())
      return;
    OpBuilder b(branch);
    Value yes = intConstant(b, branch.getLoc(), 1, 1);
    branch.getConditionMutable().set(arith::XOrIOp::create(b, branch.getLoc(), branch.getCondition(), yes));
    branch.getThenRegion().takeBody(branch.getElseRegion());
  });
}

// Replaces branches that choose between integers by selects, if each side has a few operations that other work-items
// may execute. Clamps are in this form: `x < r ? 0 : x - r`.
//
//   %l = scf.if %c -> i32 { yield %zero } else { %s = subi %x, %r; yield %s }   ==>   %s = subi %x, %r
//                                                                                     %l = select %c, %zero, %s
void branchesToSelects(Region &body) {
  constexpr unsigned MaxSideOps = 4;
  auto isCheap = [](Region &side) {
    unsigned count = 0;
    return llvm::all_of(side.front().without_terminator(), [&](Operation &op) {
      return op.getNumRegions() == 0 && op.getNumResults() == 1 && op.getResult(0).getType().isInteger() &&
             isMemoryEffectFree(&op) && isSpeculatable(&op) && ++count <= MaxSideOps;
    });
  };
  body.walk([&](scf::IfOp branch) { // inner ones first
    if (branch.getNumResults() == 0 || !isCheap(branch.getThenRegion()) || !isCheap(branch.getElseRegion()) ||
        !llvm::all_of(branch.getResultTypes(), [](Type type) { return type.isInteger(); }))
      return;
    OpBuilder b(branch);
    for (Block *side : {branch.thenBlock(), branch.elseBlock()})
      for (Operation &op : llvm::make_early_inc_range(side->without_terminator())) {
        op.moveBefore(branch);
        dropPoisonGeneratingFlags(&op);
      }
    for (auto [result, yes, no] :
         llvm::zip(branch.getResults(), branch.thenYield().getOperands(), branch.elseYield().getOperands()))
      result.replaceAllUsesWith(
          arith::SelectOp::create(b, branch.getLoc(), branch.getCondition(), yes, no).getResult());
    branch.erase();
  });
}

// Moves invariant operations of loops' conditions, as the bound in `i <= min(x + r, last)`, before the loops. Each
// work-item that comes to the loop executes them there.
void hoistFromConditions(Region &body) {
  body.walk([](scf::WhileOp loop) { // inner ones first
    for (Operation &op : llvm::make_early_inc_range(loop.getBeforeBody()->without_terminator()))
      if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) && isSpeculatable(&op) &&
          llvm::all_of(op.getOperands(), [&](Value operand) { return loop.isDefinedOutsideOfLoop(operand); }))
        op.moveBefore(loop);
  });
}

// if %a { if %b {A} }  ==>  if %a and %b {A}, if the operations before the inner branch can be speculated.
void mergeNestedIfs(Region &body) {
  constexpr unsigned MaxOpsBetween = 12;
  body.walk([](scf::IfOp outer) { // inner ones first
    Block &block = *outer.thenBlock();
    if (outer.getNumResults() || !outer.getElseRegion().empty() || block.without_terminator().empty())
      return;
    auto inner = dyn_cast<scf::IfOp>(*std::prev(block.without_terminator().end()));
    if (!inner || inner.getNumResults() || !inner.getElseRegion().empty())
      return;
    auto between = llvm::make_range(block.begin(), inner->getIterator());
    if (llvm::range_size(between) > MaxOpsBetween || llvm::any_of(between, [](Operation &op) {
          return op.getNumRegions() || !isMemoryEffectFree(&op) || !isSpeculatable(&op);
        }))
      return;
    for (Operation &op : llvm::make_early_inc_range(between)) {
      op.moveBefore(outer);
      dropPoisonGeneratingFlags(&op);
    }
    OpBuilder b(outer);
    outer.getConditionMutable().set(
        arith::AndIOp::create(b, outer.getLoc(), outer.getCondition(), inner.getCondition()));
    Block &innermost = *inner.thenBlock();
    block.getOperations().splice(inner->getIterator(), innermost.getOperations(), innermost.begin(),
                                 std::prev(innermost.end()));
    inner.erase();
  });
}

// Lowers slot accesses to loads and stores: adjacent work-items' elements are adjacent in memory. An i1 is a byte
// there.
void lowerSlotAccesses(Region &body) {
  SmallVector<Operation *> accesses;
  body.walk([&](Operation *op) {
    if (isa<wg::LoadOp, wg::StoreOp>(op))
      accesses.push_back(op);
  });
  for (Operation *op : accesses) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto load = dyn_cast<wg::LoadOp>(op);
    Value slot = load ? load.getSlot() : cast<wg::StoreOp>(op).getSlot();
    Value address = wg::AddressOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), slot);
    Type type = cast<wg::SlotType>(slot.getType()).getElement();
    bool isFlag = type.isInteger(1);
    if (!load) {
      Value value = cast<wg::StoreOp>(op).getValue();
      if (isFlag)
        value = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
      LLVM::StoreOp::create(b, loc, value, address);
    } else {
      Value value = LLVM::LoadOp::create(b, loc, isFlag ? b.getI8Type() : type, address);
      if (isFlag)
        value = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, intConstant(b, loc, 0, 8));
      load.replaceAllUsesWith(value);
    }
    op->erase();
  }
}

} // namespace

const char *structurizeBody(wg::ParallelOp region, const FrozenRewritePatternSet &simplify,
                            const FrozenRewritePatternSet &finish) {
  Region &body = region.getBody();
  if (!body.hasOneBlock()) {
    if (body.getBlocks().size() > MaxBlocks)
      return "its control flow has more than 300 blocks, too many to structurize";
    if (!liftControlFlow(body, region) || !isa<wg::YieldOp>(body.front().getTerminator()))
      return "its control flow never ends or cannot be structurized";
  }
  SmallVector<scf::IndexSwitchOp> switches;
  body.walk([&](scf::IndexSwitchOp op) { switches.push_back(op); });
  for (scf::IndexSwitchOp op : switches)
    if (op.getNumCases() > MaxCases)
      return "a switch has more than 128 cases";
  for (scf::IndexSwitchOp op : switches)
    lowerSwitch(op);
  lowerSubGroupQueries(body);
  lowerSlotAccesses(body);
  shuffleToBroadcast(body);
  const GreedyRewriteConfig config = GreedyRewriteConfig().setListener(unrollHintListener());
  (void)applyPatternsGreedily(body, simplify, config);
  invertEmptyThen(body);
  branchesToSelects(body);
  hoistFromConditions(body);
  mergeNestedIfs(body);
  unrollPrivateArrayLoops(body);
  promoteLoopMemory(body);
  (void)applyPatternsGreedily(body, finish, config); // folds negated conditions and indices that are constant now
  return nullptr;
}

} // namespace kiln
