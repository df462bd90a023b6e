#include "passes/simd/decide/AccessGroups.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/BasePointer.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/PlainAccess.h"

using namespace mlir;

namespace kiln {
namespace {

struct GroupCandidate {
  Operation *op = nullptr;
  Type type;
  LinearAddress address;
  int64_t bytes = 0;
  bool isStore = false, canBeGrouped = false;
  Value pointer;
  int64_t stride = 0; // if its guards hold; 0: it varies
  ocl::CheckAccessOp check = {};
};

bool isSame(Value a, Value b) {
  const auto x = constantOf(a), y = constantOf(b);
  return a == b || (x && y && *x == *y && a.getType() == b.getType());
}

/// Returns true if both are checked against one object, or none is checked. The pointers differ.
bool haveSameObject(ocl::CheckAccessOp a, ocl::CheckAccessOp b) {
  if (!a || !b)
    return !a && !b;
  return llvm::all_of(llvm::zip(llvm::drop_begin(a->getOperands()), llvm::drop_begin(b->getOperands())),
                      [](auto pair) { return isSame(std::get<0>(pair), std::get<1>(pair)); });
}

// Nothing if `op` is not a load or store, or is volatile or atomic.
std::optional<GroupCandidate> candidateOf(Operation *op, const LaneShapes &shapes, const DataLayout &layout) {
  const std::optional<PlainAccess> plain = plainAccess(op, layout);
  if (!plain)
    return {};
  const std::optional<StrideInfo> info = shapes.of(plain->pointer).strideInfoIfGuardsHold();
  const bool canBeGrouped = isa<IntegerType, FloatType>(plain->type) && plain->type.getIntOrFloatBitWidth() % 8 == 0 &&
                            (!info || (info->stride != 0 && info->stride != plain->bytes));
  // A wrong access is redirected, and then it overlaps no other: so what is said of addresses before checks holds.
  auto check = plain->pointer.getDefiningOp<ocl::CheckAccessOp>();
  return GroupCandidate{op,
                        plain->type,
                        LinearAddress(uncheckedPointer(plain->pointer), layout),
                        plain->bytes,
                        plain->isStore,
                        canBeGrouped && (!check || check->hasOneUse()),
                        plain->pointer,
                        info ? info->stride : 0,
                        check};
}

unsigned spaceOf(const LinearAddress &address) {
  return cast<LLVM::LLVMPointerType>(address.base.getType()).getAddressSpace();
}

} // namespace

bool isPrivateAlloca(Value pointer) {
  while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = gep.getBase();
  return bool(pointer.getDefiningOp<LLVM::AllocaOp>());
}

bool hasKnownObjectSize(Value pointer) {
  for (;;) {
    if (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
      pointer = gep.getBase();
    else if (auto cast = pointer.getDefiningOp<LLVM::AddrSpaceCastOp>())
      pointer = cast.getArg();
    else
      break;
  }
  Operation *op = pointer.getDefiningOp();
  if (isa_and_nonnull<LLVM::AddressOfOp>(op)) // local variables become parts of the group's local memory
    return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() != ocl::Local;
  return isa_and_nonnull<LLVM::AllocaOp, wg::AddressOp>(op);
}

unsigned maxGroupSize(Type element, const CpuTargetInfo &target, const DataLayout &layout) {
  return unsigned(target.groupBytes / std::max<uint64_t>(layout.getTypeSize(element).getFixedValue(), 1));
}

/// Consecutive accesses of a block whose loads can all move up to the first load, and whose stores down to the last
/// store.
class AccessGroups::ReorderWindow {
public:
  ReorderWindow(AccessGroups &result, const DataLayout &layout) : result_(result), layout_(layout) {}

  void add(GroupCandidate access) {
    if (access.isStore) {
      if (llvm::any_of(stores_, [&](const GroupCandidate &store) { return mayOverlap(store, access); }))
        close();
      stores_.push_back(std::move(access));
    } else {
      if (!stores_.empty() && !canHoistLoad(access))
        close();
      loads_.push_back(std::move(access));
    }
  }

  void close() {
    if (!aliasChecks_.empty() && !(hasSeveral(loads_) || hasSeveral(stores_)))
      aliasChecks_.clear();
    group(loads_), group(stores_);
    llvm::append_range(result_.aliasChecks_, aliasChecks_);
    loads_.clear(), stores_.clear(), aliasChecks_.clear();
  }

private:
  static bool hasSeveral(ArrayRef<GroupCandidate> accesses) { return accesses.size() > 1; }

  static bool overlap(const GroupCandidate &a, const GroupCandidate &b) {
    return a.address.constant < b.address.constant + b.bytes && b.address.constant < a.address.constant + a.bytes;
  }
  static bool mayOverlap(const GroupCandidate &a, const GroupCandidate &b) {
    return !a.address.hasConstantDistanceTo(b.address) || overlap(a, b);
  }

  // Returns true if the load may move above the window's stores, if need be under an alias check that it records.
  bool canHoistLoad(const GroupCandidate &load) {
    const LinearAddress &written = stores_.front().address;
    bool overlaps = false; // the load and a store, if both pointers are equal
    int64_t from = INT64_MAX, to = INT64_MIN;
    for (const GroupCandidate &store : stores_) {
      const int64_t start = store.address.constant;
      overlaps |= overlap(load, store);
      from = std::min(from, start), to = std::max(to, start + store.bytes);
    }
    if (load.address.hasConstantDistanceTo(written))
      return !overlaps || result_.skipOrderCheck_;
    if (spaceOf(load.address) != spaceOf(written))
      return true;
    auto isFromOutside = [&](Value pointer) { return !result_.region_.isAncestor(pointer.getParentRegion()); };
    const bool haveSameOffset =
        load.address.terms == written.terms && isFromOutside(load.address.base) && isFromOutside(written.base);
    if (!result_.allowAliasChecks_ || !haveSameOffset || !load.canBeGrouped || !stores_.front().canBeGrouped)
      return false;
    for (AliasCheck &known : aliasChecks_)
      if (known.read == load.address.base) {
        known.readFrom = std::min(known.readFrom, load.address.constant);
        known.readTo = std::max(known.readTo, load.address.constant + load.bytes);
        known.writtenFrom = std::min(known.writtenFrom, from), known.writtenTo = std::max(known.writtenTo, to);
        known.orSame &= !overlaps;
        return true;
      }
    aliasChecks_.push_back({load.address.base, written.base, load.address.constant, load.address.constant + load.bytes,
                            from, to, !overlaps});
    return true;
  }

  void group(ArrayRef<GroupCandidate> accesses) {
    SmallVector<GroupCandidate> remaining;
    llvm::copy_if(accesses, std::back_inserter(remaining),
                  [](const GroupCandidate &access) { return access.canBeGrouped; });
    while (!remaining.empty()) {
      // All candidates at a constant distance from the first, by address.
      const GroupCandidate first = remaining.front();
      SmallVector<GroupCandidate> row;
      llvm::erase_if(remaining, [&](const GroupCandidate &one) {
        const bool is = one.type == first.type && one.address.hasConstantDistanceTo(first.address) &&
                        haveSameObject(one.check, first.check);
        if (is)
          row.push_back(one);
        return is;
      });
      llvm::sort(row, [](const GroupCandidate &a, const GroupCandidate &b) {
        return a.address.constant < b.address.constant;
      });
      for (size_t start = 0; start < row.size();) {
        size_t count = 1;
        while (start + count < row.size() &&
               row[start + count].address.constant == row[start].address.constant + int64_t(count) * first.bytes)
          ++count;
        count = std::min<size_t>(llvm::bit_floor(count), maxGroupSize(first.type, result_.target_, layout_));
        if (count > 1)
          make(ArrayRef(row).slice(start, count));
        start += count;
      }
    }
  }

  void make(ArrayRef<GroupCandidate> accesses) {
    auto group = std::make_unique<AccessGroup>();
    const GroupCandidate &first = accesses.front();
    group->address = first.address, group->pointer = first.pointer;
    group->isContiguous = first.stride == first.bytes * int64_t(accesses.size());
    for (const GroupCandidate &one : accesses) {
      group->accesses.push_back(one.op);
      result_.groupOf_[one.op] = group.get();
      if (!group->insertionPoint || (one.isStore ? group->insertionPoint->isBeforeInBlock(one.op)
                                                 : one.op->isBeforeInBlock(group->insertionPoint)))
        group->insertionPoint = one.op, group->check = one.check;
      if (one.check)
        result_.covered_.insert(one.check);
    }
    result_.groups_.push_back(std::move(group));
  }

  AccessGroups &result_;
  const DataLayout &layout_;
  SmallVector<GroupCandidate> loads_, stores_;
  SmallVector<AliasCheck> aliasChecks_;
};

AccessGroups::AccessGroups(Region &region, const LaneShapes &shapes, const CpuTargetInfo &target,
                           const DataLayout &layout, bool allowAliasChecks, bool skipOrderCheck)
    : region_(region), target_(target), allowAliasChecks_(allowAliasChecks), skipOrderCheck_(skipOrderCheck) {
  scan(region.front(), shapes, layout);
}

void AccessGroups::scan(Block &block, const LaneShapes &shapes, const DataLayout &layout) {
  ReorderWindow window(*this, layout);
  for (Operation &op : block) {
    if (auto access = candidateOf(&op, shapes, layout)) {
      if (isPrivateAlloca(access->address.base)) // only private and generic pointers alias it
        continue;
      const unsigned space = spaceOf(access->address);
      if (space == ocl::Private || space == ocl::Generic)
        window.close();
      else
        window.add(std::move(*access));
      continue;
    }
    if (isMemoryEffectFree(&op) && !op.getNumRegions())
      continue;
    window.close();
    for (Region &region : op.getRegions())
      if (!region.empty())
        scan(region.front(), shapes, layout);
  }
  window.close();
}

} // namespace kiln
