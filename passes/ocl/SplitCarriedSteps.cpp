// Splits pointers and integers that advance by a uniform step in a loop around a barrier into their first value and a
// uniform offset.
//
//   scf.while (%p = %first) {                         scf.while (%o = 0) {
//     ocl.barrier                                       ocl.barrier
//     %x = llvm.load %p                         ==>     %p = llvm.getelementptr %first[%o]
//     %next = llvm.getelementptr %p[%step]              %x = llvm.load %p
//     scf.condition(%c) %next                           %next = arith.addi %o, %step
//                                                       scf.condition(%c) %next
//
// `A += 4 * lda` in a matrix product that is staged through local memory. The parallel regions of such a loop pass
// varying values through slots (passes/cpu/CrossRegionValues), and nothing is known of an address that a slot held:
// each work-item would load from its own. The offset is one value for the group. Regions compute the first value again,
// and its lanes are consecutive there.
//
// Legal because additions modulo 2^n are associative, and the new ones have no flags that a sum of steps may violate.
//
// Not handled: a pointer whose steps have several element types, and loops that work-items may leave one by one.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Pass.h"
#include "passes/analysis/Barriers.h"
#include "passes/analysis/Uniformity.h"

using namespace mlir;

namespace kiln {
#include "passes/SplitCarriedSteps.pass.inc"
namespace {

// Steps in one iteration, at most.
constexpr size_t MaxSteps = 16;

/// `to` is `from` and a uniform distance: in elements if it is a pointer.
struct Step {
  Operation *operation;
  Value from;
  OpFoldResult distance;
  Type element; // null: an integer
};

std::optional<Step> stepTo(Value to, const Uniformity &uniformity) {
  if (auto pointer = to.getDefiningOp<LLVM::GEPOp>()) {
    if (pointer.getIndices().size() != 1)
      return {};
    const auto index = pointer.getIndices()[0];
    const auto dynamic = dyn_cast<Value>(index);
    if (dynamic && uniformity.isVarying(dynamic))
      return {};
    return Step{pointer, pointer.getBase(), dynamic ? OpFoldResult(dynamic) : OpFoldResult(cast<IntegerAttr>(index)),
                pointer.getElemType()};
  }
  if (auto sum = to.getDefiningOp<arith::AddIOp>()) {
    if (!uniformity.isVarying(sum.getRhs()))
      return Step{sum, sum.getLhs(), sum.getRhs(), {}};
    if (!uniformity.isVarying(sum.getLhs()))
      return Step{sum, sum.getRhs(), sum.getLhs(), {}};
  }
  return {};
}

/// A carried value, and the steps that lead from it to its next value through both regions of the loop.
class CarriedValue {
public:
  CarriedValue(scf::WhileOp loop, unsigned index, Uniformity &uniformity)
      : loop_(loop), index_(index), uniformity_(uniformity) {}

  bool matches() {
    const Value first = loop_.getInits()[index_];
    if (!uniformity_.isVarying(first) || !isa<IntegerType, LLVM::LLVMPointerType>(first.getType()))
      return false;
    auto kept = dyn_cast<BlockArgument>(collect(loop_.getYieldOp()->getOperand(index_), inAfter_));
    if (!kept || kept.getOwner() != loop_.getAfterBody())
      return false;
    forwarded_ = kept.getArgNumber();
    return collect(loop_.getConditionOp().getArgs()[forwarded_], inBefore_) == loop_.getBeforeArguments()[index_] &&
           (!inBefore_.empty() || !inAfter_.empty()) && hasOneElementType();
  }

