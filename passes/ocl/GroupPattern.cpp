// Finds kernels whose groups all access local memory alike:
//
//   tile[l] = in[get_global_id(0)];             l, width: the same in each group
//   for (width = 32; width; width /= 2) {       the number of iterations as well
//     barrier(CLK_LOCAL_MEM_FENCE);
//     if (l < width)
//       tile[l] += tile[l + width];
//   }
//
// Then a group that has no race proves that no other one has: local memory belongs to one group (OpenCL C 3.0, 6.7.3).
//
// A value may differ between groups if it is a group id or a global id, is read from memory, or is computed from such a
// value. An address of local memory, and each condition and bound around an access or a barrier, must be computed from
// others: local ids, sizes, and the kernel's arguments.
//
// Not handled: kernels with atomic operations, fences, calls or generic pointers, and control flow that is not
// structured (scf).
#include "passes/ocl/GroupPattern.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace kiln {
namespace {

/// The values that may differ between groups.
class GroupValues {
public:
  explicit GroupValues(func::FuncOp kernel) {
    kernel.walk([&](Operation *op) {
      if (isSource(op))
        mark(op->getResults());
    });
    while (!work_.empty()) {
      const Value value = work_.pop_back_val();
      for (OpOperand &use : value.getUses())
        spread(use);
    }
  }
  bool contain(Value value) const { return marked_.contains(value); }

private:
  static bool isSource(Operation *op) {
    if (auto query = dyn_cast<ocl::QueryOp>(op))
      return query.getKind() == ocl::Query::global_id || query.getKind() == ocl::Query::group_id;
    if (auto query = dyn_cast<ocl::LinearQueryOp>(op))
      return query.getKind() == ocl::LinearQuery::global_linear_id;
    return op->getNumRegions() == 0 && !isMemoryEffectFree(op);
  }

  void mark(ValueRange values) {
    for (Value value : values)
      if (marked_.insert(value).second)
        work_.push_back(value);
  }

  void spread(OpOperand &use) {
    Operation *op = use.getOwner(), *parent = op->getParentOp();
    const unsigned index = use.getOperandNumber();
    if (isa<scf::YieldOp>(op)) {
      if (auto loop = dyn_cast<scf::WhileOp>(parent))
        return mark(loop.getBeforeArguments()[index]);
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        mark(loop.getRegionIterArg(index));
      return mark(parent->getResult(index));
    }
    if (isa<scf::ConditionOp>(op)) {
      auto loop = cast<scf::WhileOp>(parent);
      if (index == 0) // the number of iterations
        return mark(loop.getResults());
      mark(loop.getAfterArguments()[index - 1]);
      return mark(loop.getResult(index - 1));
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return mark(loop.getBeforeArguments()[index]);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (index < loop.getNumControlOperands())
        return mark(loop.getResults());
      mark(loop.getRegionIterArg(index - loop.getNumControlOperands()));
      return mark(loop.getResult(index - loop.getNumControlOperands()));
    }
    mark(op->getResults());
  }

  llvm::DenseSet<Value> marked_;
  SmallVector<Value> work_;
};

bool isLocal(Value pointer) { return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == ocl::Local; }

/// Returns true if all groups execute the operation in the same iterations.
bool isExecutedAlike(Operation *op, func::FuncOp kernel, const GroupValues &values) {
  for (Operation *around = op->getParentOp(); around != kernel; around = around->getParentOp()) {
    if (auto branch = dyn_cast<scf::IfOp>(around)) {
      if (values.contain(branch.getCondition()))
        return false;
    } else if (auto loop = dyn_cast<scf::WhileOp>(around)) {
      if (values.contain(loop.getConditionOp().getCondition()))
        return false;
    } else if (auto loop = dyn_cast<scf::ForOp>(around)) {
      if (values.contain(loop.getLowerBound()) || values.contain(loop.getUpperBound()) ||
          values.contain(loop.getStep()))
        return false;
    } else {
      return false;
    }
  }
  return true;
}

} // namespace

bool hasOneLocalPattern(func::FuncOp kernel, ArrayRef<PointerAccess> accesses) {
  const bool isHandled =
      !kernel
           .walk([](Operation *op) {
             const bool isStructured =
                 llvm::all_of(op->getRegions(), [](Region &region) { return region.empty() || region.hasOneBlock(); });
             return !isStructured || isa<ocl::FenceOp, func::CallOp>(op) ? WalkResult::interrupt()
                                                                         : WalkResult::advance();
           })
           .wasInterrupted();
  if (!isHandled || llvm::any_of(accesses, [](const PointerAccess &access) {
        return access.kind == ocl::AccessKind::atomic ||
               cast<LLVM::LLVMPointerType>(access.pointer->get().getType()).getAddressSpace() == ocl::Generic;
      }))
    return false;
  const GroupValues values(kernel);
  bool hasLocal = false;
  for (const PointerAccess &access : accesses) {
    if (!isLocal(access.pointer->get()))
      continue;
    hasLocal = true;
    if (values.contain(access.pointer->get()) || (access.size && values.contain(access.size)) ||
        !isExecutedAlike(access.pointer->getOwner(), kernel, values))
      return false;
  }
  return hasLocal && !kernel
                          .walk([&](Operation *op) {
                            return !op->hasTrait<ocl::Convergent>() || isExecutedAlike(op, kernel, values)
                                       ? WalkResult::advance()
                                       : WalkResult::interrupt();
                          })
                          .wasInterrupted();
}

} // namespace kiln
