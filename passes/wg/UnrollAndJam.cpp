// Unroll-and-jam: each iteration runs four rows (y) of a region, so that columns can be accessed as groups.
//
//   wg.parallel {                                   wg.parallel jam 4 {
//     %y = ocl.query local_id[1]                      %y = ocl.query local_id[1]            // the first row's
//     scf.if %column {                                scf.if %column {
//       %v = llvm.load %tile[17 * %x + %y]    ==>       %v0 = llvm.load %tile[17 * %x + %y]
//       llvm.store %v, %to[%h * %y + %x]                %v1 = llvm.load %tile[17 * %x + %y + 1]
//     }                                                 ...
//     wg.yield                                          llvm.store %v0, %to[%h * %y + %x]
//   }                                                   ...
//
// The work-items of a vector are adjacent in x. If their accesses are scattered, but adjacent to those of the next row
// (a transposed tile), four rows form an access group of four elements per lane, which simd/AccessGroups loads as a
// vector and transposes. Legal because nothing orders work-items of a region that has no atomics. If no access is
// consecutive in x, rows along y are better (simd/decide/RowDimension). Not handled: a local size that is not fixed or
// not a multiple of four in y, loops, private variables.
#include "dialects/ocl/Target.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Pass.h"
#include "passes/analysis/BasePointer.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/analysis/LinearAddress.h"
#include "passes/analysis/PlainAccess.h"

using namespace mlir;

namespace kiln {
#include "passes/UnrollAndJam.pass.inc"
namespace {

constexpr unsigned Rows = 4, MaxOperations = 64, Lanes = 16;

bool isRowQuery(Operation *op, int64_t dimension = 1) {
  auto query = dyn_cast_or_null<ocl::QueryOp>(op);
  return query && (query.getKind() == ocl::Query::local_id || query.getKind() == ocl::Query::global_id) &&
         constantOf(query.getDim()) == dimension;
}

// Returns true for a truncated local id of y or another dimension, which has the same value: it is below 2^31.
bool isTruncatedRowId(Operation *op, int64_t dimension = 1) {
  auto cut = dyn_cast_or_null<arith::TruncIOp>(op);
  auto query = cut ? cut.getIn().getDefiningOp<ocl::QueryOp>() : ocl::QueryOp();
  return query && isRowQuery(query, dimension) && query.getKind() == ocl::Query::local_id &&
         cut.getType().getIntOrFloatBitWidth() >= 32;
}

// A plain access to memory that work-items share, where nothing orders them.
std::optional<PlainAccess> sharedAccess(Operation *op, const DataLayout &layout) {
  std::optional<PlainAccess> access = plainAccess(op, layout);
  return access && access->space() != ocl::Private && access->space() != ocl::Generic ? access : std::nullopt;
}

bool canBeJammed(Region &body, const DataLayout &layout) {
  unsigned count = 0;
  auto isSupported = [&](Operation *op) {
    if (++count > MaxOperations)
      return false;
    if (auto query = dyn_cast<ocl::QueryOp>(op))
      return constantOf(query.getDim()).has_value();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return branch->getNumResults() == 0;
    if (isa<scf::YieldOp, wg::YieldOp>(op) || sharedAccess(op, layout))
      return true;
    return !isa<ocl::LinearQueryOp, wg::AddressOp>(op) && op->getNumRegions() == 0 && isMemoryEffectFree(op);
  };
  return body.hasOneBlock() &&
         !body.walk([&](Operation *op) { return isSupported(op) ? WalkResult::advance() : WalkResult::interrupt(); })
              .wasInterrupted();
}

// Returns true if an access is scattered in x and consecutive in y, and another one is consecutive in x.
bool hasTransposedAccess(Region &body, const DataLayout &layout) {
  const LaneShapes shapes(body, Lanes, layout, /*assumeIdsFit31Bits=*/true);
  bool hasRow = false, hasColumn = false;
  body.walk([&](Operation *op) {
    const std::optional<PlainAccess> access = sharedAccess(op, layout);
    if (!access || !isa<IntegerType, FloatType>(access->type))
      return;
    const std::optional<StrideInfo> info = shapes.of(access->pointer).strideInfoIfGuardsHold();
    auto risesWith = [&](int64_t dimension) {
      return llvm::any_of(LinearAddress(uncheckedPointer(access->pointer), layout).terms,
                          [&](const LinearAddress::Term &term) {
                            Operation *made = term.number.getDefiningOp();
                            const bool isId = isTruncatedRowId(made, dimension) ||
                                              (isRowQuery(made, dimension) && term.number.getType().isInteger(64) &&
                                               cast<ocl::QueryOp>(made).getKind() == ocl::Query::local_id);
                            return isId && term.bytes == access->bytes;
                          });
    };
    hasRow |= (info && info->stride == access->bytes) || risesWith(0);
    hasColumn |= (!info || (info->stride != 0 && info->stride != access->bytes)) && risesWith(1);
  });
  return hasRow && hasColumn;
}

/// Clones the body for all rows: an operation whose operands are equal in all rows once, any other one per row.
class RowCloner {
public:
  explicit RowCloner(OpBuilder &b) : b_(b) {}

