// Turns work-group kernels into functions that run a range of work-groups (abi::CpuEntry), with loops over work-items.
//
//   func.func @k(%a: !llvm.ptr<1>)         llvm.func @k.group(%arguments, %launch, %first, %end, %local, %items) {
//     attributes {ocl.kernel} {              for each group of [first, end):
//     wg.parallel { body }          ==>        for z, y, x below this group's size:
//     return                                     body, with its queries answered from z, y, x and the group
//   }                                          return
//
// The loop over x is innermost and bottom-tested (no group is empty) and says that its iterations do not depend on each
// other, which the execution model guarantees for everything but private variables: LLVM's vectoriser may take it.
// Slots become arrays in the items area, one element a work-item, x fastest; local variables get their offsets here.
//
// With `local-size`, sizes are constants. Such a variant is for launches all of whose groups have that size.
//
// Expects plain control flow (`convert-scf-to-cf` ran).
#include "backends/KernelAbi.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "passes/Passes.h"
#include "passes/analysis/ArgumentLayout.h"
#include "passes/convert/Combine.h"
#include <array>

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_LOWERPARALLEL
#include "passes/Passes.h.inc"
namespace {

using Triple = std::array<Value, 3>;

// LLVM takes time that grows with the square of what it makes vectors of or unrolls, so what is larger than so many
// operations is left as it is.
constexpr unsigned MaxVectorOps = 3000;

// Private variables beyond this many bytes go to the items area: the thread's stack belongs to the application.
constexpr uint64_t MaxStackBytes = 16 * 1024;

class KernelLowering {
public:
  KernelLowering(func::FuncOp kernel, ArrayRef<int64_t> localSize, StringRef suffix)
      : kernel_(kernel), context_(kernel.getContext()), loc_(kernel.getLoc()), layout_(DataLayout::closest(kernel)),
        builder_(context_), fixedSize_(localSize), suffix_(suffix), isLarge_(isLarger(kernel, MaxVectorOps)) {
    pointerType_ = LLVM::LLVMPointerType::get(context_);
    i64_ = builder_.getI64Type();
  }

  LogicalResult run() {
    makeEntry();
    loadArguments();
    placeSlots();
    placeBigAllocas();
    makeGroupLoop();
    SmallVector<Operation *> work; // regions and group-wide questions, outermost order
    function_.walk([&](Operation *op) {
      if (isa<wg::ParallelOp, wg::AnyOp, wg::ReduceOp, wg::CombineOp>(op) ||
          (isa<wg::ReadOp>(op) && !op->getParentOfType<wg::ParallelOp>()))
        work.push_back(op);
    });
    for (Operation *op : work) {
      loc_ = op->getLoc();
      if (auto any = dyn_cast<wg::AnyOp>(op))
        lowerAny(any);
      else if (auto reduce = dyn_cast<wg::ReduceOp>(op))
        lowerReduce(reduce);
      else if (auto combine = dyn_cast<wg::CombineOp>(op))
        lowerCombine(combine);
      else if (auto read = dyn_cast<wg::ReadOp>(op))
        lowerRead(read, {});
      else
        lowerParallel(cast<wg::ParallelOp>(op));
    }
    answerQueries(function_.getBody(), groupId_, {}, {}, {});
    findVariables();
    tellSpaces();
    findCollector<ocl::PrintfBufferOp>(offsetof(abi::LaunchInfo, printfBuffer), "prints");
    findCollector<ocl::EnqueueArenaOp>(offsetof(abi::LaunchInfo, enqueueArena), "enqueues");
    liftAllocas();
    for (wg::SlotOp slot : slots_)
      slot.erase();
    kernel_.erase();
    return success();
  }

private:
  // ---- small helpers -----------------------------------------------------------------------------------------------

