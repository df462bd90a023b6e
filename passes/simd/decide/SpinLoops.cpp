#include "passes/simd/decide/SpinLoops.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln {
namespace {

class AtomicDependence {
public:
  explicit AtomicDependence(Region &body) {
    body.walk([&](Operation *op) {
      if (isSource(op))
        for (Value result : op->getResults())
          mark(result);
    });
    while (!work_.empty())
      for (OpOperand &use : work_.pop_back_val().getUses())
        propagate(use);
  }
  bool contains(Value value) const { return dependent_.contains(value); }

private:
  static bool isSource(Operation *op) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      return load.getVolatile_();
    return isa<ocl::AtomicRmwOp, ocl::AtomicCmpXchgOp, ocl::AtomicLoadOp, ocl::ReadClockOp>(op);
  }
  void mark(Value value) {
    if (dependent_.insert(value).second)
      work_.push_back(value);
  }
  // Values that go through memory are not followed: a plain load cannot observe another work-item's store without a
  // data race.
  void propagate(OpOperand &use) {
    Operation *op = use.getOwner();
    Operation *parent = op->getParentOp();
    const unsigned index = use.getOperandNumber();
    if (isa<scf::ConditionOp>(op)) {
      auto loop = cast<scf::WhileOp>(parent);
      if (index == 0) {
        for (Value result : loop.getResults())
          mark(result);
      } else {
        mark(loop.getAfterArguments()[index - 1]);
        mark(loop.getResult(index - 1));
      }
    } else if (isa<scf::YieldOp>(op)) {
      if (auto loop = dyn_cast<scf::WhileOp>(parent))
        mark(loop.getBeforeArguments()[index]);
      else
        mark(parent->getResult(index));
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      mark(loop.getBeforeArguments()[index]);
    } else {
      for (Value result : op->getResults())
        mark(result);
    }
  }

  DenseSet<Value> dependent_;
  SmallVector<Value> work_;
};

} // namespace

bool mayWaitForOtherItem(Region &body, const LaneShapes &shapes) {
  AtomicDependence dependence(body);
  return body
      .walk([&](scf::WhileOp loop) {
        Value condition = loop.getConditionOp().getCondition();
        return !shapes.isUniform(condition) && dependence.contains(condition) ? WalkResult::interrupt()
                                                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace kiln
