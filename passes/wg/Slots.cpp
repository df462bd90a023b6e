#include "passes/wg/Slots.h"
#include "base/abi/KernelAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "passes/analysis/SlotStride.h"

using namespace mlir;

namespace kiln {
namespace {

Type elementOf(Value slot) { return cast<wg::SlotType>(slot.getType()).getElement(); }

} // namespace

Slots::Slots(GroupFunction &group) : group_(group) {
  group.function.walk([&](wg::SlotOp slot) { slots_.push_back(slot); });
  // Sorted by falling alignment, every array is aligned without padding.
  auto alignment = [&](wg::SlotOp slot) { return group.layout.getTypeABIAlignment(elementOf(slot)); };
  llvm::sort(slots_, [&](wg::SlotOp a, wg::SlotOp b) { return alignment(a) > alignment(b); });
  group.enterPrologue();
  const uint64_t largestAlignment = slots_.empty() ? 1 : alignment(slots_.front());
  Value area = group.alignedUp(group.items, largestAlignment);
  slack_ = group.slack(largestAlignment);
  Value count = group.mul(group.mul(group.localSize[0], group.localSize[1]), group.localSize[2]);
  Value rounded =
      arith::AndIOp::create(group.builder, group.loc, group.add(count, group.constant(abi::ItemRounding - 1)),
                            group.constant(-int64_t(abi::ItemRounding)));
  auto behind = [&](uint64_t bytes) { return group.offset(area, group.mul(rounded, group.constant(bytes))); };
  for (wg::SlotOp slot : slots_) {
    bases_[slot] = behind(itemBytes_);
    itemBytes_ += slotStride(group.layout, elementOf(slot));
  }
  itemBytes_ = llvm::alignTo(itemBytes_, 2); // times 64 items: a multiple of LocalAlignment
  threadArea_ = behind(itemBytes_);
  group.setPlan(ocl::plan::ItemBytes, itemBytes_);
}

Value Slots::address(Value slot, Value item) {
  Value bytes = group_.mul(item, group_.constant(slotStride(group_.layout, elementOf(slot))));
  return group_.offset(bases_[slot.getDefiningOp()], bytes);
}

Value Slots::load(Value slot, Value item, ArrayAttr independent) {
  Type type = elementOf(slot);
  bool isFlag = type.isInteger(1);
  OpBuilder &builder = group_.builder;
  auto load = LLVM::LoadOp::create(builder, group_.loc, isFlag ? builder.getI8Type() : type, address(slot, item));
  if (independent)
    load.setAccessGroupsAttr(independent);
  if (!isFlag)
    return load;
  return arith::CmpIOp::create(builder, group_.loc, arith::CmpIPredicate::ne, load,
                               intConstant(builder, group_.loc, 0, 8));
}

void Slots::store(Value value, Value slot, Value item, ArrayAttr independent) {
  OpBuilder &builder = group_.builder;
  if (value.getType().isInteger(1))
    value = arith::ExtUIOp::create(builder, group_.loc, builder.getI8Type(), value);
  auto store = LLVM::StoreOp::create(builder, group_.loc, value, address(slot, item));
  if (independent)
    store.setAccessGroupsAttr(independent);
}

void Slots::lower(Operation *access, Value item, ArrayAttr independent) {
  group_.builder.setInsertionPoint(access);
  if (auto read = dyn_cast<wg::ReadOp>(access))
    read.replaceAllUsesWith(load(read.getSlot(), read.getItem(), independent));
  else if (auto address = dyn_cast<wg::AddressOp>(access))
    address.replaceAllUsesWith(this->address(address.getSlot(), item));
  else if (auto own = dyn_cast<wg::LoadOp>(access))
    own.replaceAllUsesWith(load(own.getSlot(), item, independent));
  else if (auto own = cast<wg::StoreOp>(access))
    store(own.getValue(), own.getSlot(), item, independent);
  access->erase();
}

void Slots::erase() {
  for (wg::SlotOp slot : slots_)
    slot.erase();
  slots_.clear();
}

} // namespace kiln
