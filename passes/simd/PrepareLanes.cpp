#include "passes/simd/PrepareLanes.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/analysis/SubGroupSize.h"
#include "passes/ocl/LiftFlow.h"
#include "passes/ocl/UnfoldSwitch.h"
#include "passes/simd/Promises.h"
#include "passes/simd/UnrollLoops.h"
#include "passes/wg/PrivateMemory.h"

using namespace mlir;

namespace kiln {
namespace {

// Lifting a graph takes time that grows with the square of its blocks.
constexpr size_t MaxBlocks = 300;

// Each is tried in its turn, one in the other. From here on a jump for each work-item is as fast.
constexpr unsigned MaxCases = 128;

// Sub-groups are runs of work-items, so that a lane's place in one is a matter of its linear local id.
void answerSubGroupQueries(Region &body) {
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
    Value answer;
    if (isId)
      answer = arith::ShRUIOp::create(b, loc, linear, number(llvm::Log2_64(uint64_t(size))));
    else
      answer = arith::AndIOp::create(b, loc, linear, number(size - 1));
    query.replaceAllUsesWith(answer);
    query.erase();
  });
}

// A number put into one place of a vector, and that place shuffled to all, is the number for all.
void nameSplats(Region &body) {
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

// if %c {} else {A}  ==>  if not %c {A}: what an early return leaves.
void turnRound(Region &body) {
  body.walk([](scf::IfOp branch) {
    if (branch.getNumResults() || branch.getElseRegion().empty() || !branch.thenBlock()->without_terminator().empty() ||
        branch.elseBlock()->without_terminator().empty())
      return;
    OpBuilder b(branch);
    Value yes = arith::ConstantIntOp::create(b, branch.getLoc(), 1, 1);
    branch.getConditionMutable().set(arith::XOrIOp::create(b, branch.getLoc(), branch.getCondition(), yes));
    branch.getThenRegion().takeBody(branch.getElseRegion());
  });
}

// if %a { if %b {A} }  ==>  if %a and %b {A}, where what stands in between may run for nothing.
void joinConditions(Region &body) {
  constexpr unsigned MostBetween = 12;
  body.walk([](scf::IfOp outer) { // inner ones first
    Block &block = *outer.thenBlock();
    if (outer.getNumResults() || !outer.getElseRegion().empty() || block.without_terminator().empty())
      return;
    auto inner = dyn_cast<scf::IfOp>(*std::prev(block.without_terminator().end()));
    if (!inner || inner.getNumResults() || !inner.getElseRegion().empty())
      return;
    auto between = llvm::make_range(block.begin(), inner->getIterator());
    if (llvm::range_size(between) > MostBetween || llvm::any_of(between, [](Operation &op) {
          return op.getNumRegions() || !isMemoryEffectFree(&op) || !isSpeculatable(&op);
        }))
      return;
    for (Operation &op : llvm::make_early_inc_range(between)) {
      op.moveBefore(outer);
      dropPromises(&op);
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

// A slot's values of neighbours lie side by side, as those of any array. Flags are bytes there.
void openSlots(Region &body) {
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
        value =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, arith::ConstantIntOp::create(b, loc, 0, 8));
      load.replaceAllUsesWith(value);
    }
    op->erase();
  }
}

Type leafOf(Type type) {
  while (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    type = array.getElementType();
  return type;
}

int64_t leavesOf(Type type) {
  int64_t count = 1;
  while (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    count *= array.getNumElements(), type = array.getElementType();
  return count;
}

/// A variable whose every access is of a whole element.
class ElementArray {
public:
  ElementArray(LLVM::AllocaOp variable) : leaf_(leafOf(variable.getElemType())) {
    isOne_ = isa<IntegerType, FloatType, VectorType, LLVM::LLVMPointerType>(leaf_);
    SmallVector<Value> pointers{variable};
    while (isOne_ && !pointers.empty())
      for (OpOperand &use : pointers.pop_back_val().getUses())
        look(use, pointers);
  }
  bool isOne() const { return isOne_; }
  Type leaf() const { return leaf_; }

  void spread(unsigned lanes) {
    for (LLVM::GEPOp gep : addresses_) {
      OpBuilder b(gep);
      Value element = index(b, gep);
      Value scaled = arith::MulIOp::create(b, gep.getLoc(), element, number(b, gep.getLoc(), lanes));
      auto made = LLVM::GEPOp::create(b, gep.getLoc(), gep.getType(), leaf_, gep.getBase(), ValueRange{scaled});
      gep.replaceAllUsesWith(made.getResult());
      gep.erase();
    }
  }

private:
  void look(OpOperand &use, SmallVector<Value> &pointers) {
    Operation *user = use.getOwner();
    if (auto gep = dyn_cast<LLVM::GEPOp>(user)) {
      Type type = gep.getElemType();
      for (size_t level = 1; level < gep.getIndices().size(); ++level) {
        auto array = dyn_cast<LLVM::LLVMArrayType>(type);
        isOne_ &= bool(array);
        if (array)
          type = array.getElementType();
      }
      isOne_ &= use.getOperandNumber() == 0 && leafOf(gep.getElemType()) == leaf_;
      addresses_.push_back(gep);
      pointers.push_back(gep);
    } else if (auto load = dyn_cast<LLVM::LoadOp>(user)) {
      isOne_ &= load.getType() == leaf_ && !load.getVolatile_();
    } else if (auto store = dyn_cast<LLVM::StoreOp>(user)) {
      isOne_ &= use.getOperandNumber() == 1 && store.getValue().getType() == leaf_ && !store.getVolatile_();
    } else {
      isOne_ = false;
    }
  }

  static Value number(OpBuilder &b, Location loc, int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  }

  // Which element an address names, counted from the base's.
  static Value index(OpBuilder &b, LLVM::GEPOp gep) {
    Location loc = gep.getLoc();
    Type type = gep.getElemType();
    Value sum;
    bool isFirst = true;
    for (auto one : gep.getIndices()) {
      if (!isFirst)
        type = cast<LLVM::LLVMArrayType>(type).getElementType();
      isFirst = false;
      Value at;
      if (auto value = dyn_cast<Value>(one))
        at = value.getType().isInteger(64) ? value : Value(arith::ExtSIOp::create(b, loc, b.getI64Type(), value));
      else
        at = number(b, loc, cast<IntegerAttr>(one).getInt());
      if (int64_t leaves = leavesOf(type); leaves != 1)
        at = arith::MulIOp::create(b, loc, at, number(b, loc, leaves));
      sum = sum ? arith::AddIOp::create(b, loc, sum, at).getResult() : at;
    }
    return sum;
  }

  Type leaf_;
  bool isOne_ = false;
  SmallVector<LLVM::GEPOp> addresses_;
};

} // namespace

const char *structureBody(wg::ParallelOp region, const FrozenRewritePatternSet &simplify) {
  Region &body = region.getBody();
  if (!body.hasOneBlock()) {
    if (body.getBlocks().size() > MaxBlocks)
      return "its control flow has too many ways to give it structure";
    if (!liftFlow(body, region) || !isa<wg::YieldOp>(body.front().getTerminator()))
      return "its control flow does not end, or has no structure";
  }
  SmallVector<scf::IndexSwitchOp> switches;
  body.walk([&](scf::IndexSwitchOp op) { switches.push_back(op); });
  for (scf::IndexSwitchOp op : switches)
    if (op.getNumCases() > MaxCases)
      return "a switch has too many cases to try one after the other";
  for (scf::IndexSwitchOp op : switches)
    unfoldSwitch(op);
  answerSubGroupQueries(body);
  openSlots(body);
  nameSplats(body);
  const GreedyRewriteConfig config = GreedyRewriteConfig().setListener(unrollHintKeeper());
  (void)applyPatternsGreedily(body, simplify, config);
  turnRound(body);
  joinConditions(body);
  unrollArrayLoops(body);
  (void)applyPatternsGreedily(body, simplify, config); // conditions that were negated, indices that are known now
  return nullptr;
}

uint64_t variableBytes(wg::ParallelOp region) {
  DataLayout layout = DataLayout::closest(region);
  uint64_t bytes = 0;
  region.getBody().walk([&](LLVM::AllocaOp variable) {
    bytes += llvm::alignTo(layout.getTypeSize(variable.getElemType()).getFixedValue() * uint64_t(elementsOf(variable)),
                           variable.getAlignment().value_or(1));
  });
  return bytes;
}

void layOutVariables(wg::ParallelOp region, unsigned lanes) {
  DataLayout layout = DataLayout::closest(region);
  SmallVector<LLVM::AllocaOp> variables;
  region.getBody().walk([&](LLVM::AllocaOp variable) { variables.push_back(variable); });
  for (LLVM::AllocaOp variable : variables) {
    int64_t elements = elementsOf(variable);
    OpBuilder b(variable);
    Type type = variable.getElemType();
    int64_t stride = int64_t(layout.getTypeSize(type).getFixedValue()) * elements;
    if (ElementArray array(variable); array.isOne()) {
      elements *= leavesOf(type);
      type = array.leaf();
      stride = int64_t(layout.getTypeSize(type).getFixedValue());
      array.spread(lanes);
    } else {
      stride = int64_t(llvm::alignTo(uint64_t(stride), variable.getAlignment().value_or(1)));
      elements = stride, type = b.getI8Type();
    }
    Value room = arith::ConstantIntOp::create(b, variable.getLoc(), elements * lanes, 32);
    // As a vector's registers would have it, or as the kernel's pointers to it do.
    uint64_t alignment = std::max<uint64_t>(64, variable.getAlignment().value_or(1));
    auto made = LLVM::AllocaOp::create(b, variable.getLoc(), variable.getType(), type, room, alignment);
    made->setAttr(LaneStrideAttr, b.getI64IntegerAttr(stride));
    variable.replaceAllUsesWith(made.getResult());
    variable.erase();
  }
}

} // namespace kiln
