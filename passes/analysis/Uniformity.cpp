#include "passes/analysis/Uniformity.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/ocl/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/analysis/Constants.h"

using namespace mlir;

namespace kiln {
namespace {

// Returns true if the local size is fixed, and is 1 in the dimension of the query.
bool hasOneWorkItemIn(ocl::QueryOp query) {
  const ArrayRef<int64_t> localSize = ocl::fixedLocalSize(query->getParentOfType<ModuleOp>());
  const auto dim = constantOf(query.getDim());
  return !localSize.empty() && dim && *dim >= 0 && (*dim > 2 || localSize[size_t(*dim)] == 1);
}

} // namespace

Uniformity::Uniformity(Operation *root) {
  root->walk([&](Operation *op) { seed(op); });
  while (!work_.empty()) {
    Value value = work_.pop_back_val();
    for (OpOperand &use : value.getUses())
      spreadThrough(use);
  }
}

void Uniformity::mark(Value value) {
  if (varying_.insert(value).second)
    work_.push_back(value);
}

// Marks results that vary even if all operands are uniform.
void Uniformity::seed(Operation *op) {
  bool varies = false;
  if (auto query = dyn_cast<ocl::QueryOp>(op))
    varies = (query.getKind() == ocl::Query::global_id || query.getKind() == ocl::Query::local_id) &&
             !hasOneWorkItemIn(query);
  else if (auto query = dyn_cast<ocl::LinearQueryOp>(op))
    varies =
        query.getKind() == ocl::LinearQuery::global_linear_id || query.getKind() == ocl::LinearQuery::local_linear_id ||
        query.getKind() == ocl::LinearQuery::sub_group_size || // the group's last sub-group may be smaller
        query.getKind() == ocl::LinearQuery::sub_group_id || query.getKind() == ocl::LinearQuery::sub_group_local_id;
  else if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    unsigned space = load.getAddr().getType().getAddressSpace();
    varies = ((space == ocl::Private || space == ocl::Generic) && !load.getInvariant()) || load.getVolatile_();
  } else if (auto combine = dyn_cast<ocl::CombineOp>(op)) {
    varies = !combine.isUniformResult();
  } else if (auto shuffle = dyn_cast<ocl::ShuffleOp>(op)) {
    varies =
        shuffle.getScope() == ocl::Scope::sub_group; // a broadcast over the group is as uniform as its lane operand
  } else if (op->getNumRegions() == 0) {
    varies = !isMemoryEffectFree(op) || isa<func::CallOp, LLVM::InlineAsmOp>(op);
  }
  if (varies)
    for (Value result : op->getResults())
      mark(result);
}

void Uniformity::spreadThrough(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned index = use.getOperandNumber();
  auto markAll = [&](ValueRange values) {
    for (Value value : values)
      mark(value);
  };
  if (auto combine = dyn_cast<ocl::CombineOp>(op); combine && combine.isUniformResult())
    return;
  if (auto shuffle = dyn_cast<ocl::ShuffleOp>(op); shuffle && use.get() != shuffle.getLane())
    return;
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(condition->getParentOp());
    if (index == 0)
      return markAll(loop.getResults());
    mark(loop.getResult(index - 1));
    mark(loop.getAfterArguments()[index - 1]);
  } else if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      mark(loop.getBeforeArguments()[index]);
    else if (auto loop = dyn_cast<scf::ForOp>(parent))
      mark(loop.getRegionIterArgs()[index]), mark(loop.getResult(index));
    else
      mark(parent->getResult(index));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    mark(loop.getBeforeArguments()[index]);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (index < loop.getNumControlOperands())
      mark(loop.getInductionVar()), markAll(loop.getResults());
    else
      mark(loop.getRegionIterArgs()[index - loop.getNumControlOperands()]),
          mark(loop.getResult(index - loop.getNumControlOperands()));
  } else {
    markAll(op->getResults()); // the condition of scf.if and scf.index_switch included
  }
}

} // namespace kiln
