// Lowers collectives of sub-groups and work-groups to shuffles, ballots and local memory.
//
//   %s = ocl.combine reduce add sub_group uniform %v : i32    ==>    %s = redux.sync.add %v, -1      (NVPTX, sm_80)
//   %x = ocl.shuffle sub_group %v[%lane] : i32                ==>    %m = activemask
//                                                                    %x = shfl.sync.idx %m, %v, %lane
//
// A `uniform` operation names all lanes, so the hardware waits for those that are elsewhere. Others take the lanes that
// are active: the lanes of a warp that took the same branch run together until control flow joins, as for CUDA's
// __activemask. An operation in a block that all lanes execute in lockstep is uniform as well. In a kernel with other
// operations, lanes that have diverged meet where such blocks begin.
//
// Runs before gpu-lower-entries, which lowers the queries and counts the local memory.
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/ProgramOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "passes/Pass.h"
#include "passes/gpu/GroupLowering.h"
#include "passes/gpu/Lockstep.h"

using namespace mlir;

namespace kiln {
#include "passes/LowerGpuGroups.pass.inc"
namespace {

using gpu::Lanes;
using gpu::SubGroupBuilder;

struct LowerGpuGroups : impl::LowerGpuGroupsBase<LowerGpuGroups> {
  using LowerGpuGroupsBase::LowerGpuGroupsBase;

  void runOnOperation() override {
    const ocl::TargetAttr target = ocl::gpuTargetOf(getOperation(), "gpu-lower-groups");
    if (!target)
      return signalPassFailure();
    info_ = &gpu::GpuTargetInfo::of(target);
    subGroupSize_ = target.getSubGroupSize();
    hasReduceInstruction_ = target.has(ocl::TargetFeature::ReduceInstruction);
    scratch_.clear();
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      SmallVector<Operation *> found;
      kernel.walk([&](Operation *op) {
        if (isa<ocl::CombineOp, ocl::ShuffleOp, ocl::BallotOp>(op))
          found.push_back(op);
      });
      if (found.empty())
        continue;
      items_ = knownItems(kernel);
      gpu::Lockstep lockstep(kernel);
      bool hasActive = false;
      for (Operation *op : found) {
        OpBuilder builder(op);
        bool isCommon = lockstep.contains(op->getBlock());
        hasActive |= !isCommon;
        Value result = lower(builder, op, isCommon);
        op->getResult(0).replaceAllUsesWith(result);
        op->erase();
      }
      if (hasActive)
        for (Block &block : kernel.getBody())
          if (lockstep.isJoin(&block) && lockstep.contains(&block)) {
            OpBuilder builder = OpBuilder::atBlockBegin(&block);
            info_->converge(builder, kernel.getLoc());
          }
    }
  }

private:
  /// The number of work-items of a work-group; 0 if it is not constant.
  int64_t knownItems(func::FuncOp kernel) {
    ArrayRef<int64_t> size = ocl::fixedLocalSize(getOperation());
    if (auto required = kernel->getAttrOfType<DenseI64ArrayAttr>(ocl::RequiredSizeAttr);
        required && getOperation()->hasAttr(ocl::UniformGroupsAttr))
      size = required.asArrayRef();
    return size.size() == 3 ? size[0] * size[1] * size[2] : 0;
  }

  Value lower(OpBuilder &builder, Operation *op, bool isCommon) {
    bool isUniform = isCommon, isGroup = false;
    if (auto combine = dyn_cast<ocl::CombineOp>(op)) {
      isUniform |= combine.getUniform();
      isGroup = combine.getScope() == ocl::Scope::work_group;
    } else if (auto shuffle = dyn_cast<ocl::ShuffleOp>(op)) {
      isUniform |= shuffle.getUniform();
      isGroup = shuffle.getScope() == ocl::Scope::work_group;
    }
    Lanes lanes = !isUniform && !isGroup                  ? Lanes::Active
                  : items_ && items_ % subGroupSize_ == 0 ? Lanes::Full
                                                          : Lanes::Existing;
    SubGroupBuilder subGroup(builder, op->getLoc(), *info_, subGroupSize_, hasReduceInstruction_, lanes);
    isGroup &= items_ == 0 || items_ > int64_t(subGroupSize_); // else its only sub-group
    if (auto combine = dyn_cast<ocl::CombineOp>(op))
      return isGroup ? lowerGroup(builder, combine, subGroup) : lowerSub(builder, combine, subGroup);
    if (auto shuffle = dyn_cast<ocl::ShuffleOp>(op)) {
      if (!isGroup)
        return subGroup.shuffle(shuffle.getValue(), shuffle.getLane(), shuffle.getUniform());
      return gpu::WorkGroupBuilder(builder, op->getLoc(), subGroup, scratch(builder, shuffle.getValue(), op->getLoc()))
          .broadcast(shuffle.getValue(), shuffle.getLane());
    }
    return ballot(builder, cast<ocl::BallotOp>(op), subGroup);
  }

