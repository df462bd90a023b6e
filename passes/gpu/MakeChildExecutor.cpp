// Makes the kernel that runs enqueued blocks on the device, so that their launch needs no host. The runtime launches it
// after each kernel that enqueues.
//
//   func.func @f.block(%c: byval) {ocl.block = 0}
//   ==>
//   the same, and func.func @kiln.run_children() {ocl.block = 1}:
//     %own = ocl.begin_executor %arena, %child
//     while (ocl.next_chunk %own, %child of @kiln.executor_blocks)
//       switch %child.block: case 0: if (ocl.place_item %child, %item) the body of @f.block
//
// All work-items of a group run a child together. If the block has no barrier, a chunk is as many work-items of the
// child as the group has. If it has one, a chunk is a work-group of the child, whose work-items are the first ones of
// the executor's group; its barriers are ocl.partial_barrier. Groups share the chunks of one child.
//
// The operations are in dialects/library/Enqueue.clcpp: the queue, the children's NDRanges, and which children are left
// to the host. docs/device-enqueue.md says why groups never wait for one that has not started.
#include "base/abi/EnqueueAbi.h"
#include "base/abi/KernelAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/LlvmAttributes.h"
#include "dialects/ocl/ProgramOptions.h"
#include "dialects/ocl/Target.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "passes/Pass.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln {
#include "passes/MakeChildExecutor.pass.inc"
namespace {

bool isLocal(Type type) { return cast<LLVM::LLVMPointerType>(type).getAddressSpace() == ocl::Local; }

/// Returns true if the block's work-items need nothing of the launch and of each other but ids, sizes, local memory and
/// barriers.
bool canRun(func::FuncOp block) {
  // Local memory, after the captured values.
  for (BlockArgument argument : block.getArguments())
    if (argument.getArgNumber() && !isLocal(argument.getType()))
      return false;
  if (block.getNumArguments() && !block.getArgAttr(0, ocl::ArgByValueAttr))
    return false;
  return !block
              .walk([&](Operation *op) {
                bool fits = !op->hasTrait<ocl::Convergent>() && !isa<ocl::PrintfBufferOp, ocl::AsyncCopyOp>(op);
                if (auto barrier = dyn_cast<ocl::BarrierOp>(op))
                  fits = barrier.getExecution() == ocl::Scope::work_group && op->getParentOp() == block;
                else if (auto query = dyn_cast<ocl::QueryOp>(op))
                  fits = matchPattern(query.getDim(), m_Constant());
                else if (auto linear = dyn_cast<ocl::LinearQueryOp>(op))
                  fits = linear.getKind() < ocl::LinearQuery::sub_group_size;
                return fits ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// The number of arguments in local memory.
uint32_t localArguments(func::FuncOp block) { return block.getNumArguments() ? block.getNumArguments() - 1 : 0; }

int64_t indexOf(func::FuncOp block) { return block->getAttrOfType<IntegerAttr>(ocl::BlockAttr).getInt(); }

/// What the executor must have to run children of the block.
struct Needs {
  uint32_t flags = abi::BlockIsInExecutor;     // abi::BlockNeeds
  llvm::SmallPtrSet<Operation *, 4> variables; // in local memory

  explicit Needs(func::FuncOp block) {
    block.walk([&](Operation *op) {
      if (isa<ocl::BarrierOp>(op))
        flags |= abi::BlockHasBarriers | abi::BlockUsesGroups;
      else if (isa<ocl::EnqueueArenaOp>(op))
        flags |= abi::BlockEnqueues;
      else if (auto address = dyn_cast<LLVM::AddressOfOp>(op); address && isLocal(address.getType()))
        variables.insert(SymbolTable::lookupNearestSymbolFrom(address, address.getGlobalNameAttr()));
    });
    if (!variables.empty() || localArguments(block))
      flags |= abi::BlockUsesGroups;
  }
  bool has(abi::BlockNeeds need) const { return flags & need; }
};

class ExecutorBuilder {
public:
  ExecutorBuilder(ModuleOp module, ocl::TargetAttr target)
      : module_(module), target_(target), b_(module.getLoc(), module.getContext()) {
    i32_ = b_.getI32Type(), i64_ = b_.getI64Type();
    private_ = LLVM::LLVMPointerType::get(b_.getContext(), ocl::Private);
    global_ = LLVM::LLVMPointerType::get(b_.getContext(), ocl::Global);
    local_ = LLVM::LLVMPointerType::get(b_.getContext(), ocl::Local);
  }

  /// Makes the executor of these blocks out of the program's `number` ones.
  void build(ArrayRef<func::FuncOp> blocks, int64_t number) {
    b_.setInsertionPointToEnd(module_.getBody());
    function_ = func::FuncOp::create(b_, "kiln.run_children", b_.getFunctionType({}, {}));
    SymbolTable(module_).insert(function_);
    function_->setAttr(ocl::KernelAttr, b_.getStringAttr(abi::ChildExecutorName));
    function_->setAttr(ocl::BlockAttr, b_.getI64IntegerAttr(number));
    function_->setAttr(ocl::RequiredSizeAttr, b_.getDenseI64ArrayAttr({abi::ExecutorSize, 1, 1}));
    entry_ = function_.addEntryBlock();
    loop_ = newBlock();
    Block *dispatch = newBlock(), *exit = newBlock();

    b_.setInsertionPointToEnd(entry_);
    child_ = localMemory("kiln.executor_child", sizeof(abi::ExecutorChild), alignof(abi::ExecutorChild));
    item_ = LLVM::AllocaOp::create(b_, private_, LLVM::LLVMArrayType::get(b_.getI8Type(), sizeof(abi::ExecutorItem)),
                                   constant(1), alignof(abi::ExecutorItem));
    Value known = LLVM::AddressOfOp::create(b_, describe(blocks, number));
    Value launched = ocl::EnqueueArenaOp::create(b_, global_);
    own_ =
        ocl::BeginExecutorOp::create(b_, global_, launched, child_, truth(module_->hasAttr(ocl::ReadsEventTimesAttr)));
    cf::BranchOp::create(b_, loop_);

    b_.setInsertionPointToEnd(loop_);
    Value runs = ocl::NextChunkOp::create(b_, b_.getI1Type(), own_, child_, known, constant(target_.getSubGroupSize()),
                                          truth(target_.has(ocl::TargetFeature::PartialBarriers)));
    cf::CondBranchOp::create(b_, runs, dispatch, exit);

    SmallVector<int32_t> cases;
    SmallVector<Block *> targets;
    for (func::FuncOp block : blocks) {
      cases.push_back(int32_t(indexOf(block)));
      targets.push_back(run(block));
    }
    b_.setInsertionPointToEnd(dispatch);
    Value index = load(child_, offsetof(abi::ExecutorChild, block), i32_);
    cf::SwitchOp::create(b_, index, loop_, {}, cases, targets, SmallVector<ValueRange>(targets.size()));
    b_.setInsertionPointToEnd(exit);
    func::ReturnOp::create(b_);
  }

private:
  Block *newBlock() {
    function_.getBody().push_back(new Block);
    return &function_.getBody().back();
  }
  Value constant(int64_t value) { return intConstant(b_, value, 32); }
  Value truth(bool value) { return intConstant(b_, value, 1); }
  Value address(Value base, size_t bytes) {
    return LLVM::GEPOp::create(b_, base.getType(), b_.getI8Type(), base, ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }
  Value load(Value base, size_t bytes, Type type) {
    return LLVM::LoadOp::create(b_, type, address(base, bytes), type.getIntOrFloatBitWidth() / 8);
  }

  Value localMemory(StringRef name, uint64_t bytes, uint64_t alignment) {
    OpBuilder detached(b_.getContext());
    auto variable =
        LLVM::GlobalOp::create(detached, b_.getLoc(), LLVM::LLVMArrayType::get(b_.getI8Type(), bytes),
                               /*isConstant=*/false, LLVM::Linkage::Internal, name, Attribute(), alignment, ocl::Local);
    SymbolTable(module_).insert(variable);
    return LLVM::AddressOfOp::create(b_, variable);
  }

  /// The abi::ExecutorBlock of each block of the program, in constant memory.
  LLVM::GlobalOp describe(ArrayRef<func::FuncOp> blocks, int64_t number) {
    static_assert(sizeof(abi::ExecutorBlock) == 2 * sizeof(int32_t));
    SmallVector<int32_t> words(size_t(2 * number), 0);
    for (func::FuncOp block : blocks) {
      words[size_t(2 * indexOf(block))] = int32_t(Needs(block).flags);
      words[size_t(2 * indexOf(block) + 1)] = int32_t(localArguments(block));
    }
    OpBuilder detached(b_.getContext());
    auto variable = LLVM::GlobalOp::create(detached, b_.getLoc(), LLVM::LLVMArrayType::get(i32_, words.size()),
                                           /*isConstant=*/true, LLVM::Linkage::Internal, "kiln.executor_blocks",
                                           b_.getI32TensorAttr(words), alignof(abi::ExecutorBlock), ocl::Constant);
    SymbolTable(module_).insert(variable);
    return variable;
  }

  /// The code that runs one work-item of a child of this block.
  Block *run(func::FuncOp block) {
    const Needs needs(block);
    Block *place = newBlock();
    start_ = newBlock();
    b_.setInsertionPointToEnd(place);
    Value runs = ocl::PlaceItemOp::create(b_, b_.getI1Type(), child_, item_, truth(needs.has(abi::BlockUsesGroups)));
    cf::CondBranchOp::create(b_, runs, start_, loop_);

    b_.setInsertionPointToEnd(start_);
    IRMapping mapping;
    if (block.getNumArguments()) {
      mapping.map(block.getArgument(0), captured(block));
      for (BlockArgument argument : block.getArguments().drop_front())
        mapping.map(argument, localArgument(argument.getArgNumber() - 1));
    }
    block.getBody().cloneInto(&function_.getBody(), mapping);
    cf::BranchOp::create(b_, mapping.lookup(&block.getBody().front()));
    SmallVector<ocl::BarrierOp> barriers;
    for (Block &old : block.getBody())
      complete(*mapping.lookup(&old), barriers);
    for (ocl::BarrierOp barrier : barriers)
      replace(barrier);
    return place;
  }

  Value localArgument(unsigned index) {
    static_assert(abi::ExecutorLocalAlignment == abi::LocalAlignment);
    if (!arguments_) {
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(entry_);
      arguments_ = localMemory("kiln.executor_arguments", abi::ExecutorLocalBytes, abi::ExecutorLocalAlignment);
    }
    Value offset = ocl::LocalArgumentOp::create(b_, i64_, child_, constant(index));
    return LLVM::GEPOp::create(b_, local_, b_.getI8Type(), arguments_, ValueRange{offset});
  }

  /// A copy of the captured values. The type's size is that of the values rounded up to its alignment, so the copy may
  /// end after the record, but then nothing reads its end.
  Value captured(func::FuncOp block) {
    Type type = block.getArgAttrOfType<TypeAttr>(0, ocl::ArgByValueAttr).getValue();
    DataLayout layout = DataLayout::closest(block);
    const uint64_t alignment = layout.getTypeABIAlignment(type);
    Value copy;
    {
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(entry_);
      copy = LLVM::AllocaOp::create(b_, block.getArgumentTypes()[0], type, constant(1), unsigned(alignment));
    }
    Value arguments = load(child_, offsetof(abi::ExecutorChild, arguments), i64_);
    Value values = address(LLVM::IntToPtrOp::create(b_, global_, arguments), 8 * size_t(localArguments(block)));
    Value bytes = intConstant(b_, int64_t(layout.getTypeSize(type).getFixedValue()), 64);
    auto copied = LLVM::MemcpyOp::create(b_, copy, values, bytes, /*isVolatile=*/false);
    copied->setAttr(ocl::CopyAlignAttr, b_.getDenseI64ArrayAttr({int64_t(alignment), 8}));
    return copy;
  }

  /// Replaces the queries and returns of a cloned block, moves its variables out of the loop, and collects its
  /// barriers.
  void complete(Block &block, SmallVectorImpl<ocl::BarrierOp> &barriers) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto query = dyn_cast<ocl::QueryOp>(op)) {
        replace(query, valueOf(query));
      } else if (auto query = dyn_cast<ocl::LinearQueryOp>(op)) {
        replace(query, valueOf(query.getKind()));
      } else if (auto arena = dyn_cast<ocl::EnqueueArenaOp>(op)) {
        arena.replaceAllUsesWith(own_);
        arena.erase();
      } else if (auto barrier = dyn_cast<ocl::BarrierOp>(op)) {
        barriers.push_back(barrier);
      } else if (isa<func::ReturnOp>(op)) {
        b_.setInsertionPoint(&op);
        cf::BranchOp::create(b_, loop_);
        op.erase();
      } else if (auto alloca = dyn_cast<LLVM::AllocaOp>(op)) {
        IntegerAttr count;
        if (matchPattern(alloca.getArraySize(), m_Constant(&count))) {
          b_.setInsertionPointToStart(entry_);
          alloca.getArraySizeMutable().assign(arith::ConstantOp::create(b_, count).getResult());
          alloca->moveAfter(alloca.getArraySize().getDefiningOp());
        }
      }
    }
  }
  void replace(Operation *query, Value value) {
    Value result = query->getResult(0);
    if (result.getType() == i32_)
      value = arith::TruncIOp::create(b_, i32_, value);
    result.replaceAllUsesWith(value);
    query->erase();
  }

  /// Replaces a barrier of the child's work-group.
  void replace(ocl::BarrierOp barrier) {
    Value items = field(child_, offsetof(abi::ExecutorChild, groupItems), i32_);
    auto create = [&](ocl::Scope execution) {
      ocl::PartialBarrierOp::create(b_, execution, items, barrier.getFence(), barrier.getScope());
    };
    if (target_.has(ocl::TargetFeature::PartialBarriers)) {
      Value isOneSubGroup =
          arith::CmpIOp::create(b_, arith::CmpIPredicate::ule, items, constant(target_.getSubGroupSize()));
      Block *before = barrier->getBlock(), *rest = before->splitBlock(barrier), *sub = newBlock(), *whole = newBlock();
      b_.setInsertionPointToEnd(before);
      cf::CondBranchOp::create(b_, isOneSubGroup, sub, whole);
      for (auto [block, execution] :
           {std::pair(sub, ocl::Scope::sub_group), std::pair(whole, ocl::Scope::work_group)}) {
        b_.setInsertionPointToEnd(block);
        create(execution);
        cf::BranchOp::create(b_, rest);
      }
    } else {
      b_.setInsertionPoint(barrier);
      create(ocl::Scope::sub_group);
    }
    barrier.erase();
  }

  // ---- ids and sizes -----------------------------------------------------------------------------------------------
  // They are i64, and read at the start of the body: LLVM need not prove that the body leaves them as they are.

  Value field(Value base, size_t bytes, Type type) {
    b_.setInsertionPoint(start_->getTerminator());
    return load(base, bytes, type);
  }
  Value wide(Value base, size_t bytes) { return arith::ExtUIOp::create(b_, i64_, field(base, bytes, i32_)); }

  Value valueOf(ocl::Query kind, size_t d) {
    switch (kind) {
    case ocl::Query::global_id:
      return field(item_, offsetof(abi::ExecutorItem, globalId) + 8 * d, i64_);
    case ocl::Query::local_id:
      return wide(item_, offsetof(abi::ExecutorItem, localId) + 4 * d);
    case ocl::Query::group_id:
      return wide(item_, offsetof(abi::ExecutorItem, groupId) + 4 * d);
    case ocl::Query::local_size:
      return wide(item_, offsetof(abi::ExecutorItem, localSize) + 4 * d);
    case ocl::Query::global_offset:
      return field(child_, offsetof(abi::ExecutorChild, globalOffset) + 8 * d, i64_);
    case ocl::Query::global_size:
      return wide(child_, offsetof(abi::ExecutorChild, globalSize) + 4 * d);
    case ocl::Query::enqueued_local_size:
      return wide(child_, offsetof(abi::ExecutorChild, localSize) + 4 * d);
    case ocl::Query::num_groups:
      return wide(child_, offsetof(abi::ExecutorChild, groups) + 4 * d);
    }
    llvm_unreachable("all kinds are handled");
  }

  Value valueOf(ocl::QueryOp query) {
    APInt dim;
    matchPattern(query.getDim(), m_ConstantInt(&dim));
    if (dim.ult(3))
      return valueOf(query.getKind(), size_t(dim.getZExtValue()));
    b_.setInsertionPoint(query);
    return intConstant(b_, query.getKind() >= ocl::Query::global_size ? 1 : 0, 64);
  }

  Value valueOf(ocl::LinearQuery kind) {
    if (kind == ocl::LinearQuery::work_dim)
      return wide(child_, offsetof(abi::ExecutorChild, workDim));
    const bool isLocal = kind == ocl::LinearQuery::local_linear_id;
    Value linear;
    for (size_t d : {2, 1, 0}) {
      Value id = valueOf(isLocal ? ocl::Query::local_id : ocl::Query::global_id, d);
      if (!isLocal)
        id = arith::SubIOp::create(b_, id, valueOf(ocl::Query::global_offset, d));
      if (linear) {
        Value size = valueOf(isLocal ? ocl::Query::local_size : ocl::Query::global_size, d);
        id = arith::AddIOp::create(b_, arith::MulIOp::create(b_, linear, size), id);
      }
      linear = id;
    }
    return linear;
  }

  ModuleOp module_;
  const ocl::TargetAttr target_;
  ImplicitLocOpBuilder b_;
  Type i32_, i64_, private_, global_, local_;
  func::FuncOp function_;
  Block *entry_ = nullptr, *loop_ = nullptr;
  Value own_;              // the group's arena
  Value child_, item_;     // abi::ExecutorChild, abi::ExecutorItem
  Value arguments_;        // local memory
  Block *start_ = nullptr; // of the body that is being made
};

struct MakeChildExecutor : impl::MakeChildExecutorBase<MakeChildExecutor> {
  using MakeChildExecutorBase::MakeChildExecutorBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> blocks;
    llvm::SmallPtrSet<Operation *, 8> variables;
    uint64_t localBytes = 0;
    int64_t number = 0;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(ocl::BlockAttr)) {
        ++number;
        if (!canRun(function))
          continue;
        uint64_t more = 0;
        const Needs needs(function);
        for (Operation *variable : needs.variables)
          if (!variables.contains(variable))
            more += bytesOf(cast<LLVM::GlobalOp>(variable));
        if (localBytes + more > abi::ExecutorLocalBytes)
          continue;
        localBytes += more;
        variables.insert_range(needs.variables);
        blocks.push_back(function);
      }
    if (blocks.empty())
      return;
    const ocl::TargetAttr target = ocl::gpuTargetOf(getOperation(), "gpu-make-child-executor");
    if (!target)
      return signalPassFailure();
    ExecutorBuilder(getOperation(), target).build(blocks, number);
  }

  static uint64_t bytesOf(LLVM::GlobalOp variable) {
    const uint64_t bytes = DataLayout::closest(variable).getTypeSize(variable.getType()).getFixedValue();
    return llvm::alignTo(bytes, std::max<uint64_t>(16, variable.getAlignment().value_or(16)));
  }
};
} // namespace
} // namespace kiln
