// Notes an access that all work-items of a group execute by one call when the group begins (KILN_CHECK=races):
//
//   wg.parallel {                           %fits = size of the group <= %n
//     cf.cond_br %x < %n, ^bb1, ^bb2        %noted = scf.if %fits {
//   ^bb1:                            ==>      %address = %m + 4 * offset of the group
//     ocl.track_access read %m + 4 * %x       scf.yield ocl.track_group read %address step 4 row %size ...
//     ...                                   } else { false }
//   }                                       wg.parallel {
//                                             ...
//                                             scf.if not %noted { ocl.track_access read %m + 4 * %x }
//
// The address must be a sum of products of the local ids by numbers that are equal for the group, and the conditions of
// the access comparisons of such sums. Whether all work-items execute the access is decided for each group, from the
// least and the largest value of each sum. So groups at an edge, of which a part executes it, note each access.
//
// Legal because nothing orders accesses of such a kernel: it has no barrier, atomic operation or fence, so the time of
// a note in a group is of no importance. Sums are computed in 64 bits, as signed numbers. A group in which one is not
// between -2^30 and 2^30 notes each access, so no product overflows, and a number of 32 bits is equal to its sum.
//
// Not handled: accesses in loops, after branches that have met again, and in local memory.
#include "passes/cpu/GroupNotes.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/AddressSteps.h"
#include "passes/analysis/Constants.h"
#include "passes/lowering/CheckSites.h"
#include "passes/simd/prepare/PoisonFlags.h"
#include "llvm/ADT/TypeSwitch.h"
#include <array>
#include <optional>

using namespace mlir;

namespace kiln {
namespace {

constexpr int64_t Limit = int64_t(1) << 30; // of each number
constexpr int64_t MostElementBytes = 4096;  // of an index
constexpr unsigned MostDepth = 24;          // of an expression
constexpr unsigned MostConditions = 16, MostNotes = 32;

/// A number of 64 bits: start + the sum of steps[d] * local_id(d).
struct LocalSum {
  Value start;
  std::array<Value, 3> steps; // null: 0
};

/// Emits the numbers of a region as sums, outside of the region.
class GroupSums {
public:
  GroupSums(ImplicitLocOpBuilder &b, Region &body) : b_(b), body_(body), isExact_(intConstant(b, 1, 1)) {}

  /// An i1: the sums are equal to the numbers, for all work-items of the group.
  Value isExact() const { return isExact_; }

  /// The value outside of the region, if it is the same for all work-items; else null.
  Value uniform(Value value, unsigned depth = 0) {
    if (!body_.isAncestor(value.getParentRegion()))
      return value;
    if (const auto [known, isNew] = uniforms_.try_emplace(value); !isNew)
      return known->second;
    Operation *op = value.getDefiningOp();
    if (!op || depth == MostDepth || !isUniformOf(op))
      return {};
    IRMapping operands;
    for (Value operand : op->getOperands()) {
      const Value outside = uniform(operand, depth + 1);
      if (!outside)
        return {};
      operands.map(operand, outside);
    }
    Operation *outside = b_.clone(*op, operands);
    dropPoisonGeneratingFlags(outside); // they hold where the program executes it
    return uniforms_[value] = outside->getResult(cast<OpResult>(value).getResultNumber());
  }

  std::optional<LocalSum> of(Value number, unsigned depth = 0) {
    auto type = dyn_cast<IntegerType>(number.getType());
    if (!type || (type.getWidth() != 32 && type.getWidth() != 64) || depth == MostDepth)
      return {};
    if (const auto [known, isNew] = sums_.try_emplace(number); !isNew)
      return known->second;
    std::optional<LocalSum> sum;
    if (Value outside = uniform(number))
      sum = LocalSum{type.getWidth() == 64 ? outside : arith::ExtSIOp::create(b_, b_.getI64Type(), outside), {}};
    else if (Operation *op = number.getDefiningOp())
      sum = sumOf(op, depth + 1);
    if (!sum)
      return {};
    require(compare(arith::CmpIPredicate::sgt, lowest(*sum), constant(-Limit)));
    require(compare(arith::CmpIPredicate::slt, highest(*sum), constant(Limit)));
    return sums_[number] = sum;
  }

