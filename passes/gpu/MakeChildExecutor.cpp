// Makes the kernel that runs enqueued blocks on the device, so that their launch needs no host. The runtime launches it
// as one work-group behind each kernel that enqueues.
//
//   func.func @f.block(%c: byval) {ocl.block = 0}
//   ==>
//   the same, and func.func @kiln.run_children() {ocl.block = 1}:
//     level: barrier; end = arena.used; if there are no new records, return
//     for each new record whose turn it is in this sub-group:
//       switch record.block: case 0: for each item: the body of @f.block
//
// A level is the records that were complete at a barrier; what its children enqueue is the next level. Each child is
// run by one sub-group, whose work-items take the child's in turn. So all that the kernel requires for its progress is
// its own group, and there is no waiting between sub-groups but the barriers between levels.
//
// A record that was run gets abi::RecordHasRun. The kernel leaves all others to the host: docs/device-enqueue.md says
// which, and why.
#include "base/abi/EnqueueAbi.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/MakeChildExecutor.pass.inc"
namespace {

/// Returns true if the block's work-items need nothing of each other and of the launch but ids and sizes.
bool hasIndependentItems(func::FuncOp block) {
  for (BlockArgument argument : block.getArguments())
    if (!block.getArgAttr(argument.getArgNumber(), ocl::ArgByValueAttr))
      return false; // local memory
  if (block.getNumArguments() > 1)
    return false;
  return !block
              .walk([](Operation *op) {
                bool fits = !op->hasTrait<ocl::Convergent>() && !isa<ocl::PrintfBufferOp, ocl::AsyncCopyOp>(op);
                if (auto query = dyn_cast<ocl::QueryOp>(op))
                  fits = matchPattern(query.getDim(), m_Constant());
                else if (auto linear = dyn_cast<ocl::LinearQueryOp>(op))
                  fits = linear.getKind() < ocl::LinearQuery::sub_group_size;
                else if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
                  fits = cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace() != ocl::Local;
                return fits ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// The ids and sizes of a child's work-item, i64.
struct Item {
  std::array<Value, 3> globalId, localId, groupId, globalOffset, globalSize, localSize, enqueuedSize, groups;
  Value workDim;
};

class ExecutorBuilder {
public:
  ExecutorBuilder(ModuleOp module) : module_(module), loc_(module.getLoc()), b_(module.getContext()) {
    i32_ = b_.getI32Type(), i64_ = b_.getI64Type();
    global_ = LLVM::LLVMPointerType::get(b_.getContext(), ocl::Global);
  }

  void build(ArrayRef<func::FuncOp> blocks, int64_t number) {
    b_.setInsertionPointToEnd(module_.getBody());
    function_ = func::FuncOp::create(b_, loc_, "kiln.run_children", b_.getFunctionType({}, {}));
    SymbolTable(module_).insert(function_);
    function_->setAttr(ocl::KernelAttr, b_.getStringAttr(abi::ChildExecutorName));
    function_->setAttr(ocl::BlockAttr, b_.getI64IntegerAttr(number));
    entry_ = function_.addEntryBlock();
    // The arguments: begin or position of a record (i64), end of the level (i64), index of the record (i32).
    Block *level = newBlock({i64_}), *walk = newBlock({i64_, i64_, i32_}), *record = newBlock({}),
          *check = newBlock({}), *dispatch = newBlock({});
    next_ = newBlock({});
    Block *exit = newBlock({});

    at(entry_);
    arena_ = ocl::EnqueueArenaOp::create(b_, loc_, global_);
    Value records = pointer(load(arena_, offsetof(abi::EnqueueArena, records), i64_));
    capacity_ = load(arena_, offsetof(abi::EnqueueArena, capacity), i64_);
    Value subGroup = linear(ocl::LinearQuery::sub_group_id), subGroups = linear(ocl::LinearQuery::num_sub_groups);
    lane_ = linear(ocl::LinearQuery::sub_group_local_id), lanes_ = linear(ocl::LinearQuery::max_sub_group_size);
    defaultQueue_ = load(arena_, offsetof(abi::EnqueueArena, defaultQueue), i64_);
    defaultCounter_ = load(arena_, offsetof(abi::EnqueueArena, defaultAcquired), i64_);
    defaultLimit_ = load(arena_, offsetof(abi::EnqueueArena, defaultHalfFull), i64_);
    jump(level, {constant(i64_, 0)});

    at(level); // the second barrier: no sub-group adds records before the others have read the end
    barrier();
    Value end = load(arena_, offsetof(abi::EnqueueArena, used), i64_, /*isVolatile=*/true);
    barrier();
    branch(compare(arith::CmpIPredicate::ult, level->getArgument(0), end), walk,
           {level->getArgument(0), end, constant(i32_, 0)}, exit, {});

    at(walk);
    Value position = walk->getArgument(0), levelEnd = walk->getArgument(1), index = walk->getArgument(2);
    branch(compare(arith::CmpIPredicate::ult, position, levelEnd), record, {}, level, {levelEnd});

    at(record); // a kernel may have overwritten it; then the host reports the error
    record_ = LLVM::GEPOp::create(b_, loc_, global_, b_.getI8Type(), records, ValueRange{position});
    Value bytes = wide(field(offsetof(abi::EnqueueRecord, bytes), i32_));
    Value isValid = compare(arith::CmpIPredicate::uge, bytes, constant(i64_, sizeof(abi::EnqueueRecord)));
    branch(isValid, check, {}, exit, {});

    at(check);
    Value own = rem(index, subGroups);
    Value runs = compare(arith::CmpIPredicate::eq, own, subGroup);
    runs = both(runs, isZero(field(offsetof(abi::EnqueueRecord, waits), i32_)));
    runs = both(runs, isZero(field(offsetof(abi::EnqueueRecord, locals), i32_)));
    runs = both(runs, isZero(field(offsetof(abi::EnqueueRecord, event), i64_)));
    for (size_t d = 0; d < 3; ++d)
      runs =
          both(runs, compare(arith::CmpIPredicate::ule, field(offsetof(abi::EnqueueRecord, globalSize) + 8 * d, i64_),
                             constant(i64_, abi::MaxExecutorItems)));
    branch(runs, dispatch, {}, next_, {});

    at(dispatch);
    readRange();
    Block *numbers = newBlock({});
    branch(compare(arith::CmpIPredicate::ule, items_, constant(i32_, abi::MaxExecutorItems)), numbers, {}, next_, {});
    SmallVector<int32_t> cases;
    SmallVector<Block *> targets;
    for (func::FuncOp block : blocks) {
      cases.push_back(int32_t(block->getAttrOfType<IntegerAttr>(ocl::BlockAttr).getInt()));
      targets.push_back(run(block));
    }
    at(numbers);
    cf::SwitchOp::create(b_, loc_, field(offsetof(abi::EnqueueRecord, block), i32_), next_, ValueRange(), cases,
                         targets, SmallVector<ValueRange>(targets.size()));

    at(next_);
    jump(walk, {add(position, bytes), levelEnd, add(index, constant(i32_, 1))});
    at(exit);
    func::ReturnOp::create(b_, loc_);
  }

private:
  // ---- small helpers -----------------------------------------------------------------------------------------------

  Block *newBlock(ArrayRef<Type> types) {
    Block *block = new Block;
    function_.getBody().push_back(block);
    for (Type type : types)
      block->addArgument(type, loc_);
    return block;
  }
  void at(Block *block) { b_.setInsertionPointToEnd(block); }
  void jump(Block *to, ValueRange values) { cf::BranchOp::create(b_, loc_, to, values); }
  void branch(Value condition, Block *yes, ValueRange yesValues, Block *no, ValueRange noValues) {
    cf::CondBranchOp::create(b_, loc_, condition, yes, yesValues, no, noValues);
  }
  Value constant(Type type, uint64_t value) {
    return arith::ConstantOp::create(b_, loc_, IntegerAttr::get(type, int64_t(value)));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b_, loc_, predicate, x, y);
  }
  Value isZero(Value x) { return compare(arith::CmpIPredicate::eq, x, constant(x.getType(), 0)); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b_, loc_, x, y); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b_, loc_, condition, x, y); }
  Value wide(Value x) { return arith::ExtUIOp::create(b_, loc_, i64_, x); }
  Value narrow(Value x) { return arith::TruncIOp::create(b_, loc_, i32_, x); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b_, loc_, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b_, loc_, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b_, loc_, x, y); }
  Value div(Value x, Value y) { return arith::DivUIOp::create(b_, loc_, x, y); }
  Value rem(Value x, Value y) { return arith::RemUIOp::create(b_, loc_, x, y); }
  Value pointer(Value address) { return LLVM::IntToPtrOp::create(b_, loc_, global_, address); }
  Value address(Value base, size_t bytes) {
    return LLVM::GEPOp::create(b_, loc_, global_, b_.getI8Type(), base, ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }
  Value load(Value base, size_t bytes, Type type, bool isVolatile = false) {
    return LLVM::LoadOp::create(b_, loc_, type, address(base, bytes), type.getIntOrFloatBitWidth() / 8, isVolatile);
  }
  Value field(size_t bytes, Type type) { return load(record_, bytes, type); }
  Value linear(ocl::LinearQuery kind) { return ocl::LinearQueryOp::create(b_, loc_, i32_, kind); }
  void barrier() { ocl::BarrierOp::create(b_, loc_, ocl::Scope::work_group, ocl::Fence::global, ocl::Scope::device); }

  // ---- a child -----------------------------------------------------------------------------------------------------

  /// Reads the record's NDRange. A child has at most MaxExecutorItems, so 32 bits are enough.
  void readRange() {
    Value workDim = field(offsetof(abi::EnqueueRecord, workDim), i32_);
    range_.workDim = wide(workDim);
    // The host would choose the local size if it is 0; any is legal that divides the global size.
    Value isChosen = isZero(field(offsetof(abi::EnqueueRecord, localSize), i64_));
    items_ = {};
    for (size_t d = 0; d < 3; ++d) {
      Value isUsed = compare(arith::CmpIPredicate::ugt, workDim, constant(i32_, d)), one = constant(i32_, 1);
      Value size = narrow(field(offsetof(abi::EnqueueRecord, globalSize) + 8 * d, i64_));
      size_[d] = select(isUsed, size, one);
      Value local = narrow(field(offsetof(abi::EnqueueRecord, localSize) + 8 * d, i64_));
      if (d == 0)
        local = select(
            isChosen,
            select(compare(arith::CmpIPredicate::ule, size, constant(i32_, abi::MaxExecutorLocalSize)), size, one),
            local);
      local_[d] = arith::MaxUIOp::create(b_, loc_, local, one);
      Value groups = div(sub(add(size_[d], local_[d]), one), local_[d]);
      range_.globalOffset[d] = field(offsetof(abi::EnqueueRecord, globalOffset) + 8 * d, i64_);
      range_.globalSize[d] = wide(size_[d]);
      range_.enqueuedSize[d] = wide(local_[d]);
      range_.groups[d] = wide(groups);
      items_ = items_ ? saturatingProduct(items_, size_[d]) : size_[d];
    }
  }

  /// Each factor is at most MaxExecutorItems; so is the result, or it is larger by one.
  Value saturatingProduct(Value x, Value y) {
    return arith::MinUIOp::create(b_, loc_, mul(x, y), constant(i32_, abi::MaxExecutorItems + 1));
  }

  /// The code that runs a child of this block; goes on at next_.
  Block *run(func::FuncOp block) {
    Block *start = newBlock({}), *loop = newBlock({i32_}), *prepare = newBlock({}), *latch = newBlock({}),
          *done = newBlock({});
    at(start);
    if (block.walk([](ocl::EnqueueArenaOp) { return WalkResult::interrupt(); }).wasInterrupted()) {
      Block *room = newBlock({});
      continueIfRoom(room);
      at(room);
    }
    if (block.getNumArguments()) {
      Block *whole = newBlock({});
      Value captured = field(offsetof(abi::EnqueueRecord, captured), i64_);
      branch(compare(arith::CmpIPredicate::uge, captured, constant(i64_, capturedBytes(block))), whole, {}, next_, {});
      at(whole);
    }
    jump(loop, {lane_});
    at(loop);
    Value index = loop->getArgument(0);
    branch(compare(arith::CmpIPredicate::ult, index, items_), prepare, {}, done, {});
    at(prepare);
    Item item = itemAt(index);
    IRMapping mapping;
    if (block.getNumArguments())
      mapping.map(block.getArgument(0), captured(block));
    Region &body = function_.getBody();
    block.getBody().cloneInto(&body, Region::iterator(latch), mapping);
    jump(mapping.lookup(&block.getBody().front()), {});
    for (Block &old : block.getBody())
      finish(*mapping.lookup(&old), item, latch);
    at(latch);
    jump(loop, {add(index, lanes_)});
    at(done);
    Value flags = field(offsetof(abi::EnqueueRecord, flags), i32_);
    flags = arith::OrIOp::create(b_, loc_, flags, constant(i32_, int32_t(abi::RecordHasRun)));
    LLVM::StoreOp::create(b_, loc_, flags, address(record_, offsetof(abi::EnqueueRecord, flags)), 4);
    jump(next_, {});
    return start;
  }

  /// Space is only reclaimed by the host. So a child that enqueues is left to it if half of the space is in use: a
  /// chain of any length can go on.
  void continueIfRoom(Block *room) {
    Block *other = newBlock({}), *decide = newBlock({i64_, i64_});
    Value queue = field(offsetof(abi::EnqueueRecord, queue), i64_);
    branch(compare(arith::CmpIPredicate::eq, queue, defaultQueue_), decide, {defaultCounter_, defaultLimit_}, other,
           {});
    at(other);
    auto [counter, limit] = readQueue(queue);
    jump(decide, {counter, limit});
    at(decide);
    Value acquired = load(pointer(decide->getArgument(0)), 0, i64_, /*isVolatile=*/true);
    Value used = load(arena_, offsetof(abi::EnqueueArena, used), i64_, /*isVolatile=*/true);
    Value fits = both(compare(arith::CmpIPredicate::ule, acquired, decide->getArgument(1)),
                      compare(arith::CmpIPredicate::ule, used, half(capacity_)));
    branch(fits, room, {}, next_, {});
  }
  Value half(Value x) { return arith::ShRUIOp::create(b_, loc_, x, constant(i64_, 1)); }

  /// Returns the address of the queue's counter of acquired bytes, and the value at which it is half full. Both are in
  /// the host's memory.
  std::pair<Value, Value> readQueue(Value queue) {
    Value table = pointer(queue);
    Value released = load(table, offsetof(abi::DeviceQueue, released), i64_, /*isVolatile=*/true);
    Value limit = add(released, half(load(table, offsetof(abi::DeviceQueue, capacity), i64_)));
    return {load(table, offsetof(abi::DeviceQueue, acquired), i64_), limit};
  }

  static Type capturedType(func::FuncOp block) {
    return block.getArgAttrOfType<TypeAttr>(0, ocl::ArgByValueAttr).getValue();
  }
  static uint64_t capturedBytes(func::FuncOp block) {
    return DataLayout::closest(block).getTypeSize(capturedType(block)).getFixedValue();
  }
  Value captured(func::FuncOp block) {
    Type type = capturedType(block);
    DataLayout layout = DataLayout::closest(block);
    Value copy;
    {
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(entry_);
      copy = LLVM::AllocaOp::create(b_, loc_, block.getArgumentTypes()[0], type, constant(i32_, 1),
                                    layout.getTypeABIAlignment(type));
    }
    LLVM::MemcpyOp::create(b_, loc_, copy, address(record_, sizeof(abi::EnqueueRecord)),
                           constant(i64_, capturedBytes(block)),
                           /*isVolatile=*/false);
    return copy;
  }

  Item itemAt(Value index) {
    Item item = range_;
    Value rest = index;
    for (unsigned d = 0; d < 3; ++d) {
      Value id = d == 2 ? rest : rem(rest, size_[d]);
      if (d != 2)
        rest = div(rest, size_[d]);
      Value group = div(id, local_[d]), first = mul(group, local_[d]);
      item.globalId[d] = add(wide(id), range_.globalOffset[d]);
      item.groupId[d] = wide(group);
      item.localId[d] = wide(sub(id, first));
      item.localSize[d] =
          wide(arith::MinUIOp::create(b_, loc_, sub(size_[d], first), local_[d])); // the last may be smaller
    }
    return item;
  }

  /// Replaces the queries and returns of a cloned block, and moves its variables out of the loop.
  void finish(Block &block, const Item &item, Block *latch) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      b_.setInsertionPoint(&op);
      if (auto query = dyn_cast<ocl::QueryOp>(op))
        replace(query, valueOf(query, item));
      else if (auto query = dyn_cast<ocl::LinearQueryOp>(op))
        replace(query, valueOf(query.getKind(), item));
      else if (isa<func::ReturnOp>(op)) {
        jump(latch, {});
        op.erase();
      } else if (auto alloca = dyn_cast<LLVM::AllocaOp>(op)) {
        IntegerAttr count;
        if (matchPattern(alloca.getArraySize(), m_Constant(&count))) {
          b_.setInsertionPointToStart(entry_);
          alloca.getArraySizeMutable().assign(arith::ConstantOp::create(b_, loc_, count).getResult());
          alloca->moveAfter(alloca.getArraySize().getDefiningOp());
        }
      }
    }
  }
  void replace(Operation *query, Value value) {
    Value result = query->getResult(0);
    result.replaceAllUsesWith(result.getType() == i32_ ? narrow(value) : value);
    query->erase();
  }

  Value valueOf(ocl::QueryOp query, const Item &item) {
    APInt dim;
    matchPattern(query.getDim(), m_ConstantInt(&dim));
    if (dim.uge(3))
      return constant(i64_, query.getKind() >= ocl::Query::global_size ? 1 : 0);
    const uint64_t d = dim.getZExtValue();
    switch (query.getKind()) {
    case ocl::Query::global_id:
      return item.globalId[d];
    case ocl::Query::local_id:
      return item.localId[d];
    case ocl::Query::group_id:
      return item.groupId[d];
    case ocl::Query::global_offset:
      return item.globalOffset[d];
    case ocl::Query::global_size:
      return item.globalSize[d];
    case ocl::Query::local_size:
      return item.localSize[d];
    case ocl::Query::enqueued_local_size:
      return item.enqueuedSize[d];
    case ocl::Query::num_groups:
      return item.groups[d];
    }
    llvm_unreachable("all kinds are handled");
  }

  Value valueOf(ocl::LinearQuery kind, const Item &item) {
    if (kind == ocl::LinearQuery::work_dim)
      return item.workDim;
    bool isLocal = kind == ocl::LinearQuery::local_linear_id;
    Value linear;
    for (unsigned d : {2, 1, 0}) {
      Value id = isLocal ? item.localId[d] : sub(item.globalId[d], item.globalOffset[d]);
      linear = linear ? add(mul(linear, isLocal ? item.localSize[d] : item.globalSize[d]), id) : id;
    }
    return linear;
  }

  ModuleOp module_;
  Location loc_;
  OpBuilder b_;
  Type i32_, i64_, global_;
  func::FuncOp function_;
  Block *entry_ = nullptr, *next_ = nullptr; // next_: goes on with the next record
  Value arena_, capacity_, lane_, lanes_;
  Value defaultQueue_, defaultCounter_, defaultLimit_; // as readQueue
  Value record_, items_;                               // the record and its number of work-items
  std::array<Value, 3> size_, local_;                  // of the record's NDRange, i32
  Item range_;                                         // what all its work-items have in common
};

struct MakeChildExecutor : impl::MakeChildExecutorBase<MakeChildExecutor> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> blocks;
    int64_t number = 0;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(ocl::BlockAttr)) {
        ++number;
        if (hasIndependentItems(function))
          blocks.push_back(function);
      }
    if (!blocks.empty())
      ExecutorBuilder(getOperation()).build(blocks, number);
  }
};
} // namespace
} // namespace kiln
