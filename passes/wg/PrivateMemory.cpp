#include "passes/wg/PrivateMemory.h"
#include "base/abi/KernelAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Matchers.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/wg/Slots.h"

using namespace mlir;

namespace kiln {
namespace {

// Private variables above this limit are in the items area: the application decides the size of the thread's stack.
constexpr uint64_t MaxStackBytes = 16384;

// Returns true if the variable's address is used by anything but loads, stores and address arithmetic.
bool escapes(LLVM::AllocaOp variable) {
  SmallVector<Value> pointers{variable};
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

template <typename Op> SmallVector<Op> all(LLVM::LLVMFuncOp function) {
  SmallVector<Op> ops;
  function.walk([&](Op op) { ops.push_back(op); });
  return ops;
}

} // namespace

int64_t elementsOf(LLVM::AllocaOp variable) {
  IntegerAttr count;
  return matchPattern(variable.getArraySize(), m_Constant(&count)) ? count.getInt() : 1;
}

void placeLargeVariables(GroupFunction &group, const Slots &slots) {
  uint64_t stackBytes = 0, ownBytes = 0, largestAlignment = 1;
  SmallVector<LLVM::AllocaOp> large;
  bool hasQueries = !all<ocl::IsAddrSpaceOp>(group.function).empty();
  auto alignmentOf = [](LLVM::AllocaOp variable) { return variable.getAlignment().value_or(1); };
  for (LLVM::AllocaOp variable : all<LLVM::AllocaOp>(group.function)) {
    uint64_t bytes = group.layout.getTypeSize(variable.getElemType()).getFixedValue() * elementsOf(variable);
    const bool isForLanes = variable->hasAttr(LaneStrideAttr); // the scalar body has its own copy, which counts
    if (!isForLanes)
      ownBytes += bytes;
    const uint64_t withGap = llvm::alignTo(bytes, alignmentOf(variable));
    if (stackBytes + withGap <= MaxStackBytes && !(hasQueries && escapes(variable))) {
      stackBytes += withGap;
      continue;
    }
    large.push_back(variable);
    largestAlignment = std::max(largestAlignment, alignmentOf(variable));
  }
  group.builder.setInsertionPointAfterValue(slots.threadArea());
  Value area = group.alignedUp(slots.threadArea(), largestAlignment);
  uint64_t threadBytes = 0;
  for (LLVM::AllocaOp variable : large) {
    uint64_t bytes = group.layout.getTypeSize(variable.getElemType()).getFixedValue() * elementsOf(variable);
    threadBytes = llvm::alignTo(threadBytes, std::max(alignmentOf(variable), abi::LocalAlignment));
    variable.replaceAllUsesWith(group.offset(area, group.constant(threadBytes)));
    variable.erase();
    threadBytes += bytes;
  }
  threadBytes += slots.slack() + group.slack(largestAlignment);
  group.setPlan(ocl::plan::ThreadBytes, llvm::alignTo(threadBytes, abi::LocalAlignment));
  group.setPlan(ocl::plan::PrivateBytes, ownBytes + slots.itemBytes());
}

void lowerAddressSpaceQueries(GroupFunction &group) {
  SmallVector<ocl::IsAddrSpaceOp> queries = all<ocl::IsAddrSpaceOp>(group.function);
  if (queries.empty())
    return;
  OpBuilder &builder = group.builder;
  Location loc = group.loc;
  group.enterPrologue();
  Value localBytes = group.launchField(offsetof(abi::CpuLaunch, localBytes));
  Value itemsBytes = group.launchField(offsetof(abi::CpuLaunch, itemsBytes));
  for (ocl::IsAddrSpaceOp query : queries) {
    builder.setInsertionPoint(query);
    Value address = LLVM::PtrToIntOp::create(builder, loc, group.i64, query.getPointer());
    auto isInArea = [&](Value area, Value bytes) -> Value {
      Value start = LLVM::PtrToIntOp::create(builder, loc, group.i64, area);
      return group.isLess(arith::SubIOp::create(builder, loc, address, start), bytes);
    };
    Value result;
    if (query.getSpace() != ocl::NamedSpace::private_)
      result = isInArea(group.local, localBytes);
    if (query.getSpace() != ocl::NamedSpace::local) {
      Value isPrivate = isInArea(group.items, itemsBytes);
      result = result ? arith::OrIOp::create(builder, loc, result, isPrivate).getResult() : isPrivate;
    }
    if (query.getSpace() == ocl::NamedSpace::global) {
      Value yes = intConstant(builder, loc, 1, 1);
      result = arith::XOrIOp::create(builder, loc, result, yes);
    }
    query.replaceAllUsesWith(result);
    query.erase();
  }
}

void hoistAllocas(LLVM::LLVMFuncOp function) {
  Block &entry = function.getBody().front();
  for (LLVM::AllocaOp variable : all<LLVM::AllocaOp>(function)) {
    variable->moveBefore(&entry, entry.begin());
    OpBuilder builder(variable);
    variable.getArraySizeMutable().set(intConstant(builder, variable.getLoc(), elementsOf(variable), 32));
  }
}

} // namespace kiln