  /// An i1: the condition has this value for all work-items of the group. Null if that is not known.
  Value holds(Value condition, bool value, unsigned depth = 0) {
    if (Value outside = uniform(condition))
      return value ? outside : arith::XOrIOp::create(b_, outside, intConstant(b_, 1, 1)).getResult();
    Operation *op = condition.getDefiningOp();
    if (!op || depth == MostDepth)
      return {};
    if (auto comparison = dyn_cast<arith::CmpIOp>(op))
      return holds(comparison, value);
    if (isa<arith::XOrIOp>(op) && constantOf(op->getOperand(1)))
      return holds(op->getOperand(0), value == (*constantOf(op->getOperand(1)) == 0), depth + 1);
    if (!(isa<arith::AndIOp>(op) && value) && !(isa<arith::OrIOp>(op) && !value))
      return {};
    const Value left = holds(op->getOperand(0), value, depth + 1), right = holds(op->getOperand(1), value, depth + 1);
    return left && right ? arith::AndIOp::create(b_, left, right).getResult() : Value();
  }

  /// The offset of a pointer to memory of a kernel's argument in bytes, and the argument.
  std::optional<std::pair<LocalSum, Value>> ofPointer(Value pointer) {
    LocalSum offset{constant(0), {}};
    const DataLayout layout = DataLayout::closest(body_.getParentOp());
    while (body_.isAncestor(pointer.getParentRegion())) {
      auto gep = pointer.getDefiningOp<LLVM::GEPOp>();
      const auto steps = gep ? addressSteps(gep, layout) : std::nullopt;
      if (!steps)
        return {};
      for (const AddressStep &step : *steps) {
        if (!step.number) {
          offset.start = arith::AddIOp::create(b_, offset.start, constant(step.bytes));
          continue;
        }
        const auto number = of(step.number);
        if (!number || step.bytes > MostElementBytes || step.bytes < 0)
          return {};
        offset = add(offset, times(*number, constant(step.bytes)));
      }
      pointer = gep.getBase();
    }
    return std::pair(offset, pointer);
  }

  /// An i1: each work-item of the group executes the operation. Null if that is not known.
  Value isExecuted(Operation *op) {
    Value all = intConstant(b_, 1, 1);
    Block *block = op->getBlock();
    for (unsigned i = 0; i < MostConditions; ++i) {
      if (block->getParent() != &body_) {
        auto branch = dyn_cast<scf::IfOp>(block->getParentOp());
        if (!branch || !require(all, holds(branch.getCondition(), block == branch.thenBlock())))
          return {};
        block = branch->getBlock();
        continue;
      }
      if (block->isEntryBlock())
        return all;
      Block *before = block->getSinglePredecessor();
      if (!before)
        return {};
      if (auto branch = dyn_cast<cf::CondBranchOp>(before->getTerminator())) {
        const bool isTaken = branch.getTrueDest() == block;
        if (branch.getTrueDest() == branch.getFalseDest() || !require(all, holds(branch.getCondition(), isTaken)))
          return {};
      } else if (!isa<cf::BranchOp>(before->getTerminator())) {
        return {};
      }
      block = before;
    }
    return {};
  }

  Value sizeOf(unsigned dim) { return query(ocl::Query::local_size, dim); }
  Value constant(int64_t value) { return intConstant(b_, value, 64); }

private:
  Value query(ocl::Query kind, unsigned dim) {
    return ocl::QueryOp::create(b_, b_.getI64Type(), kind, intConstant(b_, dim, 32));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) { return arith::CmpIOp::create(b_, predicate, a, b); }
  void require(Value condition) { isExact_ = arith::AndIOp::create(b_, isExact_, condition); }
  bool require(Value &all, Value condition) {
    if (condition)
      all = arith::AndIOp::create(b_, all, condition);
    return bool(condition);
  }

  static bool isInWidth(Operation *shift) {
    const auto by = constantOf(shift->getOperand(1));
    return by && *by >= 0 && *by < shift->getResult(0).getType().getIntOrFloatBitWidth();
  }
  /// Returns true if the operation has equal results in all work-items for which its operands are equal.
  static bool isUniformOf(Operation *op) {
    if (auto query = dyn_cast<ocl::QueryOp>(op))
      return query.getKind() != ocl::Query::global_id && query.getKind() != ocl::Query::local_id;
    // Others may have no defined result where the program does not execute them.
    return isa<ocl::ArgumentTrackedOp, arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
               arith::OrIOp, arith::XOrIOp, arith::CmpIOp, arith::SelectOp, arith::ExtSIOp, arith::ExtUIOp,
               arith::TruncIOp, arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(op) ||
           (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op) && isInWidth(op));
  }