  void copy(Block &from) {
    for (Operation &op : from.without_terminator())
      if (isRowQuery(&op) || isTruncatedRowId(&op))
        countUp(&op);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        copyBranch(branch);
      else if (!isa<LLVM::StoreOp>(op) && isShared(op.getOperands()))
        cloneShared(&op);
      else
        for (IRMapping &row : rows_)
          b_.clone(op, row);
  }

private:
  bool isShared(ValueRange values) {
    return llvm::all_of(values, [&](Value value) {
      return llvm::all_of(
          rows_, [&](IRMapping &row) { return row.lookupOrDefault(value) == rows_[0].lookupOrDefault(value); });
    });
  }

  void cloneShared(Operation *op) {
    Operation *made = b_.clone(*op, rows_[0]);
    for (unsigned row = 1; row < Rows; ++row)
      rows_[row].map(op->getResults(), made->getResults());
  }

  // The first row's id, and the next rows' as sums. Ids of work-items do not wrap around as unsigned numbers. A global
  // id may exceed 2^63 - 1.
  void countUp(Operation *op) {
    auto flags = arith::IntegerOverflowFlags::nuw;
    if (auto query = dyn_cast<ocl::QueryOp>(op); !query || query.getKind() == ocl::Query::local_id)
      flags = flags | arith::IntegerOverflowFlags::nsw;
    Value first = b_.clone(*op, rows_[0])->getResult(0);
    for (unsigned row = 1; row < Rows; ++row) {
      Value distance = arith::ConstantOp::create(b_, op->getLoc(), b_.getIntegerAttr(first.getType(), int64_t(row)));
      rows_[row].map(op->getResult(0), arith::AddIOp::create(b_, op->getLoc(), first, distance, flags).getResult());
    }
  }

  // If all rows agree, one jammed copy of the branch; otherwise one copy per row.
  void copyBranch(scf::IfOp branch) {
    const Location loc = branch.getLoc();
    const bool hasElse = !branch.getElseRegion().empty();
    OpBuilder::InsertionGuard guard(b_);
    if (isShared(branch.getCondition())) {
      auto made = scf::IfOp::create(b_, loc, rows_[0].lookupOrDefault(branch.getCondition()), hasElse);
      b_.setInsertionPointToStart(made.thenBlock());
      copy(*branch.thenBlock());
      if (hasElse) {
        b_.setInsertionPointToStart(made.elseBlock());
        copy(*branch.elseBlock());
      }
      return;
    }
    Value all;
    for (IRMapping &row : rows_) {
      Value own = row.lookupOrDefault(branch.getCondition());
      all = all ? arith::AndIOp::create(b_, loc, all, own).getResult() : own;
    }
    auto made = scf::IfOp::create(b_, loc, all, /*withElseRegion=*/true);
    b_.setInsertionPointToStart(made.elseBlock());
    for (IRMapping &row : rows_) {
      IRMapping own = row; // mappings inside the branch must not leak
      b_.clone(*branch, own);
    }
    b_.setInsertionPointToStart(made.thenBlock());
    copy(*branch.thenBlock());
  }

  OpBuilder &b_;
  IRMapping rows_[Rows];
};

struct UnrollAndJam : impl::UnrollAndJamBase<UnrollAndJam> {
  using UnrollAndJamBase::UnrollAndJamBase;

  void runOnOperation() override {
    const ArrayRef<int64_t> localSize = ocl::fixedLocalSize(getOperation());
    if (localSize.empty() || localSize[1] % Rows != 0 || localSize[2] != 1)
      return;
    getOperation().walk([&](wg::ParallelOp region) {
      Region &body = region.getBody();
      const DataLayout layout = DataLayout::closest(region);
      if (region.getMask() || !canBeJammed(body, layout) || !hasTransposedAccess(body, layout))
        return;
      Block *single = &body.front(), *jammed = new Block;
      body.push_back(jammed);
      OpBuilder b = OpBuilder::atBlockEnd(jammed);
      RowCloner(b).copy(*single);
      single->getTerminator()->moveBefore(jammed, jammed->end());
      single->erase();
      region.setJam(Rows);
      ++regionsJammed;
    });
  }
};
} // namespace
} // namespace kiln
