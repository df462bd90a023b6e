// Keeps memory as values during a loop that accesses the same addresses in each iteration:
//
//   while (j < n) {                    if (0 < n) {
//     x = a[j] * scale[i]                s = sum[i]
//     s = sum[i]                         f = scale[i]
//     sum[i] = s + x          ==>        while (j < n) {     // carries s
//     ++j                                  s = s + a[j] * f
//   }                                      ++j
//                                        }
//                                        sum[i] = s
//                                      }
//
// Accesses do not overlap if their address spaces differ (here, `sum` is in global memory, `a` and `scale` are in local
// memory), or if they have the same base pointer and a constant distance. The sums of a body are often fields of a
// structure per work-item, of which each iteration would load and store one element per lane: the forces of Rodinia's
// lavaMD (10 x 10 x 10 boxes) take 1.5 s of one core of a Sapphire Rapids without promotion, and 0.2 s with it. LLVM
// promotes less, because address spaces are one after lowering. It would promote an element of a private array itself,
// but only after the vectoriser has counted the loop's chains (InterleaveCount).
//
// Arguments in global memory may be one memory object, so a loop that accesses several of them has two versions if
// that is all that prevents the promotion of a store:
//
//   while (k < n) {                    if (wg.distinct_arguments)
//     c[i] += a[k] * b[k]      ==>       while (k < n) { s += a[k] * b[k] }, c[i] = s
//     ++k                              else
//   }                                    while (k < n) { c[i] += a[k] * b[k] }
//
// The outermost loop around it is the one that has two versions, so that inner loops need no further ones. Without
// stores in it, a loop can also be unrolled along a row (UnrollRowLoops): PolyBench's syrk
// (512 x 512) takes 23 ms of processor time in place of 81, on two cores of a Sapphire Rapids.
//
// Legal because no other work-item may observe the memory inside of the loop: it contains no barrier, atomic or call,
// and unordered accesses of two work-items, of which one is a store, are a data race (OpenCL C 3.0, section 6.15.12).
// The load before the loop and the store after it are no new ones: each iteration accesses the address, and the
// condition around the loop leaves out loops without an iteration.
//
// Not handled: addresses that only some iterations access, and pointers that are neither arguments nor computed from
// them. If nothing is stored and the loop may have no iteration, it stays as it is: the
// branch around it may cost more than the loads.
#include "passes/simd/prepare/PromoteLoopMemory.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/analysis/LinearAddress.h"
#include "passes/analysis/PlainAccess.h"
#include "passes/analysis/Size.h"
#include "passes/ocl/PromoteStructured.h"
#include "passes/ocl/UnrollWhile.h"

using namespace mlir;

namespace kiln {
namespace {

// Values of a loop, at most: half of the vector registers of a processor that has many.
constexpr unsigned MaxValues = 16;

// Operations that compute an address, at most. They are computed again before the loop.
constexpr unsigned MaxAddressOperations = 32;

// Operations of a loop that has two versions, at most. Larger loops leave it to an inner one.
constexpr unsigned MaxVersionedOperations = 200;

struct Access {
  PlainAccess plain;
  LinearAddress address;
};

/// An address, and the accesses of a loop to it.
struct LoopLocation {
  PlainAccess first; // each iteration executes it; a store if the loop stores to the address
  SmallVector<Operation *, 4> accesses;
};

/// An address is computed from values that do not change in the loop.
class InvariantAddress {
public:
  InvariantAddress(scf::WhileOp loop, Value pointer) : loop_(loop), isInvariant_(collect(pointer)) {}
  bool isInvariant() const { return isInvariant_; }

  /// Computes the address where the builder is, which is in front of the loop.
  Value clone(OpBuilder &b, Value pointer) const {
    IRMapping mapping;
    for (Operation *op : operations_)
      b.clone(*op, mapping);
    return mapping.lookupOrDefault(pointer);
  }

private:
  bool collect(Value value) {
    if (!loop_->isAncestor(value.getParentRegion()->getParentOp()))
      return true;
    Operation *op = value.getDefiningOp();
    if (op && llvm::is_contained(operations_, op))
      return true;
    if (!op || op->getNumRegions() || !isPure(op) ||
        !llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand); }))
      return false;
    operations_.push_back(op);
    return operations_.size() <= MaxAddressOperations;
  }

  scf::WhileOp loop_;
  SmallVector<Operation *, 8> operations_; // in order
  bool isInvariant_;
};