  std::optional<LocalSum> sumOf(Operation *op, unsigned depth) {
    const auto operand = [&](unsigned index) { return of(op->getOperand(index), depth); };
    if (auto query = dyn_cast<ocl::QueryOp>(op))
      return sumOf(query);
    if (isa<arith::ExtSIOp, arith::TruncIOp>(op))
      return operand(0);
    if (isa<arith::ExtUIOp>(op)) {
      const auto sum = operand(0);
      if (sum)
        require(compare(arith::CmpIPredicate::sge, lowest(*sum), constant(0)));
      return sum;
    }
    if (auto shift = dyn_cast<arith::ShLIOp>(op)) {
      const auto sum = operand(0);
      const auto by = constantOf(shift.getRhs());
      return sum && by && *by >= 0 && *by < 30 ? std::optional(times(*sum, constant(int64_t(1) << *by))) : std::nullopt;
    }
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      return {};
    const auto left = operand(0), right = left ? operand(1) : std::nullopt;
    if (!right)
      return {};
    if (isa<arith::AddIOp>(op))
      return add(*left, *right);
    if (isa<arith::SubIOp>(op))
      return add(*left, times(*right, constant(-1)));
    const auto isConstant = [](const LocalSum &sum) {
      return llvm::none_of(sum.steps, [](Value step) { return step; });
    };
    return isConstant(*right)  ? std::optional(times(*left, right->start))
           : isConstant(*left) ? std::optional(times(*right, left->start))
                               : std::nullopt;
  }
  std::optional<LocalSum> sumOf(ocl::QueryOp id) {
    const auto dim = constantOf(id.getDim());
    if (!dim || *dim < 0 || *dim > 2)
      return {};
    LocalSum sum{constant(0), {}};
    sum.steps[size_t(*dim)] = constant(1);
    if (id.getKind() == ocl::Query::global_id)
      sum.start = arith::AddIOp::create(b_, query(ocl::Query::global_offset, unsigned(*dim)),
                                        arith::MulIOp::create(b_, query(ocl::Query::group_id, unsigned(*dim)),
                                                              query(ocl::Query::enqueued_local_size, unsigned(*dim))));
    return sum;
  }
  LocalSum add(const LocalSum &a, const LocalSum &b) {
    LocalSum sum{arith::AddIOp::create(b_, a.start, b.start), {}};
    for (unsigned d = 0; d < 3; ++d)
      sum.steps[d] = !a.steps[d]   ? b.steps[d]
                     : !b.steps[d] ? a.steps[d]
                                   : arith::AddIOp::create(b_, a.steps[d], b.steps[d]).getResult();
    return sum;
  }
  LocalSum times(LocalSum sum, Value number) {
    sum.start = arith::MulIOp::create(b_, sum.start, number);
    for (Value &step : sum.steps)
      if (step)
        step = arith::MulIOp::create(b_, step, number);
    return sum;
  }
  Value lowest(const LocalSum &sum) { return bound<arith::MinSIOp>(sum); }
  Value highest(const LocalSum &sum) { return bound<arith::MaxSIOp>(sum); }
  template <typename Choose> Value bound(const LocalSum &sum) {
    Value bound = sum.start;
    for (unsigned d = 0; d < 3; ++d)
      if (sum.steps[d]) {
        const Value last = arith::MulIOp::create(b_, sum.steps[d], arith::SubIOp::create(b_, sizeOf(d), constant(1)));
        bound = arith::AddIOp::create(b_, bound, Choose::create(b_, last, constant(0)));
      }
    return bound;
  }

  Value holds(arith::CmpIOp comparison, bool value) {
    using Predicate = arith::CmpIPredicate;
    const auto left = of(comparison.getLhs()), right = left ? of(comparison.getRhs()) : std::nullopt;
    if (!right)
      return {};
    const Predicate predicate = value ? comparison.getPredicate() : arith::invertPredicate(comparison.getPredicate());
    const LocalSum difference = add(*left, times(*right, constant(-1)));
    const Value least = lowest(difference), most = highest(difference), zero = constant(0);
    switch (predicate) {
    case Predicate::eq:
      return arith::AndIOp::create(b_, compare(Predicate::eq, least, zero), compare(Predicate::eq, most, zero));
    case Predicate::ne:
      return arith::OrIOp::create(b_, compare(Predicate::sgt, least, zero), compare(Predicate::slt, most, zero));
    case Predicate::ult:
    case Predicate::ule:
    case Predicate::ugt:
    case Predicate::uge:
      for (const LocalSum &side : {*left, *right})
        require(compare(Predicate::sge, lowest(side), zero));
      break;
    default:
      break;
    }
    switch (predicate) {
    case Predicate::ult:
    case Predicate::slt:
      return compare(Predicate::slt, most, zero);
    case Predicate::ule:
    case Predicate::sle:
      return compare(Predicate::sle, most, zero);
    case Predicate::ugt:
    case Predicate::sgt:
      return compare(Predicate::sgt, least, zero);
    default:
      return compare(Predicate::sge, least, zero);
    }
  }

