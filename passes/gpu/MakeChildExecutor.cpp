// Makes the kernel that runs enqueued blocks on the device, so that their launch needs no host. The runtime launches it
// after each kernel that enqueues.
//
//   func.func @f.block(%c: byval) {ocl.block = 0}
//   ==>
//   the same, and func.func @kiln.run_children() {ocl.block = 1}:
//     take:  the first work-item takes an entry; barrier; if there are no more, return
//     if the executor cannot run the child: leave it to the host
//     switch record.block: case 0: for each chunk: the body of @f.block
//     finish: barrier; the first work-item marks the child as ended; take the next one
//
// All work-items of a group run a child together. If the block has no barrier, a chunk is as many work-items of the
// child as the group has. If it has one, a chunk is a work-group of the child, whose work-items are the first ones of
// the executor's group; its barriers are ocl.partial_barrier. Groups share the chunks of one child.
//
// The queue is in dialects/library/Enqueue.clcpp; docs/device-enqueue.md says why groups never wait for one that has
// not started, and which children are left to the host.
#include "base/abi/EnqueueAbi.h"
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

/// What the block needs.
struct BlockNeeds {
  bool group = false; // a barrier or local memory: a work-group of the child must be one of the executor
  bool barriers = false;
  bool enqueues = false;
  llvm::SmallPtrSet<Operation *, 4> variables; // in local memory

  explicit BlockNeeds(func::FuncOp block) {
    barriers = block.walk([](ocl::BarrierOp) { return WalkResult::interrupt(); }).wasInterrupted();
    enqueues = block.walk([](ocl::EnqueueArenaOp) { return WalkResult::interrupt(); }).wasInterrupted();
    block.walk([&](LLVM::AddressOfOp address) {
      if (isLocal(address.getType()))
        variables.insert(SymbolTable::lookupNearestSymbolFrom(address, address.getGlobalNameAttr()));
    });
    group = barriers || !variables.empty() || block.getNumArguments() > 1;
  }
};

/// The ids and sizes of a child's work-item, i64.
struct Item {
  std::array<Value, 3> globalId, localId, groupId, globalOffset, globalSize, localSize, enqueuedSize, groups;
  Value workDim;
};

class ExecutorBuilder {
public:
  ExecutorBuilder(ModuleOp module, ocl::TargetAttr target)
      : module_(module), loc_(module.getLoc()), b_(module.getContext()), subGroupSize_(target.getSubGroupSize()),
        partialBarriers_(target.has(ocl::TargetFeature::PartialBarriers)) {
    i32_ = b_.getI32Type(), i64_ = b_.getI64Type();
    global_ = LLVM::LLVMPointerType::get(b_.getContext(), ocl::Global);
    local_ = LLVM::LLVMPointerType::get(b_.getContext(), ocl::Local);
  }