  Value constant(int64_t value) { return arith::ConstantIntOp::create(builder_, loc_, value, 64); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder_, loc_, a, b); }
  Value mul(Value a, Value b) { return arith::MulIOp::create(builder_, loc_, a, b); }
  Value offset(Value base, Value bytes) {
    return LLVM::GEPOp::create(builder_, loc_, base.getType(), builder_.getI8Type(), base, bytes);
  }
  Value offset(Value base, int64_t bytes) {
    return LLVM::GEPOp::create(builder_, loc_, base.getType(), builder_.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }
  Value launchField(size_t bytes) {
    auto load = LLVM::LoadOp::create(builder_, loc_, i64_, offset(launch_, bytes), 8);
    load.setInvariant(true);
    return load;
  }
  Triple launchTriple(size_t bytes) { return {launchField(bytes), launchField(bytes + 8), launchField(bytes + 16)}; }

  // ---- the entry ---------------------------------------------------------------------------------------------------

  void makeEntry() {
    builder_.setInsertionPoint(kernel_);
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context_),
                                            {pointerType_, pointerType_, i64_, i64_, pointerType_, pointerType_});
    function_ = LLVM::LLVMFuncOp::create(builder_, loc_, (kernel_.getName() + ".group" + suffix_).str(), type);
    function_->setAttr(ocl::KernelAttr, builder_.getStringAttr(kernel_.getName()));
    entry_ = function_.addEntryBlock(builder_);
    // Nothing that is handed over overlaps anything else of it.
    for (unsigned index : {0u, 1u, 4u, 5u})
      function_.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), builder_.getUnitAttr());
    arguments_ = entry_->getArgument(0), launch_ = entry_->getArgument(1);
    first_ = entry_->getArgument(2), end_ = entry_->getArgument(3);
    local_ = entry_->getArgument(4), items_ = entry_->getArgument(5);
    builder_.setInsertionPointToStart(entry_);
    globalSize_ = launchTriple(offsetof(abi::LaunchInfo, globalSize));
    globalOffset_ = launchTriple(offsetof(abi::LaunchInfo, globalOffset));
    numGroups_ = launchTriple(offsetof(abi::LaunchInfo, numGroups));
    workDim_ = launchField(offsetof(abi::LaunchInfo, workDim));
    if (fixedSize_.empty())
      localSize_ = launchTriple(offsetof(abi::LaunchInfo, localSize));
    else
      localSize_ = {constant(fixedSize_[0]), constant(fixedSize_[1]), constant(fixedSize_[2])};
  }

  void loadArguments() {
    Block &old = kernel_.getBody().front();
    ArgumentLayout layout(kernel_);
    for (BlockArgument argument : old.getArguments()) {
      ArgumentSlot slot = layout.slots[argument.getArgNumber()];
      Value address = offset(arguments_, slot.offset), value;
      auto pointer = dyn_cast<LLVM::LLVMPointerType>(argument.getType());
      if (kernel_.getArgAttr(argument.getArgNumber(), ocl::ArgByValueAttr)) {
        value = address;
      } else if (pointer && pointer.getAddressSpace() == ocl::Local) {
        Value bytes = LLVM::LoadOp::create(builder_, loc_, i64_, address, 8);
        value = LLVM::AddrSpaceCastOp::create(builder_, loc_, pointer, offset(local_, bytes));
      } else {
        auto load = LLVM::LoadOp::create(builder_, loc_, argument.getType(), address, slot.alignment);
        load.setInvariant(true);
        value = load;
      }
      argument.replaceAllUsesWith(value);
    }
    placeLocalVariables();
  }

  // Variables in local memory stand at the start of the group's, each at its alignment.
  void placeLocalVariables() {
    auto module = kernel_->getParentOfType<ModuleOp>();
    uint64_t bytes = 0;
    DenseMap<StringAttr, Value> addresses;
    SmallVector<LLVM::AddressOfOp> uses;
    kernel_.walk([&](LLVM::AddressOfOp use) { uses.push_back(use); });
    for (LLVM::AddressOfOp use : uses) {
      auto global = module.lookupSymbol<LLVM::GlobalOp>(use.getGlobalName());
      if (!global || global.getAddrSpace() != ocl::Local)
        continue;
      Value &address = addresses[global.getSymNameAttr()];
      if (!address) {
        bytes = llvm::alignTo(bytes, std::max<uint64_t>(layout_.getTypeABIAlignment(global.getType()),
                                                        global.getAlignment().value_or(1)));
        address = LLVM::AddrSpaceCastOp::create(builder_, loc_, use.getType(), offset(local_, bytes));
        bytes += layout_.getTypeSize(global.getType()).getFixedValue();
      }
      use.replaceAllUsesWith(address);
      use.erase();
    }
    setPlan("static_local_bytes", llvm::alignTo(bytes, abi::LocalAlignment));
  }

  void setPlan(StringRef name, uint64_t value) {
    function_->setAttr(("plan." + name).str(), builder_.getI64IntegerAttr(value));
  }

  // ---- slots: one array after the other in the items area ----------------------------------------------------------

  uint64_t stride(Type element) {
    if (element.isInteger(1))
      return 1;
    return llvm::alignTo(layout_.getTypeSize(element).getFixedValue(), layout_.getTypeABIAlignment(element));
  }

  void placeSlots() {
    kernel_.walk([&](wg::SlotOp slot) { slots_.push_back(slot); });
    // Falling alignment keeps every array aligned: each starts at a multiple of its element's alignment.
    auto alignment = [&](wg::SlotOp slot) { return layout_.getTypeABIAlignment(slot.getType().getElement()); };
    llvm::sort(slots_, [&](wg::SlotOp a, wg::SlotOp b) { return alignment(a) > alignment(b); });
    Value count = mul(mul(localSize_[0], localSize_[1]), localSize_[2]);
    Value rounded = arith::AndIOp::create(builder_, loc_, add(count, constant(abi::ItemRounding - 1)),
                                          constant(-int64_t(abi::ItemRounding)));
    for (wg::SlotOp slot : slots_) {
      slotBase_[slot] = offset(items_, mul(rounded, constant(itemBytes_)));
      itemBytes_ += stride(slot.getType().getElement());
    }
    threadArea_ = offset(items_, mul(rounded, constant(llvm::alignTo(itemBytes_, 2))));
    itemBytes_ = llvm::alignTo(itemBytes_, 2); // times 64 items: a multiple of LocalAlignment
    setPlan("item_bytes", itemBytes_);
  }

  // Private variables that last for one region are one per thread. Small ones live on its stack, but for those that a
  // kernel may ask for the address space of: these have to lie where tellSpaces looks for private memory.
  void placeBigAllocas() {
    uint64_t stackBytes = 0, threadBytes = 0;
    SmallVector<LLVM::AllocaOp> allocas;
    kernel_.walk([&](LLVM::AllocaOp alloca) { allocas.push_back(alloca); });
    bool asks = kernel_.walk([](ocl::IsInOp) { return WalkResult::interrupt(); }).wasInterrupted();
    for (LLVM::AllocaOp alloca : allocas) {
      IntegerAttr count;
      matchPattern(alloca.getArraySize(), m_Constant(&count));
      uint64_t bytes = layout_.getTypeSize(alloca.getElemType()).getFixedValue() * (count ? count.getInt() : 1);
      if (stackBytes + bytes <= MaxStackBytes && !(asks && isHandedOn(alloca))) {
        stackBytes += bytes;
        continue;
      }
      alloca.replaceAllUsesWith(offset(threadArea_, constant(threadBytes)));
      alloca.erase();
      threadBytes = llvm::alignTo(threadBytes + bytes, abi::LocalAlignment);
    }
    setPlan("thread_bytes", threadBytes);
    setPlan("private_bytes", stackBytes + threadBytes + itemBytes_);
  }

  // Does anything but loads, stores and address arithmetic see the variable's address.
  static bool isHandedOn(LLVM::AllocaOp alloca) {
    SmallVector<Value> pointers{alloca};
    while (!pointers.empty())
      for (OpOperand &use : pointers.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (isa<LLVM::GEPOp>(user))
          pointers.push_back(user->getResult(0));
        else if (!isa<LLVM::LoadOp>(user) && !(isa<LLVM::StoreOp>(user) && use.getOperandNumber() == 1))
          return true;
      }
    return false;
  }

  // Where a generic pointer points to is told by its address: into the group's local memory, into the items area, where
  // private variables are, or elsewhere, which is global.
  void tellSpaces() {
    SmallVector<ocl::IsInOp> questions;
    function_.walk([&](ocl::IsInOp question) { questions.push_back(question); });
    if (questions.empty())
      return;
    builder_.setInsertionPointAfterValue(workDim_);
    Value localBytes = launchField(offsetof(abi::LaunchInfo, localBytes));
    Value itemsBytes = launchField(offsetof(abi::LaunchInfo, itemsBytes));
    for (ocl::IsInOp question : questions) {
      builder_.setInsertionPoint(question);
      Value address = LLVM::PtrToIntOp::create(builder_, loc_, i64_, question.getPointer());
      auto isInArea = [&](Value area, Value bytes) -> Value {
        Value start = LLVM::PtrToIntOp::create(builder_, loc_, i64_, area);
        Value distance = arith::SubIOp::create(builder_, loc_, address, start);
        return arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ult, distance, bytes);
      };
      Value answer;
      if (question.getSpace() != ocl::NamedSpace::private_)
        answer = isInArea(local_, localBytes);
      if (question.getSpace() != ocl::NamedSpace::local) {
        Value isPrivate = isInArea(items_, itemsBytes);
        answer = answer ? arith::OrIOp::create(builder_, loc_, answer, isPrivate).getResult() : isPrivate;
      }
      if (question.getSpace() == ocl::NamedSpace::global) {
        Value yes = arith::ConstantIntOp::create(builder_, loc_, 1, 1);
        answer = arith::XOrIOp::create(builder_, loc_, answer, yes);
      }
      question.replaceAllUsesWith(answer);
      question.erase();
    }
  }

  // The block of variables is the launch's, so it is asked for once.
  void findVariables() {
    SmallVector<ocl::ProgramVariablesOp> uses;
    function_.walk([&](ocl::ProgramVariablesOp use) { uses.push_back(use); });
    builder_.setInsertionPointAfterValue(workDim_);
    DenseMap<Type, Value> addresses;
    for (ocl::ProgramVariablesOp use : uses) {
      Value &address = addresses[use.getType()];
      if (!address) {
        auto load = LLVM::LoadOp::create(builder_, loc_, use.getType(),
                                         offset(launch_, int64_t(offsetof(abi::LaunchInfo, programVariables))), 8);
        load.setInvariant(true);
        address = load;
      }
      use.replaceAllUsesWith(address);
      use.erase();
    }
  }

  // So is what the launch collects, if the kernel writes there.
  template <typename Op> void findCollector(size_t field, StringRef plan) {
    SmallVector<Op> uses;
    function_.walk([&](Op use) { uses.push_back(use); });
    setPlan(plan, !uses.empty());
    if (uses.empty())
      return;
    builder_.setInsertionPointAfterValue(workDim_);
    auto address =
        LLVM::LoadOp::create(builder_, loc_, uses.front().getType(), offset(launch_, int64_t(field)), 8);
    address.setInvariant(true);
    for (Op use : uses) {
      use.replaceAllUsesWith(address.getResult());
      use.erase();
    }
  }

  // Allocas belong in the entry block, wherever the regions they served have gone.
  void liftAllocas() {
    SmallVector<LLVM::AllocaOp> allocas;
    function_.walk([&](LLVM::AllocaOp alloca) { allocas.push_back(alloca); });
    for (LLVM::AllocaOp alloca : allocas) {
      alloca->moveBefore(entry_, entry_->begin());
      OpBuilder builder(alloca);
      IntegerAttr count;
      matchPattern(alloca.getArraySize(), m_Constant(&count));
      alloca.getArraySizeMutable().set(
          arith::ConstantIntOp::create(builder, alloca.getLoc(), count ? count.getInt() : 1, 32));
    }
  }

  // ---- the loop over groups ----------------------------------------------------------------------------------------

  void makeGroupLoop() {
    Region &region = function_.getBody();
    SmallVector<Type> types(4, i64_);
    SmallVector<Location> locs(4, loc_);
    Block *header = new Block, *prologue = new Block, *latch = new Block, *exit = new Block;
    header->addArguments(types, locs);

    // From the linear id of the first group to its three coordinates; from then on they count up.
    Value plane = arith::DivUIOp::create(builder_, loc_, first_, numGroups_[0]);
    Value x = arith::RemUIOp::create(builder_, loc_, first_, numGroups_[0]);
    Value y = arith::RemUIOp::create(builder_, loc_, plane, numGroups_[1]);
    Value z = arith::DivUIOp::create(builder_, loc_, plane, numGroups_[1]);
    cf::BranchOp::create(builder_, loc_, header, ValueRange{first_, x, y, z});

    region.push_back(header);
    builder_.setInsertionPointToStart(header);
    groupId_ = {header->getArgument(1), header->getArgument(2), header->getArgument(3)};
    Value more = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ult, header->getArgument(0), end_);
    cf::CondBranchOp::create(builder_, loc_, more, prologue, exit);

    region.push_back(prologue);
    builder_.setInsertionPointToStart(prologue);
    for (int dim : {0, 1, 2}) {
      Value start = mul(groupId_[dim], localSize_[dim]);
      groupStart_[dim] = add(start, globalOffset_[dim]);
      groupSize_[dim] = localSize_[dim];
      if (fixedSize_.empty()) { // the last group of a dimension may be smaller
        Value rest = arith::SubIOp::create(builder_, loc_, globalSize_[dim], start);
        groupSize_[dim] = arith::MinUIOp::create(builder_, loc_, rest, localSize_[dim]);
      }
    }
    Block *body = &kernel_.getBody().front();
    body->eraseArguments(0, body->getNumArguments());
    cf::BranchOp::create(builder_, loc_, body);
    region.getBlocks().splice(region.end(), kernel_.getBody().getBlocks());
    for (Block &block : region)
      if (auto exitOp = dyn_cast<func::ReturnOp>(block.getTerminator())) {
        builder_.setInsertionPoint(exitOp);
        cf::BranchOp::create(builder_, loc_, latch);
        exitOp.erase();
      }

    region.push_back(latch);
    builder_.setInsertionPointToStart(latch);
    auto carry = [&](Value &value, Value limit, Value carryIn) {
      Value next = add(value, arith::ExtUIOp::create(builder_, loc_, i64_, carryIn));
      Value wraps = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::eq, next, limit);
      value = arith::SelectOp::create(builder_, loc_, wraps, constant(0), next);
      return wraps;
    };
    Value yes = arith::ConstantIntOp::create(builder_, loc_, 1, 1);
    x = groupId_[0], y = groupId_[1];
    Value wrapsX = carry(x, numGroups_[0], yes);
    Value wrapsY = carry(y, numGroups_[1], wrapsX);
    wrapsY = arith::AndIOp::create(builder_, loc_, wrapsX, wrapsY);
    z = add(groupId_[2], arith::ExtUIOp::create(builder_, loc_, i64_, wrapsY));
    cf::BranchOp::create(builder_, loc_, header, ValueRange{add(header->getArgument(0), constant(1)), x, y, z});

    region.push_back(exit);
    builder_.setInsertionPointToStart(exit);
    LLVM::ReturnOp::create(builder_, loc_, ValueRange());
  }

  // ---- the loops over work-items -----------------------------------------------------------------------------------

  void lowerParallel(wg::ParallelOp parallel) {
    bool isLargeRegion = isLarger(parallel, MaxVectorOps);
    Block *before = parallel->getBlock();
    Block *after = before->splitBlock(parallel);
    Region *region = before->getParent();
    auto insert = [&](ArrayRef<Type> types = {}) {
      Block *block = new Block;
      block->addArguments(types, SmallVector<Location>(types.size(), loc_));
      region->getBlocks().insert(Region::iterator(after), block);
      return block;
    };
    Block *loopZ = insert({i64_}), *loopY = insert({i64_}), *loopX = insert({i64_});
    Value z = loopZ->getArgument(0), y = loopY->getArgument(0), x = loopX->getArgument(0);
    builder_.setInsertionPointToEnd(before);
    Value zero = constant(0), one = constant(1);
    cf::BranchOp::create(builder_, loc_, loopZ, zero);
    builder_.setInsertionPointToEnd(loopZ);
    Value rows = mul(z, groupSize_[1]);
    cf::BranchOp::create(builder_, loc_, loopY, zero);
    builder_.setInsertionPointToEnd(loopY);
    Value rowStart = mul(add(rows, y), groupSize_[0]);
    cf::BranchOp::create(builder_, loc_, loopX, zero);

    // The body between the loop's head and its latch.
    builder_.setInsertionPointToEnd(loopX);
    Value linear = add(rowStart, x);
    Block *body = &parallel.getBody().front();
    auto group = LLVM::AccessGroupAttr::get(context_, DistinctAttr::create(builder_.getUnitAttr()));
    lowerSlotAccess(parallel, linear, builder_.getArrayAttr(group));
    builder_.setInsertionPointToEnd(loopX);
    answerQueries(parallel.getBody(), groupId_, {x, y, z}, linear, parallel);
    Block *latchX = insert();
    builder_.setInsertionPointToEnd(loopX);
    if (Value mask = parallel.getMask()) {
      Value active = loadElement(mask, linear, builder_.getArrayAttr(group));
      cf::CondBranchOp::create(builder_, loc_, active, body, latchX);
    } else {
      cf::BranchOp::create(builder_, loc_, body);
    }
    for (Block &block : parallel.getBody())
      if (auto yield = dyn_cast<wg::YieldOp>(block.getTerminator())) {
        OpBuilder end(yield);
        cf::BranchOp::create(end, yield.getLoc(), latchX);
        yield.erase();
      }
    region->getBlocks().splice(Region::iterator(latchX), parallel.getBody().getBlocks());

    Block *latchY = insert(), *latchZ = insert();
    auto count = [&](Block *latch, Value index, Value limit, Block *head, Block *next, LLVM::LoopAnnotationAttr note) {
      builder_.setInsertionPointToEnd(latch);
      Value following = LLVM::AddOp::create(builder_, loc_, index, one, LLVM::IntegerOverflowFlags::nuw | LLVM::IntegerOverflowFlags::nsw);
      Value more = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ult, following, limit);
      LLVM::CondBrOp::create(builder_, loc_, more, head, ValueRange{following}, next, ValueRange());
      if (note)
        cast<LLVM::CondBrOp>(latch->getTerminator()).setLoopAnnotationAttr(note);
    };
    count(latchX, x, groupSize_[0], loopX, latchY, annotation(group, isLargeRegion));
    count(latchY, y, groupSize_[1], loopY, latchZ, isLarge_ ? annotation({}, false) : LLVM::LoopAnnotationAttr());
    count(latchZ, z, groupSize_[2], loopZ, after, isLarge_ ? annotation({}, false) : LLVM::LoopAnnotationAttr());
    parallel.erase();
  }

  static bool isLarger(Operation *op, unsigned ops) {
    unsigned count = 0;
    return op->walk([&](Operation *) { return ++count > ops ? WalkResult::interrupt() : WalkResult::advance(); })
        .wasInterrupted();
  }

  // What LLVM is told of a loop over work-items; `group`: of accesses that are independent of other iterations'.
  LLVM::LoopAnnotationAttr annotation(LLVM::AccessGroupAttr group, bool isLargeRegion) {
    BoolAttr yes = builder_.getBoolAttr(true);
    LLVM::LoopVectorizeAttr vectorize;
    LLVM::LoopUnrollAttr unroll;
    if (isLargeRegion)
      vectorize = LLVM::LoopVectorizeAttr::get(context_, /*disable=*/yes, {}, {}, {}, {}, {}, {});
    if (isLarge_)
      unroll = LLVM::LoopUnrollAttr::get(context_, /*disable=*/yes, {}, {}, {}, {}, {}, {});
    SmallVector<LLVM::AccessGroupAttr> groups;
    if (group)
      groups.push_back(group);
    return LLVM::LoopAnnotationAttr::get(context_, /*disableNonforced=*/{}, vectorize, /*interleave=*/{}, unroll,
                                         /*unrollAndJam=*/{}, /*licm=*/{}, /*distribute=*/{}, /*pipeline=*/{},
                                         /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{}, /*isVectorized=*/{},
                                         /*startLoc=*/{}, /*endLoc=*/{}, /*parallelAccesses=*/groups);
  }

  Value slotAddress(Value slot, Value linear) {
    Type element = cast<wg::SlotType>(slot.getType()).getElement();
    return offset(slotBase_[slot.getDefiningOp<wg::SlotOp>()], mul(linear, constant(stride(element))));
  }

  // A work-item's element of a slot; flags are bytes.
  Value loadElement(Value slot, Value linear, ArrayAttr group) {
    Type type = cast<wg::SlotType>(slot.getType()).getElement();
    bool isFlag = type.isInteger(1);
    auto load = LLVM::LoadOp::create(builder_, loc_, isFlag ? builder_.getI8Type() : type, slotAddress(slot, linear));
    if (group)
      load.setAccessGroupsAttr(group);
    if (!isFlag)
      return load;
    return arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ne, load,
                                 arith::ConstantIntOp::create(builder_, loc_, 0, 8));
  }

  void storeElement(Value value, Value slot, Value linear, ArrayAttr group) {
    if (value.getType().isInteger(1))
      value = arith::ExtUIOp::create(builder_, loc_, builder_.getI8Type(), value);
    auto store = LLVM::StoreOp::create(builder_, loc_, value, slotAddress(slot, linear));
    if (group)
      store.setAccessGroupsAttr(group);
  }

  void lowerRead(wg::ReadOp read, ArrayAttr group) {
    builder_.setInsertionPoint(read);
    read.replaceAllUsesWith(loadElement(read.getSlot(), read.getItem(), group));
    read.erase();
  }

  // Slot accesses become memory accesses of this work-item's element. All accesses of the region, but
  // those of private variables, belong to the loop's group of independent ones.
  void lowerSlotAccess(wg::ParallelOp parallel, Value linear, ArrayAttr group) {
    SmallVector<Operation *> work;
    parallel.getBody().walk([&](Operation *op) {
      auto independent = [&](Value address) {
        unsigned space = cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace();
        return space != ocl::Private && space != ocl::Generic;
      };
      if (auto load = dyn_cast<LLVM::LoadOp>(op); load && independent(load.getAddr()))
        load.setAccessGroupsAttr(group);
      else if (auto store = dyn_cast<LLVM::StoreOp>(op); store && independent(store.getAddr()))
        store.setAccessGroupsAttr(group);
      else if (isa<wg::LoadOp, wg::StoreOp, wg::AddressOp, wg::ReadOp>(op))
        work.push_back(op);
    });
    for (Operation *op : work) {
      builder_.setInsertionPoint(op);
      if (auto read = dyn_cast<wg::ReadOp>(op)) {
        lowerRead(read, group);
        continue;
      }
      if (auto address = dyn_cast<wg::AddressOp>(op)) {
        address.replaceAllUsesWith(slotAddress(address.getSlot(), linear));
      } else if (auto load = dyn_cast<wg::LoadOp>(op)) {
        load.replaceAllUsesWith(loadElement(load.getSlot(), linear, group));
      } else {
        auto store = cast<wg::StoreOp>(op);
        storeElement(store.getValue(), store.getSlot(), linear, group);
      }
      op->erase();
    }
  }

  // for i below the number of work-items: any |= slot[i]
  void lowerAny(wg::AnyOp any) {
    Block *before = any->getBlock();
    Block *after = before->splitBlock(any);
    Block *loop = new Block;
    loop->addArguments({i64_, builder_.getI8Type()}, {loc_, loc_});
    before->getParent()->getBlocks().insert(Region::iterator(after), loop);
    builder_.setInsertionPointToEnd(before);
    Value count = groupItems();
    Value none = arith::ConstantIntOp::create(builder_, loc_, 0, 8);
    cf::BranchOp::create(builder_, loc_, loop, ValueRange{constant(0), none});
    builder_.setInsertionPointToEnd(loop);
    Value index = loop->getArgument(0);
    Value flag = LLVM::LoadOp::create(builder_, loc_, builder_.getI8Type(), slotAddress(any.getSlot(), index), 1);
    Value sum = arith::OrIOp::create(builder_, loc_, loop->getArgument(1), flag);
    Value next = add(index, constant(1));
    Value more = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ult, next, count);
    cf::CondBranchOp::create(builder_, loc_, more, loop, ValueRange{next, sum}, after, ValueRange());
    builder_.setInsertionPoint(any);
    Value found = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ne, sum,
                                        arith::ConstantIntOp::create(builder_, loc_, 0, 8));
    any.replaceAllUsesWith(found);
    any.erase();
  }

  // ---- what work-items compute together ----------------------------------------------------------------------------

  Value groupItems() { return mul(mul(groupSize_[0], groupSize_[1]), groupSize_[2]); }

  // Makes room for loops in place of `op`: code is built in front of it until `leave`. Gives the block behind.
  Block *enter(Operation *op) {
    Block *before = op->getBlock();
    Block *after = before->splitBlock(op);
    builder_.setInsertionPointToEnd(before);
    return after;
  }
  void leave(Block *after) { cf::BranchOp::create(builder_, loc_, after); }

  // for (i = first; i < end; i += step) carried = body(i, carried), in front of `after`; there is a first iteration.
  // Gives what the last one made.
  Value loop(Block *after, Value first, Value end, int64_t step, Value carried,
             llvm::function_ref<Value(Value, Value)> body) {
    Block *head = new Block, *behind = new Block;
    SmallVector<Value> start{first};
    head->addArgument(i64_, loc_);
    if (carried) {
      start.push_back(carried);
      head->addArgument(carried.getType(), loc_);
      behind->addArgument(carried.getType(), loc_);
    }
    Region *region = after->getParent();
    region->getBlocks().insert(Region::iterator(after), head);
    cf::BranchOp::create(builder_, loc_, head, start);
    builder_.setInsertionPointToEnd(head);
    Value index = head->getArgument(0);
    Value made = body(index, carried ? head->getArgument(1) : Value());
    SmallVector<Value> next{add(index, constant(step))}, last;
    if (carried)
      next.push_back(made), last.push_back(made);
    Value more = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ult, next[0], end);
    region->getBlocks().insert(Region::iterator(after), behind);
    cf::CondBranchOp::create(builder_, loc_, more, head, next, behind, last);
    builder_.setInsertionPointToEnd(behind);
    return carried ? behind->getArgument(0) : Value();
  }

  // What came so far and a work-item's value, unless the mask leaves it out.
  Value combineElement(ocl::Combiner combiner, Value sum, Value slot, Value mask, Value index) {
    Value with = combine(builder_, loc_, combiner, sum, loadElement(slot, index, {}));
    return mask ? arith::SelectOp::create(builder_, loc_, loadElement(mask, index, {}), with, sum) : with;
  }

  // sum = neutral; for i below the number of work-items: sum = sum + slot[i]
  void lowerReduce(wg::ReduceOp reduce) {
    Block *after = enter(reduce);
    Value neutral = neutralValue(builder_, loc_, reduce.getCombiner(), reduce.getType());
    Value sum = loop(after, constant(0), groupItems(), 1, neutral, [&](Value index, Value sum) {
      return combineElement(reduce.getCombiner(), sum, reduce.getSlot(), reduce.getMask(), index);
    });
    leave(after);
    reduce.replaceAllUsesWith(sum);
    reduce.erase();
  }

  // for each run of work-items: for i in it: sum = sum + from[i], and to[i] = what is there before, then, or at the end
  void lowerCombine(wg::CombineOp op) {
    Block *after = enter(op);
    Value items = groupItems(),
          neutral = neutralValue(builder_, loc_, op.getCombiner(), op.getFrom().getType().getElement());
    auto run = [&](Value first, Value end) {
      Value all = loop(after, first, end, 1, neutral, [&](Value index, Value sum) {
        Value next = combineElement(op.getCombiner(), sum, op.getFrom(), op.getMask(), index);
        if (op.getReach() != ocl::Reach::reduce)
          storeElement(op.getReach() == ocl::Reach::inclusive_scan ? next : sum, op.getTo(), index, {});
        return next;
      });
      if (op.getReach() == ocl::Reach::reduce)
        loop(after, first, end, 1, {}, [&](Value index, Value) {
          storeElement(all, op.getTo(), index, {});
          return Value();
        });
    };
    if (std::optional<uint32_t> width = op.getWidth())
      loop(after, constant(0), items, *width, {}, [&](Value first, Value) {
        run(first, arith::MinUIOp::create(builder_, loc_, add(first, constant(*width)), items));
        return Value();
      });
    else
      run(constant(0), items);
    leave(after);
    op.erase();
  }

  // ---- queries -----------------------------------------------------------------------------------------------------

  // Answers the queries of a region; `localId` and `linear` are null outside a parallel region, where no query needs them.
  void answerQueries(Region &region, const Triple &group, const Triple &localId, Value linear, wg::ParallelOp) {
    SmallVector<Operation *> queries;
    region.walk([&](Operation *op) {
      if (isa<ocl::QueryOp, ocl::LinearQueryOp>(op))
        queries.push_back(op);
    });
    for (Operation *op : queries) {
      builder_.setInsertionPoint(op);
      Value answer;
      if (auto query = dyn_cast<ocl::QueryOp>(op)) {
        APInt dim;
        if (matchPattern(query.getDim(), m_ConstantInt(&dim)) && dim.ult(3)) {
          answer = component(query.getKind(), dim.getZExtValue(), group, localId);
        } else {
          answer = constant(query.getKind() >= ocl::Query::global_size ? 1 : 0);
          for (int d : {0, 1, 2}) {
            Value is = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::eq, query.getDim(),
                                             arith::ConstantIntOp::create(builder_, loc_, d, 32));
            answer = arith::SelectOp::create(builder_, loc_, is, component(query.getKind(), d, group, localId), answer);
          }
        }
      } else {
        answer = linearFact(cast<ocl::LinearQueryOp>(op).getKind(), group, localId, linear);
      }
      Type type = op->getResult(0).getType();
      if (type != i64_)
        answer = arith::TruncIOp::create(builder_, loc_, type, answer);
      op->getResult(0).replaceAllUsesWith(answer);
      op->erase();
    }
  }

  Value component(ocl::Query kind, unsigned dim, const Triple &group, const Triple &localId) {
    switch (kind) {
    case ocl::Query::global_id:
      return add(groupStart_[dim], localId[dim]);
    case ocl::Query::local_id:
      return localId[dim];
    case ocl::Query::group_id:
      return group[dim];
    case ocl::Query::global_offset:
      return globalOffset_[dim];
    case ocl::Query::global_size:
      return globalSize_[dim];
    case ocl::Query::local_size:
      return groupSize_[dim];
    case ocl::Query::enqueued_local_size:
      return localSize_[dim];
    case ocl::Query::num_groups:
      return numGroups_[dim];
    }
    llvm_unreachable("all kinds are handled");
  }

  Value linearFact(ocl::LinearQuery kind, const Triple &group, const Triple &localId, Value linear) {
    constexpr int64_t Size = abi::CpuSubGroupSize;
    auto enqueuedItems = [&] { return mul(mul(localSize_[0], localSize_[1]), localSize_[2]); };
    auto limited = [&](Value items) -> Value { return arith::MinUIOp::create(builder_, loc_, items, constant(Size)); };
    auto subGroups = [&](Value items) -> Value {
      return arith::DivUIOp::create(builder_, loc_, add(items, constant(Size - 1)), constant(Size));
    };
    switch (kind) {
    case ocl::LinearQuery::work_dim:
      return workDim_;
    case ocl::LinearQuery::local_linear_id:
      return linear;
    case ocl::LinearQuery::global_linear_id: {
      Triple id;
      for (int dim : {0, 1, 2})
        id[dim] = add(mul(group[dim], localSize_[dim]), localId[dim]);
      return add(mul(add(mul(id[2], globalSize_[1]), id[1]), globalSize_[0]), id[0]);
    }
    case ocl::LinearQuery::sub_group_size: {
      Value first = arith::AndIOp::create(builder_, loc_, linear, constant(-Size));
      return limited(arith::SubIOp::create(builder_, loc_, groupItems(), first));
    }
    case ocl::LinearQuery::max_sub_group_size:
      return limited(enqueuedItems());
    case ocl::LinearQuery::num_sub_groups:
      return subGroups(groupItems());
    case ocl::LinearQuery::enqueued_num_sub_groups:
      return subGroups(enqueuedItems());
    case ocl::LinearQuery::sub_group_id:
      return arith::DivUIOp::create(builder_, loc_, linear, constant(Size));
    case ocl::LinearQuery::sub_group_local_id:
      return arith::RemUIOp::create(builder_, loc_, linear, constant(Size));
    }
    llvm_unreachable("all kinds are handled");
  }

  func::FuncOp kernel_;
  MLIRContext *context_;
  Location loc_;
  DataLayout layout_;
  OpBuilder builder_;
  ArrayRef<int64_t> fixedSize_;
  StringRef suffix_;
  const bool isLarge_; // loops are not unrolled
  Type pointerType_, i64_;
  LLVM::LLVMFuncOp function_;
  Block *entry_ = nullptr;
  Value arguments_, launch_, first_, end_, local_, items_, workDim_, threadArea_;
  Triple globalSize_, globalOffset_, localSize_, numGroups_; // of the launch
  Triple groupId_, groupStart_, groupSize_;                  // of the current group
  SmallVector<wg::SlotOp> slots_;
  DenseMap<Operation *, Value> slotBase_;
  uint64_t itemBytes_ = 0;
};

struct LowerParallel : impl::LowerParallelBase<LowerParallel> {
  using LowerParallelBase::LowerParallelBase;

  void runOnOperation() override {
    if (!localSize.empty() && localSize.size() != 3) {
      getOperation().emitError("local-size takes three sizes");
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function->hasAttr(ocl::KernelAttr) || function.isExternal())
        function.erase(); // inlined everywhere
      else if (failed(KernelLowering(function, localSize, suffix).run()))
        return signalPassFailure();
    // Local variables have become offsets.
    SmallVector<LLVM::GlobalOp> globals(getOperation().getOps<LLVM::GlobalOp>());
    for (LLVM::GlobalOp global : globals)
      if (global.getAddrSpace() == ocl::Local)
        global.erase();
  }
};
} // namespace
} // namespace kiln
