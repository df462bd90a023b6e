#include "passes/wg/Queries.h"
#include "base/abi/Check.h"
#include "base/abi/KernelAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln {
namespace {

class QueryLowering {
public:
  QueryLowering(GroupFunction &group, const Item &item) : group_(group), builder_(group.builder), item_(item) {}

  Value lower(ocl::QueryOp query) {
    APInt dim;
    if (matchPattern(query.getDim(), m_ConstantInt(&dim)) && dim.ult(3))
      return component(query.getKind(), dim.getZExtValue());
    Value value = group_.constant(query.getKind() >= ocl::Query::global_size ? 1 : 0);
    for (int d : {0, 1, 2}) {
      Value is = group_.isSame(query.getDim(), intConstant(builder_, group_.loc, d, 32));
      value = arith::SelectOp::create(builder_, group_.loc, is, component(query.getKind(), d), value);
    }
    return value;
  }

  Value lower(ocl::LinearQueryOp query) {
    const int64_t size = group_.subGroupSize;
    auto enqueuedItems = [&] {
      return group_.mul(group_.mul(group_.localSize[0], group_.localSize[1]), group_.localSize[2]);
    };
    auto limited = [&](Value items) -> Value {
      return arith::MinUIOp::create(builder_, group_.loc, items, group_.constant(size));
    };
    auto subGroups = [&](Value items) -> Value {
      return arith::DivUIOp::create(builder_, group_.loc, group_.add(items, group_.constant(size - 1)),
                                    group_.constant(size));
    };
    switch (query.getKind()) {
    case ocl::LinearQuery::work_dim:
      return group_.workDim;
    case ocl::LinearQuery::local_linear_id:
      return item_.linear;
    case ocl::LinearQuery::global_linear_id: {
      Dim3 id;
      for (int dim : {0, 1, 2})
        id[dim] = group_.add(group_.mul(group_.id[dim], group_.localSize[dim]), item_.id[dim]);
      Value row = group_.add(group_.mul(id[2], group_.globalSize[1]), id[1]);
      return group_.add(group_.mul(row, group_.globalSize[0]), id[0]);
    }
    case ocl::LinearQuery::sub_group_size: {
      Value first = arith::AndIOp::create(builder_, group_.loc, item_.linear, group_.constant(-size));
      return limited(arith::SubIOp::create(builder_, group_.loc, group_.itemCount(), first));
    }
    case ocl::LinearQuery::max_sub_group_size:
      return limited(enqueuedItems());
    case ocl::LinearQuery::num_sub_groups:
      return subGroups(group_.itemCount());
    case ocl::LinearQuery::enqueued_num_sub_groups:
      return subGroups(enqueuedItems());
    case ocl::LinearQuery::sub_group_id:
      return arith::DivUIOp::create(builder_, group_.loc, item_.linear, group_.constant(size));
    case ocl::LinearQuery::sub_group_local_id:
      return arith::RemUIOp::create(builder_, group_.loc, item_.linear, group_.constant(size));
    }
    llvm_unreachable("all kinds are handled");
  }

private:
  Value component(ocl::Query kind, unsigned dim) {
    switch (kind) {
    case ocl::Query::global_id:
      return group_.add(group_.start[dim], localId(dim));
    case ocl::Query::local_id:
      return localId(dim);
    case ocl::Query::group_id:
      return group_.id[dim];
    case ocl::Query::global_offset:
      return group_.globalOffset[dim];
    case ocl::Query::global_size:
      return group_.globalSize[dim];
    case ocl::Query::local_size:
      return group_.size[dim];
    case ocl::Query::enqueued_local_size:
      return group_.localSize[dim];
    case ocl::Query::num_groups:
      return group_.numGroups[dim];
    }
    llvm_unreachable("all kinds are handled");
  }

  Value localId(unsigned dim) { return item_.id[dim] ? item_.id[dim] : group_.constant(0); }

  GroupFunction &group_;
  OpBuilder &builder_;
  const Item &item_;
};

} // namespace