  void build(ArrayRef<func::FuncOp> blocks, int64_t number) {
    b_.setInsertionPointToEnd(module_.getBody());
    function_ = func::FuncOp::create(b_, loc_, "kiln.run_children", b_.getFunctionType({}, {}));
    SymbolTable(module_).insert(function_);
    function_->setAttr(ocl::KernelAttr, b_.getStringAttr(abi::ChildExecutorName));
    function_->setAttr(ocl::BlockAttr, b_.getI64IntegerAttr(number));
    function_->setAttr(ocl::RequiredSizeAttr, b_.getDenseI64ArrayAttr({abi::ExecutorSize, 1, 1}));
    entry_ = function_.addEntryBlock();
    Block *copy = newBlock({}), *start = newBlock({}), *claim = newBlock({}), *taken = newBlock({}),
          *decode = newBlock({}), *exit = newBlock({});
    take_ = newBlock({});
    leave_ = newBlock({i32_});        // the reason
    finish_ = newBlock({i32_, i32_}); // chunks that the group has run, and all of the child

    at(entry_);
    Value launched = ocl::EnqueueArenaOp::create(b_, loc_, global_);
    item_ = linear(ocl::LinearQuery::local_linear_id);
    isFirst_ = isZero(item_);
    Value group = ocl::QueryOp::create(b_, loc_, i64_, ocl::Query::group_id, constant(i32_, 0));
    Value copies = pointer(load(launched, offsetof(abi::EnqueueArena, copies), i64_));
    arena_ = LLVM::GEPOp::create(b_, loc_, global_, b_.getI8Type(), copies,
                                 ValueRange{mul(group, constant(i64_, sizeof(abi::EnqueueArena)))});
    Value records = pointer(load(launched, offsetof(abi::EnqueueArena, records), i64_));
    counters_ = pointer(load(launched, offsetof(abi::EnqueueArena, counters), i64_));
    capacity_ = load(launched, offsetof(abi::EnqueueArena, capacity), i64_);
    defaultQueue_ = load(launched, offsetof(abi::EnqueueArena, defaultQueue), i64_);
    defaultCounter_ = load(launched, offsetof(abi::EnqueueArena, defaultAcquired), i64_);
    defaultLimit_ = load(launched, offsetof(abi::EnqueueArena, defaultHalfFull), i64_);
    eventCounter_ = pointer(load(launched, offsetof(abi::EnqueueArena, eventsAcquired), i64_));
    eventLimit_ = sub(load(launched, offsetof(abi::EnqueueArena, eventsReleased), i64_),
                      half(load(launched, offsetof(abi::EnqueueArena, eventCount), i64_)));
    shared_ = localMemory("kiln.executor_shared", 24, 8);
    static_assert(sizeof(abi::EnqueueArena) / 8 <= abi::ExecutorSize);
    branch(compare(arith::CmpIPredicate::ult, item_, constant(i32_, sizeof(abi::EnqueueArena) / 8)), copy, {}, start,
           {});
    at(copy);
    copyWord(launched, wide(item_));
    jump(start, {});
    at(start);
    barrier();
    jump(take_, {});

    at(take_);
    branch(isFirst_, claim, {}, taken, {});
    at(claim);
    if (module_->hasAttr(ocl::ReadsEventTimesAttr))
      LLVM::StoreOp::create(b_, loc_, constant(i32_, 1), address(arena_, offsetof(abi::EnqueueArena, leavesEvents)), 4);
    share(SharedEntry, ocl::TakeChildOp::create(b_, loc_, i64_, arena_));
    jump(taken, {});
    at(taken);
    barrier();
    taken_ = shared(SharedEntry);
    branch(isZero(taken_), exit, {}, decode, {});

    at(decode);
    Value position = both(taken_, constant(i64_, abi::EntryPosition));
    record_ = LLVM::GEPOp::create(b_, loc_, global_, b_.getI8Type(), records,
                                  ValueRange{mul(sub(position, constant(i64_, 1)), constant(i64_, 8))});
    isHelp_ = isNot(isZero(both(taken_, constant(i64_, abi::EntryHelps))));
    Value waits = wide(field(offsetof(abi::EnqueueRecord, waits), i32_)); // each has an event and a link
    operands_ = LLVM::GEPOp::create(b_, loc_, global_, b_.getI8Type(), address(record_, sizeof(abi::EnqueueRecord)),
                                    ValueRange{mul(waits, constant(i64_, 16))});
    readRange();
    continueUnless(compare(arith::CmpIPredicate::ugt, items_, constant(i64_, abi::MaxExecutorItems)), abi::TooLarge);
    Block *dispatch = b_.getInsertionBlock();
    SmallVector<int32_t> cases;
    SmallVector<Block *> targets;
    for (func::FuncOp block : blocks) {
      cases.push_back(int32_t(block->getAttrOfType<IntegerAttr>(ocl::BlockAttr).getInt()));
      targets.push_back(run(block));
    }
    at(dispatch);
    cf::SwitchOp::create(b_, loc_, field(offsetof(abi::EnqueueRecord, block), i32_), leave_,
                         ValueRange{constant(i32_, abi::BlockNeedsHost)}, cases, targets,
                         SmallVector<ValueRange>(targets.size()));

    // The barriers: all work-items have read what the first one shares, and their accesses are complete.
    // A barrier before the next child: without it, LLVM may let some work-items repeat the loop while others have not
    // finished the child.
    Block *leaves = newBlock({}), *finishes = newBlock({}), *meet = newBlock({});
    at(meet);
    subGroupBarrier();
    jump(take_, {});
    at(leave_);
    barrier();
    branch(isFirst_, leaves, {}, meet, {});
    at(leaves);
    ocl::LeaveChildOp::create(b_, loc_, arena_, taken_, leave_->getArgument(0));
    jump(meet, {});
    at(finish_);
    barrier();
    branch(isFirst_, finishes, {}, meet, {});
    at(finishes);
    ocl::FinishChildOp::create(b_, loc_, arena_, taken_, finish_->getArgument(0), finish_->getArgument(1));
    jump(meet, {});
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
  /// Leaves the child to the host if the condition is true; else goes on in a new block.
  void continueUnless(Value condition, abi::LeftReason reason) {
    Block *next = newBlock({});
    branch(condition, leave_, constant(i32_, reason), next, {});
    at(next);
  }
  Value constant(Type type, uint64_t value) {
    return arith::ConstantOp::create(b_, loc_, IntegerAttr::get(type, int64_t(value)));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b_, loc_, predicate, x, y);
  }
  Value isZero(Value x) { return compare(arith::CmpIPredicate::eq, x, constant(x.getType(), 0)); }
  Value isNot(Value x) { return arith::XOrIOp::create(b_, loc_, x, intConstant(b_, loc_, 1, 1)); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b_, loc_, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b_, loc_, x, y); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b_, loc_, condition, x, y); }
  Value wide(Value x) { return arith::ExtUIOp::create(b_, loc_, i64_, x); }
  Value narrow(Value x) { return arith::TruncIOp::create(b_, loc_, i32_, x); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b_, loc_, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b_, loc_, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b_, loc_, x, y); }
  Value div(Value x, Value y) { return arith::DivUIOp::create(b_, loc_, x, y); }
  Value rem(Value x, Value y) { return arith::RemUIOp::create(b_, loc_, x, y); }
  Value smaller(Value x, Value y) { return arith::MinUIOp::create(b_, loc_, x, y); }
  Value pointer(Value address) { return LLVM::IntToPtrOp::create(b_, loc_, global_, address); }
  Value address(Value base, size_t bytes) {
    return LLVM::GEPOp::create(b_, loc_, base.getType(), b_.getI8Type(), base, ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }
  Value load(Value base, size_t bytes, Type type, bool isVolatile = false) {
    return LLVM::LoadOp::create(b_, loc_, type, address(base, bytes), type.getIntOrFloatBitWidth() / 8, isVolatile);
  }
  Value field(size_t bytes, Type type) { return load(record_, bytes, type); }
  Value linear(ocl::LinearQuery kind) { return ocl::LinearQueryOp::create(b_, loc_, i32_, kind); }
  void subGroupBarrier() {
    ocl::BarrierOp::create(b_, loc_, ocl::Scope::sub_group, ocl::Fence::none, ocl::Scope::sub_group);
  }
  /// The work-items of a sub-group may come from different branches.
  void barrier() {
    subGroupBarrier();
    ocl::BarrierOp::create(b_, loc_, ocl::Scope::work_group, ocl::Fence::local | ocl::Fence::global,
                           ocl::Scope::work_group);
  }

  // ---- what the group's work-items share ---------------------------------------------------------------------------

  Value localMemory(StringRef name, uint64_t bytes, uint64_t alignment) {
    OpBuilder detached(b_.getContext());
    auto variable =
        LLVM::GlobalOp::create(detached, loc_, LLVM::LLVMArrayType::get(b_.getI8Type(), bytes),
                               /*isConstant=*/false, LLVM::Linkage::Internal, name, Attribute(), alignment, ocl::Local);
    SymbolTable(module_).insert(variable);
    return LLVM::AddressOfOp::create(b_, loc_, variable);
  }
  enum Shared : unsigned { SharedEntry, SharedChunk, SharedRoom };
  void copyWord(Value from, Value index) {
    auto at = [&](Value base) { return LLVM::GEPOp::create(b_, loc_, global_, i64_, base, ValueRange{index}); };
    LLVM::StoreOp::create(b_, loc_, LLVM::LoadOp::create(b_, loc_, i64_, at(from), 8), at(arena_), 8);
  }
  void share(Shared which, Value value) {
    LLVM::StoreOp::create(b_, loc_, value, address(shared_, sizeof(uint64_t) * which), 8);
  }
  Value shared(Shared which) { return load(shared_, sizeof(uint64_t) * which, i64_); }

  /// What `make` returns to the first work-item, i32. Goes on in a new block. Between two calls for the same value the
  /// group must have a barrier.
  template <typename Make> Value fromFirst(Shared which, Make make) {
    Block *first = newBlock({}), *all = newBlock({});
    branch(isFirst_, first, {}, all, {});
    at(first);
    share(which, wide(make()));
    jump(all, {});
    at(all);
    barrier();
    return narrow(shared(which));
  }

  // ---- a child -----------------------------------------------------------------------------------------------------

  /// Reads the record's NDRange. Sizes above MaxExecutorItems make `items_` larger than that; then the child is left.
  void readRange() {
    Value workDim = field(offsetof(abi::EnqueueRecord, workDim), i32_);
    range_.workDim = wide(workDim);
    Value isChosen = isZero(field(offsetof(abi::EnqueueRecord, localSize), i64_));
    items_ = {};
    groupItems_ = constant(i32_, 1), groups_ = constant(i32_, 1), isWhole_ = intConstant(b_, loc_, 1, 1);
    Value isSmallGroup = isWhole_;
    for (size_t d = 0; d < 3; ++d) {
      Value isUsed = compare(arith::CmpIPredicate::ugt, workDim, constant(i32_, d)), one = constant(i32_, 1);
      Value size = smaller(field(offsetof(abi::EnqueueRecord, globalSize) + 8 * d, i64_),
                           constant(i64_, abi::MaxExecutorItems + 1));
      size = select(isUsed, size, constant(i64_, 1));
      size_[d] = narrow(size);
      Value local = field(offsetof(abi::EnqueueRecord, localSize) + 8 * d, i64_);
      local = narrow(smaller(local, constant(i64_, abi::MaxExecutorItems + 1)));
      if (d == 0)
        local = select(isChosen, chosenSize(size_[0]), local);
      group_[d] = arith::MaxUIOp::create(b_, loc_, select(isUsed, local, one), one);
      Value groups = div(sub(add(size_[d], group_[d]), one), group_[d]);
      range_.globalOffset[d] = field(offsetof(abi::EnqueueRecord, globalOffset) + 8 * d, i64_);
      range_.globalSize[d] = size;
      range_.enqueuedSize[d] = wide(group_[d]);
      range_.groups[d] = wide(groups);
      groupCount_[d] = groups;
      items_ = items_ ? smaller(mul(items_, size), constant(i64_, abi::MaxExecutorItems + 1)) : size;
      // Products of sizes up to ExecutorSize do not overflow.
      isSmallGroup =
          both(isSmallGroup, compare(arith::CmpIPredicate::ule, group_[d], constant(i32_, abi::ExecutorSize)));
      groupItems_ = mul(groupItems_, group_[d]);
      groups_ = mul(groups_, groups);
      isWhole_ = both(isWhole_, isZero(rem(size_[d], group_[d])));
    }
    groupItems_ = select(isSmallGroup, groupItems_, constant(i32_, abi::ExecutorSize + 1));
  }

  /// A local size of 0 is chosen: any is legal that divides the global size. All of the child if it fits a group, else
  /// the largest power of two, so that the groups consist of whole sub-groups if possible.
  Value chosenSize(Value size) {
    Value power = both(size, sub(constant(i32_, 0), size));
    power = smaller(power, constant(i32_, abi::ExecutorSize));
    return select(compare(arith::CmpIPredicate::ule, size, constant(i32_, subGroupSize_)), size, power);
  }

  /// The code that runs a child of this block.
  Block *run(func::FuncOp block) {
    const BlockNeeds needs(block);
    Block *start = newBlock({}), *loop = newBlock({i32_, i32_}), *prepare = newBlock({}), *body = newBlock({}),
          *latch = newBlock({}), *again = newBlock({});
    at(start);
    if (needs.group)
      continueUnless(isNot(fitsGroup(needs)), abi::GroupShape);
    SmallVector<Value> arguments = localArguments(block);
    if (needs.enqueues)
      continueIfRoom();
    Value chunks = needs.group ? groups_
                               : div(add(narrow(items_), constant(i32_, abi::ExecutorSize - 1)),
                                     constant(i32_, abi::ExecutorSize));
    chunks = arith::MaxUIOp::create(b_, loc_, chunks, constant(i32_, 1)); // a child without work-items
    Value isSingle = compare(arith::CmpIPredicate::eq, chunks, constant(i32_, 1));
    Block *several = newBlock({});
    branch(isSingle, loop, {constant(i32_, 0), constant(i32_, 0)}, several, {});
    at(several);
    Value first = fromFirst(
        SharedChunk, [&]() -> Value { return ocl::FirstChunkOp::create(b_, loc_, i32_, arena_, taken_, chunks); });
    jump(loop, {first, constant(i32_, 0)});

    at(loop);
    Value chunk = loop->getArgument(0), ran = loop->getArgument(1);
    branch(compare(arith::CmpIPredicate::ult, chunk, chunks), prepare, {}, finish_, {ran, chunks});
    at(prepare);
    Value index = needs.group ? item_ : add(mul(chunk, constant(i32_, abi::ExecutorSize)), item_);
    Value runs = compare(arith::CmpIPredicate::ult, index, needs.group ? groupItems_ : narrow(items_));
    if (needs.group)
      runs = both(runs, isNot(isZero(items_)));
    branch(runs, body, {}, latch, {});
    at(body);
    Item item = needs.group ? itemOfGroup(chunk) : itemAt(index);
    Value isOneSubGroup = compare(arith::CmpIPredicate::ule, groupItems_, constant(i32_, subGroupSize_));
    IRMapping mapping;
    if (block.getNumArguments()) {
      mapping.map(block.getArgument(0), captured(block));
      for (auto [argument, value] : llvm::zip(block.getArguments().drop_front(), arguments))
        mapping.map(argument, value);
    }
    Region &region = function_.getBody();
    block.getBody().cloneInto(&region, Region::iterator(latch), mapping);
    jump(mapping.lookup(&block.getBody().front()), {});
    SmallVector<ocl::BarrierOp> barriers;
    for (Block &old : block.getBody())
      complete(*mapping.lookup(&old), item, latch, barriers);
    for (ocl::BarrierOp each : barriers)
      replace(each, isOneSubGroup);

    at(latch);
    branch(isSingle, finish_, {chunks, chunks}, again, {});
    at(again);
    barrier(); // the chunk has ended: its local memory is free, and all have read its number
    Value next =
        fromFirst(SharedChunk, [&]() -> Value { return ocl::NextChunkOp::create(b_, loc_, i32_, arena_, taken_); });
    jump(loop, {next, add(ran, constant(i32_, 1))});
    return start;
  }

  /// Returns true if each work-group of the child fits one of the executor, whose hardware has barriers for it.
  Value fitsGroup(const BlockNeeds &needs) {
    Value fits = compare(arith::CmpIPredicate::ule, groupItems_, constant(i32_, abi::ExecutorSize));
    if (!needs.barriers)
      return both(fits, isWhole_);
    Value isOneSubGroup = compare(arith::CmpIPredicate::ule, groupItems_, constant(i32_, subGroupSize_));
    Value isPossible = isOneSubGroup;
    if (partialBarriers_)
      isPossible = either(isPossible, isZero(rem(groupItems_, constant(i32_, subGroupSize_))));
    return both(both(fits, isWhole_), isPossible);
  }

  /// The addresses of the block's arguments in local memory. A child that needs more than there is is left.
  SmallVector<Value> localArguments(func::FuncOp block) {
    const size_t count = block.getNumArguments() ? block.getNumArguments() - 1 : 0;
    continueUnless(
        compare(arith::CmpIPredicate::ne, field(offsetof(abi::EnqueueRecord, locals), i32_), constant(i32_, count)),
        abi::BlockNeedsHost);
    SmallVector<Value> addresses;
    if (!count)
      return addresses;
    Value memory;
    {
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(entry_);
      if (!arguments_)
        arguments_ = localMemory("kiln.executor_arguments", abi::ExecutorLocalBytes, ArgumentAlignment);
      memory = arguments_;
    }
    Value offset = constant(i64_, 0);
    for (size_t i = 0; i < count; ++i) {
      addresses.push_back(LLVM::GEPOp::create(b_, loc_, local_, b_.getI8Type(), memory, ValueRange{offset}));
      offset = add(offset, load(operands_, 8 * i, i64_));
      offset = both(add(offset, constant(i64_, ArgumentAlignment - 1)), constant(i64_, -ArgumentAlignment));
    }
    continueUnless(compare(arith::CmpIPredicate::ugt, offset, constant(i64_, abi::ExecutorLocalBytes)),
                   abi::LocalMemory);
    return addresses;
  }

  /// Space is only reclaimed by the host. So a child that enqueues is left to it if half of the space is in use: a
  /// chain of any length can go on. A group that helps runs a child that another one has begun.
  void continueIfRoom() {
    Block *room = newBlock({}), *other = newBlock({}), *decide = newBlock({i64_, i64_}), *check = newBlock({});
    branch(isHelp_, room, {}, check, {});
    at(check);
    Value queue = field(offsetof(abi::EnqueueRecord, queue), i64_);
    branch(compare(arith::CmpIPredicate::eq, queue, defaultQueue_), decide, {defaultCounter_, defaultLimit_}, other,
           {});
    at(other);
    auto [counter, limit] = readQueue(queue);
    jump(decide, {counter, limit});
    at(decide);
    Value acquired = load(pointer(decide->getArgument(0)), 0, i64_, /*isVolatile=*/true);
    Value used = load(counters_, offsetof(abi::ArenaCounters, used), i64_, /*isVolatile=*/true);
    // The work-items of a group must decide alike, so the first one does.
    Value fits = both(compare(arith::CmpIPredicate::ule, acquired, decide->getArgument(1)),
                      compare(arith::CmpIPredicate::ule, used, half(capacity_)));
    Value events = load(eventCounter_, 0, i64_, /*isVolatile=*/true);
    fits = both(fits, compare(arith::CmpIPredicate::ule, events, eventLimit_));
    Value isLeft =
        isZero(fromFirst(SharedRoom, [&]() -> Value { return arith::ExtUIOp::create(b_, loc_, i32_, fits); }));
    branch(isLeft, leave_, constant(i32_, abi::NoRoom), room, {});
    at(room);
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
  /// A copy of the captured values. The type's size is that of the values rounded up to its alignment, so the copy may
  /// end after the record, but then nothing reads its end.
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
    const size_t locals = block.getNumArguments() - 1;
    auto copied =
        LLVM::MemcpyOp::create(b_, loc_, copy, address(operands_, 8 * locals),
                               constant(i64_, layout.getTypeSize(type).getFixedValue()), /*isVolatile=*/false);
    copied->setAttr(ocl::CopyAlignAttr, b_.getDenseI64ArrayAttr({int64_t(layout.getTypeABIAlignment(type)), 8}));
    return copy;
  }

  Item itemAt(Value index) {
    Item item = range_;
    Value rest = index;
    for (unsigned d = 0; d < 3; ++d) {
      Value id = d == 2 ? rest : rem(rest, size_[d]);
      if (d != 2)
        rest = div(rest, size_[d]);
      Value group = div(id, group_[d]), first = mul(group, group_[d]);
      item.globalId[d] = add(wide(id), range_.globalOffset[d]);
      item.groupId[d] = wide(group);
      item.localId[d] = wide(sub(id, first));
      item.localSize[d] = wide(smaller(sub(size_[d], first), group_[d])); // the last may be smaller
    }
    return item;
  }

  /// The work-item of a work-group of the child; all of them have the enqueued size.
  Item itemOfGroup(Value number) {
    Item item = range_;
    Value group = number, local = item_;
    for (unsigned d = 0; d < 3; ++d) {
      Value groupId = d == 2 ? group : rem(group, groupCount_[d]), id = d == 2 ? local : rem(local, group_[d]);
      if (d != 2) {
        group = div(group, groupCount_[d]);
        local = div(local, group_[d]);
      }
      item.groupId[d] = wide(groupId);
      item.localId[d] = wide(id);
      item.globalId[d] = add(wide(add(mul(groupId, group_[d]), id)), range_.globalOffset[d]);
      item.localSize[d] = range_.enqueuedSize[d];
    }
    return item;
  }

  /// Replaces the queries and returns of a cloned block, moves its variables out of the loop, and collects its
  /// barriers.
  void complete(Block &block, const Item &item, Block *latch, SmallVectorImpl<ocl::BarrierOp> &barriers) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      b_.setInsertionPoint(&op);
      if (auto query = dyn_cast<ocl::QueryOp>(op)) {
        replace(query, valueOf(query, item));
      } else if (auto query = dyn_cast<ocl::LinearQueryOp>(op)) {
        replace(query, valueOf(query.getKind(), item));
      } else if (auto arena = dyn_cast<ocl::EnqueueArenaOp>(op)) {
        arena.replaceAllUsesWith(arena_);
        arena.erase();
      } else if (auto barrier = dyn_cast<ocl::BarrierOp>(op)) {
        barriers.push_back(barrier);
      } else if (isa<func::ReturnOp>(op)) {
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

  /// Replaces a barrier of the child's work-group.
  void replace(ocl::BarrierOp barrier, Value isOneSubGroup) {
    auto create = [&](ocl::Scope execution) {
      ocl::PartialBarrierOp::create(b_, loc_, execution, groupItems_, barrier.getFence(), barrier.getScope());
    };
    if (partialBarriers_) {
      Block *before = barrier->getBlock(), *rest = before->splitBlock(barrier), *sub = newBlock({}),
            *whole = newBlock({});
      at(before);
      branch(isOneSubGroup, sub, {}, whole, {});
      at(sub);
      create(ocl::Scope::sub_group);
      jump(rest, {});
      at(whole);
      create(ocl::Scope::work_group);
      jump(rest, {});
    } else {
      b_.setInsertionPoint(barrier);
      create(ocl::Scope::sub_group);
    }
    barrier.erase();
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

  static constexpr int64_t ArgumentAlignment = 128; // abi::LocalAlignment

  ModuleOp module_;
  Location loc_;
  OpBuilder b_;
  const unsigned subGroupSize_;
  const bool partialBarriers_;
  Type i32_, i64_, global_, local_;
  func::FuncOp function_;
  Block *entry_ = nullptr, *take_ = nullptr, *leave_ = nullptr, *finish_ = nullptr;
  Value item_, isFirst_; // the work-item's number in the executor's group, i32
  Value arena_;          // the group's own
  Value counters_, capacity_;
  Value eventCounter_, eventLimit_;                    // of acquired events; the latter for half of them
  Value defaultQueue_, defaultCounter_, defaultLimit_; // as readQueue
  Value shared_, arguments_;                           // local memory
  Value taken_, isHelp_;                               // the entry
  Value record_, operands_;                            // and what follows the events
  Value items_;                                        // the number of work-items, i64
  std::array<Value, 3> size_, group_, groupCount_;     // of the record's NDRange, i32
  Value groupItems_, groups_, isWhole_;                // isWhole_: no work-group is smaller
  Item range_;                                         // what all its work-items have in common
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
        const BlockNeeds needs(function);
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