  ImplicitLocOpBuilder &b_;
  Region &body_;
  Value isExact_;
  DenseMap<Value, Value> uniforms_;
  DenseMap<Value, std::optional<LocalSum>> sums_;
};

/// Notes the access before the region. Returns an i1: no work-item's access has to be noted. Null if the form of the
/// access is not known; the canonicalizer removes what was emitted.
Value noteBefore(wg::ParallelOp parallel, ocl::TrackAccessOp track) {
  ImplicitLocOpBuilder b(track.getLoc(), parallel);
  auto branch = scf::IfOp::create(b, b.getI1Type(), isTracked(b, *track.getArgument(), track.getAccess()),
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, intConstant(b, 1, 1));
  b.setInsertionPointToStart(branch.thenBlock());
  GroupSums sums(b, parallel.getBody());
  const Value isExecuted = sums.isExecuted(track);
  const auto pointer = isExecuted ? sums.ofPointer(track.getPointer()) : std::nullopt;
  const Value bytes = pointer ? sums.uniform(track.getBytes()) : Value();
  if (!bytes) {
    branch.erase();
    return {};
  }
  const auto &[offset, base] = *pointer;
  const auto step = [&](unsigned dim) { return offset.steps[dim] ? offset.steps[dim] : sums.constant(0); };
  // Two dimensions, or three if the planes follow each other at the distance of rows.
  const Value planes = sums.sizeOf(2), rowsOfPlane = sums.sizeOf(1);
  const Value isFlat = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, planes, sums.constant(1));
  const Value followsRows =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, step(2), arith::MulIOp::create(b, step(1), rowsOfPlane));
  Value fits = arith::AndIOp::create(b, arith::OrIOp::create(b, isFlat, followsRows), sums.isExact());
  fits = arith::AndIOp::create(b, fits, isExecuted);
  auto call = scf::IfOp::create(b, b.getI1Type(), fits, /*addThenBlock=*/true, /*addElseBlock=*/true);
  scf::YieldOp::create(b, call.getResult(0));
  b.setInsertionPointToStart(call.elseBlock());
  scf::YieldOp::create(b, intConstant(b, 0, 1));
  b.setInsertionPointToStart(call.thenBlock());
  const Value first = LLVM::GEPOp::create(b, base.getType(), b.getI8Type(), base, LLVM::GEPArg(offset.start));
  const Value noted =
      ocl::TrackGroupOp::create(b, b.getI1Type(), track.getAccessAttr(), first, bytes, step(0), sums.sizeOf(0), step(1),
                                arith::MulIOp::create(b, rowsOfPlane, planes), track.getNameAttr(),
                                track.getArgumentAttr(), track.getGranuleAttr(), track.getSyncAttr());
  scf::YieldOp::create(b, noted);
  return branch.getResult(0);
}

} // namespace

void noteGroups(func::FuncOp kernel) {
  if (!kernel->hasAttr(OnlyRacesAttr))
    return;
  auto parallel = *kernel.getOps<wg::ParallelOp>().begin();
  SmallVector<ocl::TrackAccessOp> tracks;
  kernel.walk([&](ocl::TrackAccessOp track) { tracks.push_back(track); });
  if (llvm::any_of(tracks, [](ocl::TrackAccessOp track) { return track.getAccess() == ocl::AccessKind::atomic; }))
    return;
  unsigned notes = 0;
  for (ocl::TrackAccessOp track : tracks) {
    const auto space = cast<LLVM::LLVMPointerType>(track.getPointer().getType()).getAddressSpace();
    if (space != ocl::Global || !track.getArgument() || notes == MostNotes)
      continue;
    const Value noted = noteBefore(parallel, track);
    if (!noted)
      continue;
    ++notes;
    ImplicitLocOpBuilder b(track.getLoc(), track);
    auto branch = scf::IfOp::create(b, arith::XOrIOp::create(b, noted, intConstant(b, 1, 1)), /*withElseRegion=*/false);
    track->moveBefore(branch.thenBlock()->getTerminator());
  }
}

} // namespace kiln