bool usesYOrZ(Region &region) {
  return region
      .walk([](Operation *op) {
        if (auto linear = dyn_cast<ocl::LinearQueryOp>(op);
            linear && linear.getKind() == ocl::LinearQuery::global_linear_id)
          return WalkResult::interrupt();
        auto query = dyn_cast<ocl::QueryOp>(op);
        if (!query || (query.getKind() != ocl::Query::global_id && query.getKind() != ocl::Query::local_id))
          return WalkResult::advance();
        return matchPattern(query.getDim(), m_Zero()) ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

void lowerQueries(Region &region, GroupFunction &group, const Item &item) {
  SmallVector<Operation *> queries;
  region.walk([&](Operation *op) {
    if (isa<ocl::QueryOp, ocl::LinearQueryOp>(op))
      queries.push_back(op);
  });
  QueryLowering lowering(group, item);
  for (Operation *op : queries) {
    group.builder.setInsertionPoint(op);
    auto query = dyn_cast<ocl::QueryOp>(op);
    Value value = query ? lowering.lower(query) : lowering.lower(cast<ocl::LinearQueryOp>(op));
    Type type = op->getResult(0).getType();
    if (type != group.i64)
      value = arith::TruncIOp::create(group.builder, group.loc, type, value);
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
}

// The address is the same for the whole launch, so it is loaded once per pointer type.
template <typename Op> static bool lowerToLaunchField(GroupFunction &group, size_t field) {
  SmallVector<Op> uses;
  group.function.walk([&](Op use) { uses.push_back(use); });
  group.enterPrologue();
  DenseMap<Type, Value> addresses;
  for (Op use : uses) {
    Value &address = addresses[use.getType()];
    if (!address)
      address = group.launchField(field, use.getType());
    use.replaceAllUsesWith(address);
    use.erase();
  }
  return !uses.empty();
}

// A range is the same for the whole launch.
static void lowerArgumentRanges(GroupFunction &group) {
  SmallVector<ocl::ArgumentRangeOp> uses;
  group.function.walk([&](ocl::ArgumentRangeOp use) { uses.push_back(use); });
  SmallVector<ocl::ArgumentTrackedOp> tracked;
  group.function.walk([&](ocl::ArgumentTrackedOp use) { tracked.push_back(use); });
  if (uses.empty() && tracked.empty())
    return;
  group.enterPrologue();
  auto load = [&](Value base, size_t bytes, Type type) {
    auto made = LLVM::LoadOp::create(group.builder, group.loc, type, group.offset(base, int64_t(bytes)), 8);
    made.setInvariant(true);
    return made.getResult();
  };
  auto pointer = LLVM::LLVMPointerType::get(group.builder.getContext());
  Value ranges =
      load(group.launchField(offsetof(abi::CpuLaunch, check), pointer), offsetof(abi::CheckLaunch, ranges), pointer);
  for (ocl::ArgumentRangeOp use : uses) {
    const size_t at = sizeof(abi::CheckRange) * use.getArgument();
    use.getBegin().replaceAllUsesWith(load(ranges, at + offsetof(abi::CheckRange, begin), use.getBegin().getType()));
    use.getSize().replaceAllUsesWith(load(ranges, at + offsetof(abi::CheckRange, size), group.i64));
    use.erase();
  }
  for (ocl::ArgumentTrackedOp use : tracked) {
    const size_t at = sizeof(abi::CheckRange) * use.getArgument();
    use.replaceAllUsesWith(load(ranges, at + offsetof(abi::CheckRange, tracked), group.i64));
    use.erase();
  }
}

static void lowerDistinctArguments(GroupFunction &group) {
  SmallVector<wg::DistinctArgumentsOp> uses;
  group.function.walk([&](wg::DistinctArgumentsOp use) { uses.push_back(use); });
  if (uses.empty())
    return;
  group.enterPrologue();
  Value field = group.launchField(offsetof(abi::CpuLaunch, distinctArguments));
  Value distinct = arith::TruncIOp::create(group.builder, group.loc, group.builder.getI1Type(), field);
  for (wg::DistinctArgumentsOp use : uses) {
    use.replaceAllUsesWith(distinct);
    use.erase();
  }
}

void lowerLaunchBufferOps(GroupFunction &group) {
  lowerDistinctArguments(group);
  lowerToLaunchField<ocl::ProgramVariablesOp>(group, offsetof(abi::CpuLaunch, programVariables));
  group.setPlan(ocl::plan::Prints,
                lowerToLaunchField<ocl::PrintfBufferOp>(group, offsetof(abi::CpuLaunch, printfBuffer)));
  lowerToLaunchField<wg::AssumptionReportOp>(group, offsetof(abi::CpuLaunch, assumptions));
  lowerToLaunchField<ocl::CheckLaunchOp>(group, offsetof(abi::CpuLaunch, check));
  lowerArgumentRanges(group);
  lowerToLaunchField<ocl::AccessNoteOp>(group, offsetof(abi::CpuLaunch, accessNote));
  group.setPlan(ocl::plan::Enqueues,
                lowerToLaunchField<ocl::EnqueueArenaOp>(group, offsetof(abi::CpuLaunch, enqueueArena)));
}

} // namespace kiln
