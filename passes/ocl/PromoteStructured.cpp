// MLIR's mem2reg promotes variables whose accesses are in one region. In structured code, loops and branches carry
// them:
//
//   llvm.store %zero, %v                        %r = scf.while (%x = %zero) {
//   scf.while {                                   scf.condition(%c) %x
//     scf.condition(%c)                         } do {
//   } do {                               ==>    ^bb0(%x: f32):
//     %x = llvm.load %v                           %y = arith.addf %x, %w
//     %y = arith.addf %x, %w                      scf.yield %y
//     llvm.store %y, %v                         }
//   }                                           ... %r
//   ... llvm.load %v
//
// A loop or branch carries a variable only if it stores to it, and a later load may read the stored value. So a
// variable that each iteration overwrites is not carried.
#include "passes/ocl/PromoteStructured.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace kiln {
namespace {

using Variables = llvm::SmallBitVector;

class StructuredPromotion {
public:
  StructuredPromotion(ArrayRef<Type> types, const llvm::DenseMap<Operation *, unsigned> &accesses)
      : types_(types), accesses_(accesses) {}

  void run(Block &block) {
    for (auto [access, variable] : accesses_)
      if (isa<LLVM::StoreOp>(access))
        for (Operation *op = access->getParentOp(); op && op != block.getParentOp(); op = op->getParentOp())
          stored_.try_emplace(op, none()).first->second.set(variable);
    const Variables undefined = liveBefore(block, none());
    Values now(types_.size());
    auto b = OpBuilder::atBlockBegin(&block);
    for (unsigned variable : undefined.set_bits())
      now[variable] =
          arith::ConstantOp::create(b, block.getParentOp()->getLoc(), cast<TypedAttr>(b.getZeroAttr(types_[variable])));
    rewrite(block, now);
  }

private:
  using Values = SmallVector<Value>; // of each variable; null where it is not live

  Variables none() const { return Variables(unsigned(types_.size())); }

  std::optional<unsigned> variableOf(Operation *op) const {
    const auto found = accesses_.find(op);
    return found == accesses_.end() ? std::nullopt : std::optional(found->second);
  }

  // ---- liveness ----------------------------------------------------------------------------------------------------

  // Returns the variables that are live at the start of a block, given those at its end. Records the same for the
  // branches and loops in it.
  Variables liveBefore(Block &block, Variables live) {
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      if (const auto variable = variableOf(&op)) {
        isa<LLVM::StoreOp>(op) ? live.reset(*variable) : live.set(*variable);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        liveAfter_[branch] = live;
        Variables either = liveBefore(*branch.thenBlock(), live);
        either |= branch.elseBlock() ? liveBefore(*branch.elseBlock(), live) : live;
        live = either;
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        liveAfter_[loop] = live;
        Variables next = none();
        for (;;) {
          liveInBody_[loop] = liveBefore(*loop.getAfterBody(), next);
          Variables end = live;
          end |= liveInBody_[loop];
          Variables start = liveBefore(*loop.getBeforeBody(), end);
          if (start == next)
            break;
          next = start;
        }
        liveInIteration_[loop] = live = next;
      }
    }
    return live;
  }

  // ---- rewriting ---------------------------------------------------------------------------------------------------

