// Rows of a group that run several at a time, where columns become rows by that.
//
//   wg.parallel {                                   wg.parallel rows 4 {
//     %y = ocl.query local_id[1]                      %y = ocl.query local_id[1]            // of the first
//     scf.if %column {                                scf.if %column {
//       %v = llvm.load %tile[17 * %x + %y]    ==>       %v0 = llvm.load %tile[17 * %x + %y]
//       llvm.store %v, %to[%h * %y + %x]                %v1 = llvm.load %tile[17 * %x + %y + 1]
//     }                                                 ...
//     wg.yield                                          llvm.store %v0, %to[%h * %y + %x]
//   }                                                   ...
//
// The work-items of a vector are neighbours in x. Where what they read lies far apart, but next to what their
// neighbours in y read (a tile that is turned), four rows together read four numbers a lane at once, and shuffles do
// the rest. For groups of a known size that is a multiple of four rows; without loops, atomics and private variables,
// which leaves any order of the work-items to choose from.
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/analysis/LinearAddress.h"
#include "passes/analysis/PlainAccess.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_UNROLLANDJAM
#include "passes/Passes.h.inc"
namespace {

constexpr unsigned Rows = 4, MostOperations = 64, Lanes = 16;

bool asksForRow(Operation *op) {
  auto query = dyn_cast_or_null<ocl::QueryOp>(op);
  return query && (query.getKind() == ocl::Query::local_id || query.getKind() == ocl::Query::global_id) &&
         constantOf(query.getDim()) == 1;
}

// A local id in fewer bits is the same number.
bool narrowsRow(Operation *op) {
  auto cut = dyn_cast_or_null<arith::TruncIOp>(op);
  auto query = cut ? cut.getIn().getDefiningOp<ocl::QueryOp>() : ocl::QueryOp();
  return query && asksForRow(query) && query.getKind() == ocl::Query::local_id &&
         cut.getType().getIntOrFloatBitWidth() >= 32;
}

// Of memory whose rules leave the order of work-items free.
std::optional<PlainAccess> freeAccess(Operation *op, const DataLayout &layout) {
  std::optional<PlainAccess> access = plainAccess(op, layout);
  return access && access->space() != ocl::Private && access->space() != ocl::Generic ? access : std::nullopt;
}

bool mayBeJammed(Region &body, const DataLayout &layout) {
  unsigned count = 0;
  auto takes = [&](Operation *op) {
    if (++count > MostOperations)
      return false;
    if (auto query = dyn_cast<ocl::QueryOp>(op))
      return constantOf(query.getDim()).has_value();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return branch->getNumResults() == 0;
    if (isa<scf::YieldOp, wg::YieldOp>(op) || freeAccess(op, layout))
      return true;
    return !isa<ocl::LinearQueryOp, wg::AddressOp>(op) && op->getNumRegions() == 0 && isMemoryEffectFree(op);
  };
  return body.hasOneBlock() &&
         !body.walk([&](Operation *op) { return takes(op) ? WalkResult::advance() : WalkResult::interrupt(); })
              .wasInterrupted();
}

// Is there an access that is scattered in x, and a row in y.
bool turnsRows(Region &body, const DataLayout &layout) {
  const LaneShapes shapes(body, Lanes, layout, /*assumeIdsFit31Bits=*/true);
  auto turns = [&](Operation *op) {
    const std::optional<PlainAccess> access = freeAccess(op, layout);
    if (!access || !isa<IntegerType, FloatType>(access->type))
      return false;
    const std::optional<Rise> rise = shapes.of(access->pointer).riseIfGuardsHold();
    if (rise && (rise->stride == 0 || rise->stride == access->bytes))
      return false;
    return llvm::any_of(LinearAddress(access->pointer, layout).terms, [&](const LinearAddress::Term &term) {
      Operation *made = term.number.getDefiningOp();
      const bool isRow = narrowsRow(made) || (asksForRow(made) && term.number.getType().isInteger(64) &&
                                              cast<ocl::QueryOp>(made).getKind() == ocl::Query::local_id);
      return isRow && term.bytes == access->bytes;
    });
  };
  return body.walk([&](Operation *op) { return turns(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Writes the body anew, each operation once for all rows where it is the same for all, and once for each otherwise.
class Jam {
public:
  explicit Jam(OpBuilder &b) : b(b) {}

  void copy(Block &from) {
    for (Operation &op : from.without_terminator())
      if (asksForRow(&op) || narrowsRow(&op))
        count(&op);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        copyBranch(branch);
      else if (!isa<LLVM::StoreOp>(op) && isShared(op.getOperands()))
        share(&op);
      else
        for (IRMapping &row : rows_)
          b.clone(op, row);
  }

private:
  bool isShared(ValueRange values) {
    return llvm::all_of(values, [&](Value value) {
      return llvm::all_of(
          rows_, [&](IRMapping &row) { return row.lookupOrDefault(value) == rows_[0].lookupOrDefault(value); });
    });
  }

  void share(Operation *op) {
    Operation *made = b.clone(*op, rows_[0]);
    for (unsigned row = 1; row < Rows; ++row)
      rows_[row].map(op->getResults(), made->getResults());
  }

  // The first row's id, and the ids of the next rows. They are ids of work-items, so they do not wrap around, unsigned.
  // A global id may exceed 2^63 - 1.
  void count(Operation *op) {
    auto flags = arith::IntegerOverflowFlags::nuw;
    if (auto query = dyn_cast<ocl::QueryOp>(op); !query || query.getKind() == ocl::Query::local_id)
      flags = flags | arith::IntegerOverflowFlags::nsw;
    Value first = b.clone(*op, rows_[0])->getResult(0);
    for (unsigned row = 1; row < Rows; ++row) {
      Value distance = arith::ConstantOp::create(b, op->getLoc(), b.getIntegerAttr(first.getType(), int64_t(row)));
      rows_[row].map(op->getResult(0), arith::AddIOp::create(b, op->getLoc(), first, distance, flags).getResult());
    }
  }

  // Together where all rows go the same way, and one by one otherwise.
  void copyBranch(scf::IfOp branch) {
    const Location loc = branch.getLoc();
    const bool hasElse = !branch.getElseRegion().empty();
    OpBuilder::InsertionGuard guard(b);
    if (isShared(branch.getCondition())) {
      auto made = scf::IfOp::create(b, loc, rows_[0].lookupOrDefault(branch.getCondition()), hasElse);
      b.setInsertionPointToStart(made.thenBlock());
      copy(*branch.thenBlock());
      if (hasElse) {
        b.setInsertionPointToStart(made.elseBlock());
        copy(*branch.elseBlock());
      }
      return;
    }
    Value all;
    for (IRMapping &row : rows_) {
      Value own = row.lookupOrDefault(branch.getCondition());
      all = all ? arith::AndIOp::create(b, loc, all, own).getResult() : own;
    }
    auto made = scf::IfOp::create(b, loc, all, /*withElseRegion=*/true);
    b.setInsertionPointToStart(made.elseBlock());
    for (IRMapping &row : rows_) {
      IRMapping own = row; // what is inside is mapped again for the others
      b.clone(*branch, own);
    }
    b.setInsertionPointToStart(made.thenBlock());
    copy(*branch.thenBlock());
  }

  OpBuilder &b;
  IRMapping rows_[Rows];
};

struct UnrollAndJam : impl::UnrollAndJamBase<UnrollAndJam> {
  using UnrollAndJamBase::UnrollAndJamBase;

  void runOnOperation() override {
    if (localSize.size() != 3 || localSize[1] % Rows != 0 || localSize[2] != 1)
      return;
    getOperation().walk([&](wg::ParallelOp region) {
      Region &body = region.getBody();
      const DataLayout layout = DataLayout::closest(region);
      if (region.getMask() || !mayBeJammed(body, layout) || !turnsRows(body, layout))
        return;
      Block *single = &body.front(), *jammed = new Block;
      body.push_back(jammed);
      OpBuilder b = OpBuilder::atBlockEnd(jammed);
      Jam(b).copy(*single);
      single->getTerminator()->moveBefore(jammed, jammed->end());
      single->erase();
      region.setRows(Rows);
      ++regionsJammed;
    });
  }
};
} // namespace
} // namespace kiln