// The accesses of a loop. Nothing if it has other effects.
std::optional<SmallVector<Access>> accessesOf(scf::WhileOp loop, const DataLayout &layout) {
  SmallVector<Access> accesses;
  const WalkResult result = loop->walk([&](Operation *op) {
    if (const auto access = plainAccess(op, layout))
      accesses.push_back({*access, LinearAddress(access->pointer, layout)});
    else if (!isa<scf::WhileOp, scf::IfOp>(op) && !isMemoryEffectFree(op))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return {};
  return accesses;
}

bool isSameLocation(const Access &a, const Access &b) {
  return a.address.hasConstantDistanceTo(b.address) && a.address.constant == b.address.constant &&
         a.plain.type == b.plain.type && a.plain.space() == b.plain.space();
}

bool isKernelArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() && isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

// `areDistinct`: memory objects that are arguments do not overlap. Local arguments never do.
bool mayOverlap(const Access &a, const Access &b, bool areDistinct) {
  if (a.address.hasConstantDistanceTo(b.address))
    return a.address.constant < b.address.constant + b.plain.bytes &&
           b.address.constant < a.address.constant + a.plain.bytes;
  if (a.address.base != b.address.base && isKernelArgument(a.address.base) && isKernelArgument(b.address.base) &&
      (areDistinct || (a.plain.space() == ocl::Local && b.plain.space() == ocl::Local)))
    return false;
  const unsigned spaces[] = {a.plain.space(), b.plain.space()};
  return spaces[0] == spaces[1] || llvm::is_contained(spaces, unsigned(ocl::Generic));
}

// The location of an access. Nothing if other accesses may overlap it, of which one is a store, or if the access is a
// load and the loop stores to the location.
std::optional<LoopLocation> locationOf(const Access &first, ArrayRef<Access> accesses, bool areDistinct) {
  LoopLocation result{first.plain, {}};
  bool isStored = false;
  for (const Access &access : accesses)
    if (isSameLocation(first, access)) {
      result.accesses.push_back(access.plain.op);
      isStored |= access.plain.isStore;
    }
  if (isStored != first.plain.isStore || llvm::any_of(accesses, [&](const Access &other) {
        return (isStored || other.plain.isStore) && mayOverlap(first, other, areDistinct) &&
               !isSameLocation(first, other);
      }))
    return {};
  return result;
}

bool canPromote(unsigned space) { return space == ocl::Global || space == ocl::Local || space == ocl::Private; }

// Returns true if the block before the condition can be executed twice.
bool canRepeatCondition(scf::WhileOp loop) {
  return llvm::all_of(loop.getBeforeBody()->without_terminator(), [](Operation &op) {
    auto load = dyn_cast<LLVM::LoadOp>(op);
    return op.getNumRegions() == 0 && (isMemoryEffectFree(&op) || (load && isPlain(load)));
  });
}

// Returns true if the condition is true for the first time, as far as constants tell.
bool hasIteration(scf::WhileOp loop) {
  OpBuilder b(loop);
  SmallVector<Value> forwarded;
  Operation *last = loop->getPrevNode();
  const bool result = matchPattern(cloneCondition(b, loop, loop.getInits(), forwarded), m_One());
  while (loop->getPrevNode() != last)
    loop->getPrevNode()->erase();
  return result;
}

class LoopMemoryPromotion {
public:
  LoopMemoryPromotion(scf::WhileOp loop, const DataLayout &layout, bool areDistinct)
      : loop_(loop), layout_(layout), areDistinct_(areDistinct) {}

  /// The number of locations to which the loop stores and that can be promoted.
  unsigned storedLocations() {
    find();
    return unsigned(llvm::count_if(locations_, [](const LoopLocation &location) { return location.first.isStore; }));
  }

  /// Returns true if something has changed. The loop is another operation then.
  bool run() {
    find();
    if (locations_.empty())
      return false;
    if (isInBody_ && !hasIteration(loop_)) {
      if (llvm::none_of(locations_, [](const LoopLocation &location) { return location.first.isStore; }))
        return false;
      guardLoop();
    }
    llvm::DenseMap<Operation *, unsigned> accesses;
    SmallVector<Type> types;
    for (const LoopLocation &location : locations_) {
      const auto number = unsigned(types.size());
      for (Operation *access : location.accesses)
        accesses[access] = number;
      for (Operation *access : moveOut(location.first))
        accesses[access] = number;
      types.push_back(location.first.type);
    }
    promoteStructured(*loop_->getBlock(), types, accesses);
    return true;
  }

private:
  void find() {
    const auto accesses = accessesOf(loop_, layout_);
    if (!accesses)
      return;
    const bool canGuard = canRepeatCondition(loop_);
    SmallVector<Access> found;
    for (const Access &access : *accesses) {
      const unsigned space = access.plain.space();
      Block *block = access.plain.op->getBlock();
      const bool isInBody = block == loop_.getAfterBody();
      if (!canPromote(space) || (isInBody ? !canGuard : block != loop_.getBeforeBody()) ||
          locations_.size() == MaxValues ||
          llvm::any_of(found, [&](const Access &other) { return isSameLocation(access, other); }) ||
          !InvariantAddress(loop_, access.plain.pointer).isInvariant())
        continue;
      if (auto location = locationOf(access, *accesses, areDistinct_)) {
        found.push_back(access);
        locations_.push_back(*location);
        isInBody_ |= isInBody;
      }
    }
  }

  // Puts the loop into a branch that work-items without an iteration leave out.
  void guardLoop() {
    OpBuilder b(loop_);
    const Location loc = loop_.getLoc();
    SmallVector<Value> forwarded;
    Value condition = cloneCondition(b, loop_, loop_.getInits(), forwarded);
    auto guard = scf::IfOp::create(b, loc, loop_.getResultTypes(), condition, /*withElseRegion=*/true);
    loop_->replaceAllUsesWith(guard.getResults());
    loop_->moveBefore(guard.thenBlock(), guard.thenBlock()->end());
    b.setInsertionPointAfter(loop_);
    scf::YieldOp::create(b, loc, loop_.getResults());
    b.setInsertionPointToEnd(guard.elseBlock());
    scf::YieldOp::create(b, loc, forwarded);
  }

  // Loads before the loop, and stores after it if `access` is a store. Returns accesses of the variable that takes the
  // address's place: the one that initialises it, and the one that reads its last value.
  SmallVector<Operation *, 2> moveOut(const PlainAccess &access) {
    const Location loc = access.op->getLoc();
    const auto alignment = isa<LLVM::StoreOp>(access.op) ? cast<LLVM::StoreOp>(access.op).getAlignment()
                                                         : cast<LLVM::LoadOp>(access.op).getAlignment();
    auto load = [&](OpBuilder &b, Value address) {
      return LLVM::LoadOp::create(b, loc, access.type, address, unsigned(alignment.value_or(0)));
    };
    auto store = [&](OpBuilder &b, Value value, Value address) {
      return LLVM::StoreOp::create(b, loc, value, address, unsigned(alignment.value_or(0)));
    };
    OpBuilder b(loop_);
    Value address = InvariantAddress(loop_, access.pointer).clone(b, access.pointer);
    SmallVector<Operation *, 2> result{store(b, load(b, address), address)};
    if (access.isStore) {
      b.setInsertionPointAfter(loop_);
      auto last = load(b, address);
      store(b, last, address);
      result.push_back(last);
    }
    return result;
  }

  scf::WhileOp loop_;
  const DataLayout &layout_;
  const bool areDistinct_;
  SmallVector<LoopLocation, 4> locations_;
  bool isInBody_ = false; // an access is one of the loop's body, not of the block before its condition
};

// The branch between the two versions of a loop that contains the operation, if there is one.
scf::IfOp versionsAround(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(parent);
        branch && branch.getCondition().getDefiningOp<wg::DistinctArgumentsOp>())
      return branch;
  return {};
}

bool isInDistinctVersion(Operation *op) {
  scf::IfOp branch = versionsAround(op);
  return branch && branch.getThenRegion().isAncestor(op->getParentRegion());
}

bool needsDistinctArguments(scf::WhileOp loop, const DataLayout &layout) {
  return LoopMemoryPromotion(loop, layout, /*areDistinct=*/true).storedLocations() >
         LoopMemoryPromotion(loop, layout, /*areDistinct=*/false).storedLocations();
}

scf::WhileOp outermostLoopToVersion(scf::WhileOp loop) {
  for (auto outer = loop; outer; outer = outer->getParentOfType<scf::WhileOp>())
    if (operationsIn(*outer.getOperation()) <= MaxVersionedOperations)
      loop = outer;
  return loop;
}

// Makes two versions of the loop: one for launches with distinct arguments, and one for all others.
void version(scf::WhileOp loop) {
  OpBuilder b(loop);
  const Location loc = loop.getLoc();
  Value areDistinct = wg::DistinctArgumentsOp::create(b, loc, b.getI1Type());
  auto branch = scf::IfOp::create(b, loc, loop.getResultTypes(), areDistinct, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  loop->replaceAllUsesWith(branch.getResults());
  b.setInsertionPointToEnd(branch.thenBlock());
  Operation *copy = b.clone(*loop);
  scf::YieldOp::create(b, loc, copy->getResults());
  loop->moveBefore(branch.elseBlock(), branch.elseBlock()->end());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, loop.getResults());
}

} // namespace

void promoteLoopMemory(Region &body) {
  const DataLayout layout = DataLayout::closest(body.getParentOp());
  while (body.walk([&](scf::WhileOp loop) {
               if (versionsAround(loop) || !needsDistinctArguments(loop, layout))
                 return WalkResult::advance();
               version(outermostLoopToVersion(loop));
               return WalkResult::interrupt();
             })
             .wasInterrupted()) {
  }
  // Starts again after each change, which replaces the loops of a block. Inner loops come first.
  while (body.walk([&](scf::WhileOp loop) {
               return LoopMemoryPromotion(loop, layout, isInDistinctVersion(loop)).run() ? WalkResult::interrupt()
                                                                                         : WalkResult::advance();
             })
             .wasInterrupted()) {
  }
}

} // namespace kiln