  static Value lowerSub(OpBuilder &builder, ocl::CombineOp op, SubGroupBuilder &subGroup) {
    Value value = op.getValue();
    unsigned cluster = op.getCluster().value_or(~0u);
    auto operation = op.getGroupOperation();
    if (value.getType().isInteger(1))
      return subGroup.vote(operation, op.getKind(), value, cluster);
    if (auto vector = dyn_cast<VectorType>(value.getType()); vector && vector.getElementType().isInteger(1)) {
      SmallVector<Value> votes;
      for (int64_t i = 0; i < vector.getNumElements(); ++i) {
        Value element = vector::ExtractOp::create(builder, op.getLoc(), value, i);
        votes.push_back(subGroup.vote(operation, op.getKind(), element, cluster));
      }
      return vector::FromElementsOp::create(builder, op.getLoc(), vector, votes);
    }
    if (operation == ocl::GroupOperation::reduce) {
      auto query = value.getDefiningOp<ocl::LinearQueryOp>();
      bool ofLanes = query && query.getKind() == ocl::LinearQuery::sub_group_local_id && !op.getCluster() &&
                     value.getType().isInteger(32);
      if (ofLanes && op.getKind() == ocl::CombiningKind::umin)
        return subGroup.firstLane();
      if (ofLanes && op.getKind() == ocl::CombiningKind::umax)
        return subGroup.lastLane();
      return subGroup.reduce(op.getKind(), value, cluster);
    }
    SubGroupBuilder::Scan scan = subGroup.scan(op.getKind(), value);
    return operation == ocl::GroupOperation::inclusive_scan ? scan.inclusive : scan.exclusive;
  }

  Value lowerGroup(OpBuilder &builder, ocl::CombineOp op, SubGroupBuilder &subGroup) {
    Value value = op.getValue();
    ocl::CombiningKind kind = op.getKind();
    if (votesByBarrier && value.getType().isInteger(1) && op.getGroupOperation() == ocl::GroupOperation::reduce &&
        (kind == ocl::CombiningKind::and_ || kind == ocl::CombiningKind::or_))
      if (Value vote = info_->voteOfGroup(builder, op.getLoc(), kind == ocl::CombiningKind::and_, value))
        return vote;
    gpu::WorkGroupBuilder group(builder, op.getLoc(), subGroup, scratch(builder, value, op.getLoc()));
    return group.combine(op.getGroupOperation(), kind, value);
  }

  Value ballot(OpBuilder &builder, ocl::BallotOp op, SubGroupBuilder &subGroup) {
    Location loc = op.getLoc();
    Type i32 = builder.getI32Type();
    Value votes = subGroup.ballot(op.getPredicate()), none = intConstant(builder, loc, 0, 32);
    if (subGroupSize_ == 32)
      return vector::FromElementsOp::create(builder, loc, op.getType(), ValueRange{votes, none, none, none});
    Value low = arith::TruncIOp::create(builder, loc, i32, votes);
    Value half = intConstant(builder, loc, 32, 64);
    Value high = arith::TruncIOp::create(builder, loc, i32, Value(arith::ShRUIOp::create(builder, loc, votes, half)));
    return vector::FromElementsOp::create(builder, loc, op.getType(), ValueRange{low, high, none, none});
  }

  /// Returns the address of local memory for one value per sub-group of the largest work-group. The size is the same in
  /// all variants of a kernel. Collectives with values of the same size share it.
  Value scratch(OpBuilder &builder, Value value, Location loc) {
    Type type = value.getType();
    uint64_t bytes = getElementTypeOrSelf(type).isInteger(1)
                         ? 4 * (isa<VectorType>(type) ? cast<VectorType>(type).getNumElements() : 1)
                         : DataLayout::closest(getOperation()).getTypeSize(type).getFixedValue();
    bytes = llvm::PowerOf2Ceil(bytes);
    LLVM::GlobalOp &global = scratch_[bytes];
    if (!global) {
      auto array = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes * gpu::MaxGroupSize / subGroupSize_);
      OpBuilder detached(&getContext());
      global = LLVM::GlobalOp::create(detached, loc, array, /*isConstant=*/false, LLVM::Linkage::Internal,
                                      "group_scratch_" + std::to_string(bytes), Attribute(), bytes, ocl::Local);
      SymbolTable(getOperation()).insert(global); // renames it if the program has a symbol of this name
    }
    return LLVM::AddressOfOp::create(builder, loc, global);
  }

  const gpu::GpuTargetInfo *info_ = nullptr;
  unsigned subGroupSize_ = 0;
  bool hasReduceInstruction_ = false;
  llvm::DenseMap<uint64_t, LLVM::GlobalOp> scratch_; // by bytes per value
  int64_t items_ = 0;                                // of a work-group of the current kernel; 0: not constant
};
} // namespace
} // namespace kiln
