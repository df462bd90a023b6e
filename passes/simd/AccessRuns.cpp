#include "passes/simd/AccessRuns.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/PlainAccess.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr uint64_t RowBytes = 32;

struct Access {
  Operation *op = nullptr;
  Type type;
  LinearAddress address;
  int64_t bytes = 0;
  bool isStore = false, isRow = false; // may it be part of a run
};

// Null: it is volatile, or of another kind.
std::optional<Access> accessOf(Operation *op, const LaneShapes &shapes, const DataLayout &layout) {
  const std::optional<PlainAccess> plain = plainAccess(op, layout);
  if (!plain)
    return {};
  const std::optional<Rise> rise = shapes.of(plain->pointer).riseIfGuardsHold();
  const bool isRow = isa<IntegerType, FloatType>(plain->type) && plain->type.getIntOrFloatBitWidth() % 8 == 0 &&
                     (!rise || (rise->stride != 0 && rise->stride != plain->bytes));
  return Access{op, plain->type, LinearAddress(plain->pointer, layout), plain->bytes, plain->isStore, isRow};
}

unsigned spaceOf(const LinearAddress &address) {
  return cast<LLVM::LLVMPointerType>(address.base.getType()).getAddressSpace();
}

} // namespace

bool isOwn(Value pointer) {
  while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = gep.getBase();
  return bool(pointer.getDefiningOp<LLVM::AllocaOp>());
}

bool isOfKnownSize(Value pointer) {
  for (;;) {
    if (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
      pointer = gep.getBase();
    else if (auto cast = pointer.getDefiningOp<LLVM::AddrSpaceCastOp>())
      pointer = cast.getArg();
    else
      break;
  }
  Operation *op = pointer.getDefiningOp();
  if (isa_and_nonnull<LLVM::AddressOfOp>(op)) // those in local memory become parts of the group's
    return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() != ocl::Local;
  return isa_and_nonnull<LLVM::AllocaOp, wg::AddressOp>(op);
}

unsigned longestRun(Type element, const DataLayout &layout) {
  return unsigned(RowBytes / std::max<uint64_t>(layout.getTypeSize(element).getFixedValue(), 1));
}

/// Accesses of a block whose loads may all happen at the first of them, and whose stores at the last.
class AccessRuns::Window {
public:
  Window(AccessRuns &runs, const DataLayout &layout) : runs_(runs), layout_(layout) {}

  void add(Access access) {
    if (access.isStore) {
      if (llvm::any_of(stores_, [&](const Access &store) { return mayTouch(store, access); }))
        close();
      stores_.push_back(std::move(access));
    } else {
      if (!stores_.empty() && !mayPass(access))
        close();
      loads_.push_back(std::move(access));
    }
  }

  void close() {
    if (!apart_.empty() && !(isWorth(loads_) || isWorth(stores_)))
      apart_.clear();
    group(loads_), group(stores_);
    llvm::append_range(runs_.apart_, apart_);
    loads_.clear(), stores_.clear(), apart_.clear();
  }

private:
  static bool isWorth(ArrayRef<Access> accesses) { return accesses.size() > 1; }

  static bool overlap(const Access &a, const Access &b) {
    return a.address.constant < b.address.constant + b.bytes && b.address.constant < a.address.constant + a.bytes;
  }
  static bool mayTouch(const Access &a, const Access &b) { return !a.address.isBeside(b.address) || overlap(a, b); }

  // May this load happen before the stores that stand before it.
  bool mayPass(const Access &load) {
    const LinearAddress &written = stores_.front().address;
    bool touches = false; // what was written, if both pointers are the same
    int64_t from = INT64_MAX, to = INT64_MIN;
    for (const Access &store : stores_) {
      const int64_t start = store.address.constant;
      touches |= overlap(load, store);
      from = std::min(from, start), to = std::max(to, start + store.bytes);
    }
    if (load.address.isBeside(written))
      return !touches || runs_.skipsOrder_;
    if (spaceOf(load.address) != spaceOf(written))
      return true;
    auto isShared = [&](Value pointer) { return !runs_.region_.isAncestor(pointer.getParentRegion()); };
    const bool areShared = load.address.terms == written.terms && isShared(load.address.base) && isShared(written.base);
    if (!runs_.assumes_ || !areShared || !load.isRow || !stores_.front().isRow)
      return false;
    for (Apart &known : apart_)
      if (known.read == load.address.base) {
        known.readFrom = std::min(known.readFrom, load.address.constant);
        known.readTo = std::max(known.readTo, load.address.constant + load.bytes);
        known.writtenFrom = std::min(known.writtenFrom, from), known.writtenTo = std::max(known.writtenTo, to);
        known.orSame &= !touches;
        return true;
      }
    apart_.push_back({load.address.base, written.base, load.address.constant, load.address.constant + load.bytes, from,
                      to, !touches});
    return true;
  }

  void group(ArrayRef<Access> accesses) {
    SmallVector<Access> left;
    llvm::copy_if(accesses, std::back_inserter(left), [](const Access &access) { return access.isRow; });
    while (!left.empty()) {
      // Those beside the first of what is left, in the order of memory.
      const Access first = left.front();
      SmallVector<Access> beside;
      llvm::erase_if(left, [&](const Access &one) {
        const bool is = one.type == first.type && one.address.isBeside(first.address);
        if (is)
          beside.push_back(one);
        return is;
      });
      llvm::sort(beside, [](const Access &a, const Access &b) { return a.address.constant < b.address.constant; });
      for (size_t start = 0; start < beside.size();) {
        size_t count = 1;
        while (start + count < beside.size() &&
               beside[start + count].address.constant == beside[start].address.constant + int64_t(count) * first.bytes)
          ++count;
        count = std::min<size_t>(llvm::bit_floor(count), longestRun(first.type, layout_));
        if (count > 1)
          make(ArrayRef(beside).slice(start, count));
        start += count;
      }
    }
  }

  void make(ArrayRef<Access> accesses) {
    auto run = std::make_unique<Run>();
    run->address = accesses.front().address;
    for (const Access &one : accesses) {
      run->accesses.push_back(one.op);
      runs_.runs_[one.op] = run.get();
      if (!run->place || (one.isStore ? run->place->isBeforeInBlock(one.op) : one.op->isBeforeInBlock(run->place)))
        run->place = one.op;
    }
    runs_.made_.push_back(std::move(run));
  }

  AccessRuns &runs_;
  const DataLayout &layout_;
  SmallVector<Access> loads_, stores_;
  SmallVector<Apart> apart_;
};

AccessRuns::AccessRuns(Region &region, const LaneShapes &shapes, const DataLayout &layout, bool assumes,
                       bool skipsOrder)
    : region_(region), assumes_(assumes), skipsOrder_(skipsOrder) {
  look(region.front(), shapes, layout);
}

void AccessRuns::look(Block &block, const LaneShapes &shapes, const DataLayout &layout) {
  Window window(*this, layout);
  for (Operation &op : block) {
    if (auto access = accessOf(&op, shapes, layout)) {
      if (isOwn(access->address.base)) // which no other pointer but a private or a generic one reaches
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
        look(region.front(), shapes, layout);
  }
  window.close();
}

} // namespace kiln
