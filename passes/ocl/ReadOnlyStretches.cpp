#include "passes/ocl/ReadOnlyStretches.h"
#include "dialects/ocl/Ocl.h"

using namespace mlir;

namespace kiln {
namespace {

bool isLocal(Value pointer) { return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == ocl::Local; }

bool isLocalBarrier(Operation &op) {
  auto barrier = dyn_cast<ocl::BarrierOp>(op);
  return barrier && barrier.getExecution() == ocl::Scope::work_group &&
         bitEnumContainsAny(barrier.getFence(), ocl::Fence::local);
}

// Different local variables and arguments do not overlap.
bool mayBeSame(const Object &a, const Object &b) {
  const bool isKnown = a.base && b.base && a.kind != Object::Unknown && b.kind != Object::Unknown;
  if (!isKnown || a.base == b.base)
    return true;
  auto first = a.base.getDefiningOp<LLVM::AddressOfOp>(), second = b.base.getDefiningOp<LLVM::AddressOfOp>();
  return first && second && first.getGlobalName() == second.getGlobalName();
}

} // namespace

ReadOnlyStretches::ReadOnlyStretches(func::FuncOp kernel, ArrayRef<PointerAccess> accesses)
    : kernel_(kernel), layout_(DataLayout::closest(kernel)) {
  for (const PointerAccess &access : accesses) {
    Value pointer = access.pointer->get();
    const bool isGeneric = cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == ocl::Generic;
    if (access.kind == ocl::AccessKind::read || !(isLocal(pointer) || isGeneric))
      continue;
    const Object object = objectOf(pointer, layout_);
    for (Operation *op = access.pointer->getOwner(); op != kernel; op = op->getParentOp()) {
      auto &written = written_[op];
      if (llvm::none_of(written, [&](const Object &known) { return known.base == object.base; }))
        written.push_back(object);
    }
  }
}

void ReadOnlyStretches::divide(Block &block) {
  const bool isWhole = block.getParentOp() == kernel_ && kernel_.getBody().hasOneBlock();
  stretches_.emplace_back().beginsAtBarrier = isWhole;
  for (Operation &op : block) {
    if (isLocalBarrier(op)) {
      stretches_.back().endsAtBarrier = true;
      stretches_.emplace_back().beginsAtBarrier = true;
    }
    numbers_[&op] = stretches_.size() - 1;
    if (auto found = written_.find(&op); found != written_.end())
      llvm::append_range(stretches_.back().written, found->second);
  }
  stretches_.back().endsAtBarrier |= isWhole;
}

ReadOnlyStretches::Stretch &ReadOnlyStretches::stretchOf(Operation *op) {
  auto found = numbers_.find(op);
  if (found == numbers_.end()) {
    divide(*op->getBlock());
    found = numbers_.find(op);
  }
  return stretches_[found->second];
}

bool ReadOnlyStretches::contain(const PointerAccess &access) {
  Value pointer = access.pointer->get();
  if (access.kind != ocl::AccessKind::read || !isLocal(pointer))
    return false;
  const Object object = objectOf(pointer, layout_);
  // Where a barrier is missing in this block, the stretch goes on around the operation that contains the block. What is
  // written anywhere in a loop is written by the loop.
  bool needsBegin = true, needsEnd = true;
  for (Operation *op = access.pointer->getOwner(); op != kernel_; op = op->getParentOp()) {
    if (!op->getParentRegion()->hasOneBlock())
      return false;
    const Stretch &stretch = stretchOf(op);
    if (llvm::any_of(stretch.written, [&](const Object &written) { return mayBeSame(written, object); }))
      return false;
    needsBegin = needsBegin && !stretch.beginsAtBarrier, needsEnd = needsEnd && !stretch.endsAtBarrier;
    if (!needsBegin && !needsEnd)
      return true;
  }
  return false;
}

} // namespace kiln