  void split() {
    first_ = loop_.getInits()[index_];
    element_ = (inBefore_.empty() ? inAfter_ : inBefore_).front().element;
    const Type type = element_ ? IntegerType::get(loop_.getContext(), 64) : first_.getType();
    OpBuilder builder(loop_);
    const Value none = arith::ConstantOp::create(builder, loop_.getLoc(), builder.getIntegerAttr(type, 0));
    loop_.getInitsMutable()[index_].set(none);

    const Value before = loop_.getBeforeArguments()[index_], after = loop_.getAfterArguments()[forwarded_];
    builder.setInsertionPointToStart(loop_.getBeforeBody());
    replaceByOffset(builder, before, type);
    builder.setInsertionPointToStart(loop_.getAfterBody());
    replaceByOffset(builder, after, type);
    builder.setInsertionPointAfter(loop_);
    replaceByOffset(builder, loop_.getResult(forwarded_), type);
    loop_.getConditionOp().getArgsMutable()[forwarded_].set(advance(before, inBefore_));
    loop_.getYieldOp()->setOperand(index_, advance(after, inAfter_));
  }

private:
  using Steps = SmallVector<Step>;

  // Follows the steps that lead to a value, last one first. Returns the value that they begin at.
  Value collect(Value value, Steps &steps) const {
    while (steps.size() < MaxSteps) {
      const std::optional<Step> step = stepTo(value, uniformity_);
      if (!step || !loop_->isProperAncestor(step->operation))
        break;
      steps.push_back(*step);
      value = step->from;
    }
    return value;
  }
  bool hasOneElementType() const {
    const Type element = (inBefore_.empty() ? inAfter_ : inBefore_).front().element;
    const auto same = [&](const Step &step) { return step.element == element; };
    return llvm::all_of(inBefore_, same) && llvm::all_of(inAfter_, same);
  }
  // Makes an offset of a value, which is a carried value in one of its places, and replaces its uses by the sum.
  void replaceByOffset(OpBuilder &builder, Value value, Type type) {
    value.setType(type);
    const Location loc = value.getLoc();
    const Value sum = element_ ? Value(LLVM::GEPOp::create(builder, loc, first_.getType(), element_, first_,
                                                           ArrayRef<LLVM::GEPArg>{value}))
                               : Value(arith::AddIOp::create(builder, loc, first_, value));
    value.replaceAllUsesExcept(sum, sum.getDefiningOp());
    uniformity_.replace(first_, sum);
  }
  // Returns the offset after the steps.
  Value advance(Value offset, const Steps &steps) const {
    for (const Step &step : llvm::reverse(steps)) {
      OpBuilder builder(step.operation);
      offset =
          arith::AddIOp::create(builder, step.operation->getLoc(), offset, distanceOf(builder, step, offset.getType()));
    }
    return offset;
  }
  static Value distanceOf(OpBuilder &builder, const Step &step, Type type) {
    const Location loc = step.operation->getLoc();
    if (auto constant = dyn_cast<Attribute>(step.distance))
      return arith::ConstantOp::create(builder, loc,
                                       builder.getIntegerAttr(type, cast<IntegerAttr>(constant).getInt()));
    const Value distance = cast<Value>(step.distance);
    // An index of getelementptr is signed.
    return distance.getType() == type ? distance : Value(arith::ExtSIOp::create(builder, loc, type, distance));
  }

  scf::WhileOp loop_;
  const unsigned index_;
  Uniformity &uniformity_;
  unsigned forwarded_ = 0; // its place in what the condition passes on
  Steps inBefore_, inAfter_;
  Value first_;
  Type element_;
};

struct SplitCarriedSteps : impl::SplitCarriedStepsBase<SplitCarriedSteps> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Barriers barriers(module);
    for (auto function : module.getOps<func::FuncOp>()) {
      SmallVector<scf::WhileOp> loops; // inner ones first: an outer one may carry their results
      function.walk([&](scf::WhileOp loop) {
        if (barriers.contains(loop))
          loops.push_back(loop);
      });
      if (loops.empty())
        continue;
      Uniformity uniformity(function);
      for (scf::WhileOp loop : loops)
        if (!uniformity.isVarying(loop.getConditionOp().getCondition()))
          for (unsigned index = 0; index < loop.getInits().size(); ++index)
            if (CarriedValue value(loop, index, uniformity); value.matches()) {
              value.split();
              ++valuesSplit;
            }
    }
  }
};
} // namespace
} // namespace kiln