  void rewrite(Block &block, Values &now) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
      if (const auto variable = variableOf(&op)) {
        if (auto store = dyn_cast<LLVM::StoreOp>(op))
          now[*variable] = store.getValue();
        else
          op.getResult(0).replaceAllUsesWith(now[*variable]);
        op.erase();
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        rewriteIf(branch, now);
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        rewriteWhile(loop, now);
      }
    }
  }

  Variables carriedBy(Operation *op, const Variables &live) const {
    const auto found = stored_.find(op);
    Variables carried = found == stored_.end() ? none() : found->second;
    carried &= live;
    return carried;
  }

  SmallVector<Type> typesOf(ValueRange before, const Variables &carried) const {
    SmallVector<Type> types(before.getTypes());
    for (unsigned variable : carried.set_bits())
      types.push_back(types_[variable]);
    return types;
  }

  static void append(Operation *terminator, const Values &now, const Variables &carried) {
    for (unsigned variable : carried.set_bits())
      terminator->insertOperands(terminator->getNumOperands(), now[variable]);
  }

  static void takeArguments(Block &block, Location loc, Values &now, const Variables &carried, ArrayRef<Type> types) {
    for (unsigned variable : carried.set_bits())
      now[variable] = block.addArgument(types[variable], loc);
  }

  // Replaces the operation by one with more results, which are the variables' values after it.
  static void replace(Operation *old, Operation *made, Values &now, const Variables &carried) {
    made->setDiscardableAttrs(llvm::to_vector(old->getDiscardableAttrs()));
    const unsigned count = old->getNumResults();
    old->replaceAllUsesWith(made->getResults().take_front(count));
    for (auto [variable, result] : llvm::zip(carried.set_bits(), made->getResults().drop_front(count)))
      now[variable] = result;
    old->erase();
  }

  void rewriteIf(scf::IfOp branch, Values &now) {
    const Variables carried = carriedBy(branch, liveAfter_[branch]);
    Values inThen = now, inElse = now;
    rewrite(*branch.thenBlock(), inThen);
    if (branch.elseBlock())
      rewrite(*branch.elseBlock(), inElse);
    if (carried.none())
      return;
    OpBuilder b(branch);
    auto made = scf::IfOp::create(b, branch.getLoc(), typesOf(branch.getResults(), carried), branch.getCondition(),
                                  /*addThenBlock=*/false, /*addElseBlock=*/false);
    made.getThenRegion().takeBody(branch.getThenRegion());
    if (branch.elseBlock()) {
      made.getElseRegion().takeBody(branch.getElseRegion());
    } else {
      b.createBlock(&made.getElseRegion());
      scf::YieldOp::create(b, branch.getLoc());
    }
    append(made.thenBlock()->getTerminator(), inThen, carried);
    append(made.elseBlock()->getTerminator(), inElse, carried);
    replace(branch, made, now, carried);
  }

  void rewriteWhile(scf::WhileOp loop, Values &now) {
    Variables liveAtCondition = liveAfter_[loop];
    liveAtCondition |= liveInBody_[loop];
    const Variables carried = carriedBy(loop, liveInIteration_[loop]), forwarded = carriedBy(loop, liveAtCondition);
    const Location loc = loop.getLoc();
    Values inside = now;
    takeArguments(*loop.getBeforeBody(), loc, inside, carried, types_);
    rewrite(*loop.getBeforeBody(), inside);
    append(loop.getConditionOp(), inside, forwarded);
    takeArguments(*loop.getAfterBody(), loc, inside, forwarded, types_);
    rewrite(*loop.getAfterBody(), inside);
    append(loop.getYieldOp(), inside, carried);
    SmallVector<Value> inits(loop.getInits());
    for (unsigned variable : carried.set_bits())
      inits.push_back(now[variable]);
    OpBuilder b(loop);
    auto made = scf::WhileOp::create(b, loc, typesOf(loop.getResults(), forwarded), inits);
    made.getBefore().takeBody(loop.getBefore());
    made.getAfter().takeBody(loop.getAfter());
    replace(loop, made, now, forwarded);
  }

  const ArrayRef<Type> types_;
  const llvm::DenseMap<Operation *, unsigned> &accesses_;
  llvm::DenseMap<Operation *, Variables> stored_;                       // of branches and loops
  llvm::DenseMap<Operation *, Variables> liveAfter_;                    // of the same
  llvm::DenseMap<Operation *, Variables> liveInIteration_, liveInBody_; // at the start of a loop's blocks
};

} // namespace

void promoteStructured(Block &block, ArrayRef<Type> types, const llvm::DenseMap<Operation *, unsigned> &accesses) {
  StructuredPromotion(types, accesses).run(block);
}

} // namespace kiln
