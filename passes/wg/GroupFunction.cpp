#include "passes/wg/GroupFunction.h"
#include "base/abi/KernelAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Target.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "passes/analysis/ArgumentLayout.h"
#include "passes/analysis/SubGroupSize.h"

using namespace mlir;

namespace kiln {

GroupFunction::GroupFunction(func::FuncOp kernel)
    : builder(kernel), loc(kernel.getLoc()), layout(DataLayout::closest(kernel)),
      fixedSize(ocl::fixedLocalSize(kernel->getParentOfType<ModuleOp>())), subGroupSize(cpuSubGroupSize(kernel)),
      i64(builder.getI64Type()) {
  makeEntry(kernel);
  loadArguments(kernel);
  placeLocalVariables(kernel);
  makeGroupLoop(kernel);
}

Value GroupFunction::offset(Value base, Value bytes) {
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base, bytes);
}

Value GroupFunction::offset(Value base, int64_t bytes) {
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

uint64_t GroupFunction::slack(uint64_t alignment) {
  return alignment > abi::LocalAlignment ? alignment - abi::LocalAlignment : 0;
}

Value GroupFunction::alignedUp(Value area, uint64_t alignment) {
  if (!slack(alignment))
    return area;
  Value address = LLVM::PtrToIntOp::create(builder, loc, i64, area);
  Value missing = arith::SubIOp::create(builder, loc, constant(0), address);
  return offset(area, arith::AndIOp::create(builder, loc, missing, constant(int64_t(alignment) - 1)).getResult());
}

Value GroupFunction::launchField(size_t bytes, Type type) {
  auto load = LLVM::LoadOp::create(builder, loc, type ? type : i64, offset(launch_, int64_t(bytes)), 8);
  load.setInvariant(true);
  return load;
}

Dim3 GroupFunction::launchDim3(size_t bytes) {
  return {launchField(bytes), launchField(bytes + 8), launchField(bytes + 16)};
}

// A sum that wraps around does not fit, so the operands are compared as well.
Value GroupFunction::idsFitI32() {
  if (idsFitI32_)
    return idsFitI32_;
  OpBuilder::InsertionGuard guard(builder);
  enterPrologue();
  Value limit = constant(int64_t(1) << 31), ends;
  for (int dim : {0, 1, 2}) {
    Value larger = arith::MaxUIOp::create(builder, loc, globalOffset[dim], globalSize[dim]);
    Value end = arith::MaxUIOp::create(builder, loc, larger, add(globalOffset[dim], globalSize[dim]));
    ends = ends ? arith::MaxUIOp::create(builder, loc, ends, end).getResult() : end;
  }
  return idsFitI32_ = isLess(ends, limit);
}

void GroupFunction::setPlan(StringRef name, uint64_t value) {
  function->setAttr(name, builder.getI64IntegerAttr(int64_t(value)));
}

/// The kernel's name as a part of a symbol. Characters with a meaning for the linker (a version follows '@') or for
/// LLVM (0x01, "llvm.", the assembler's ".L") become '$' and two hexadecimal digits, so different names stay different.
static std::string symbolOf(StringRef name) {
  const bool isReserved = name.starts_with("llvm.") || name.starts_with(".");
  std::string symbol;
  for (auto [index, c] : llvm::enumerate(name))
    if ((llvm::isAlnum(c) || c == '_' || c == '.') && !(isReserved && index == 0))
      symbol += c;
    else
      symbol += {'$', llvm::hexdigit(uint8_t(c) / 16, true), llvm::hexdigit(uint8_t(c) % 16, true)};
  return symbol;
}

void GroupFunction::makeEntry(func::FuncOp kernel) {
  const StringRef name = kernel.getName(), suffix = ocl::entrySuffix(kernel->getParentOfType<ModuleOp>());
  MLIRContext *context = builder.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer, pointer, i64, i64, pointer, pointer});
  function = LLVM::LLVMFuncOp::create(builder, loc, symbolOf(name) + (".group" + suffix).str(), type);
  function->setAttr(ocl::KernelAttr, builder.getStringAttr(name));
  entry = function.addEntryBlock(builder);
  // The runtime passes disjoint memory, aligned as KernelAbi.h states.
  using Area = std::pair<unsigned, uint64_t>;
  for (auto [index, alignment] : {Area(0, abi::MaxArgumentAlignment), Area(1, alignof(abi::CpuLaunch)),
                                  Area(4, abi::LocalAlignment), Area(5, abi::LocalAlignment)}) {
    function.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(int64_t(alignment)));
  }
  arguments_ = entry->getArgument(0), launch_ = entry->getArgument(1);
  first_ = entry->getArgument(2), end_ = entry->getArgument(3);
  local = entry->getArgument(4), items = entry->getArgument(5);
  builder.setInsertionPointToStart(entry);
  globalSize = launchDim3(offsetof(abi::CpuLaunch, globalSize));
  globalOffset = launchDim3(offsetof(abi::CpuLaunch, globalOffset));
  numGroups = launchDim3(offsetof(abi::CpuLaunch, numGroups));
  workDim = launchField(offsetof(abi::CpuLaunch, workDim));
  if (fixedSize.empty())
    localSize = launchDim3(offsetof(abi::CpuLaunch, localSize));
  else
    localSize = {constant(fixedSize[0]), constant(fixedSize[1]), constant(fixedSize[2])};
}

void GroupFunction::loadArguments(func::FuncOp kernel) {
  ArgumentLayout slots(kernel);
  for (BlockArgument argument : kernel.getArguments()) {
    ArgumentSlot slot = slots.slots[argument.getArgNumber()];
    Value address = offset(arguments_, slot.offset), value;
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(argument.getType());
    if (kernel.getArgAttr(argument.getArgNumber(), ocl::ArgByValueAttr)) {
      value = address;
    } else if (pointer && pointer.getAddressSpace() == ocl::Local) {
      Value bytes = LLVM::LoadOp::create(builder, loc, i64, address, 8);
      value = LLVM::AddrSpaceCastOp::create(builder, loc, pointer, offset(local, bytes));
    } else {
      auto load = LLVM::LoadOp::create(builder, loc, argument.getType(), address, slot.alignment);
      load.setInvariant(true);
      value = load;
    }
    argument.replaceAllUsesWith(value);
  }
}

// Lays out local variables at the start of the group's local memory.
void GroupFunction::placeLocalVariables(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  uint64_t bytes = 0, largestAlignment = 1;
  DenseMap<StringAttr, uint64_t> offsets;
  SmallVector<std::pair<LLVM::AddressOfOp, uint64_t>> uses; // with the variable's offset
  kernel.walk([&](LLVM::AddressOfOp use) {
    auto global = module.lookupSymbol<LLVM::GlobalOp>(use.getGlobalName());
    if (!global || global.getAddrSpace() != ocl::Local)
      return;
    auto [known, isNew] = offsets.try_emplace(global.getSymNameAttr());
    if (isNew) {
      uint64_t alignment =
          std::max<uint64_t>(layout.getTypeABIAlignment(global.getType()), global.getAlignment().value_or(1));
      known->second = llvm::alignTo(bytes, alignment);
      bytes = known->second + layout.getTypeSize(global.getType()).getFixedValue();
      largestAlignment = std::max(largestAlignment, alignment);
    }
    uses.push_back({use, known->second});
  });
  Value start = alignedUp(local, largestAlignment);
  DenseMap<uint64_t, Value> addresses;
  for (auto [use, bytes] : uses) {
    Value &address = addresses[bytes];
    if (!address)
      address = LLVM::AddrSpaceCastOp::create(builder, loc, use.getType(), offset(start, int64_t(bytes)));
    use.replaceAllUsesWith(address);
    use.erase();
  }
  setPlan(ocl::plan::StaticLocalBytes, llvm::alignTo(bytes + slack(largestAlignment), abi::LocalAlignment));
}

void GroupFunction::makeGroupLoop(func::FuncOp kernel) {
  Region &region = function.getBody();
  SmallVector<Type> types(4, i64);
  SmallVector<Location> locs(4, loc);
  Block *header = new Block, *prologue = new Block, *latch = new Block, *exit = new Block;
  header->addArguments(types, locs);

  // The first group's coordinates are computed from its linear id; the loop increments them.
  Value plane = arith::DivUIOp::create(builder, loc, first_, numGroups[0]);
  Value x = arith::RemUIOp::create(builder, loc, first_, numGroups[0]);
  Value y = arith::RemUIOp::create(builder, loc, plane, numGroups[1]);
  Value z = arith::DivUIOp::create(builder, loc, plane, numGroups[1]);
  cf::BranchOp::create(builder, loc, header, ValueRange{first_, x, y, z});

  region.push_back(header);
  builder.setInsertionPointToStart(header);
  id = {header->getArgument(1), header->getArgument(2), header->getArgument(3)};
  cf::CondBranchOp::create(builder, loc, isLess(header->getArgument(0), end_), prologue, exit);

  region.push_back(prologue);
  builder.setInsertionPointToStart(prologue);
  for (int dim : {0, 1, 2}) {
    Value below = mul(id[dim], localSize[dim]);
    start[dim] = add(below, globalOffset[dim]);
    size[dim] = localSize[dim];
    if (fixedSize.empty()) { // the last group of a dimension may be smaller
      Value rest = arith::SubIOp::create(builder, loc, globalSize[dim], below);
      size[dim] = arith::MinUIOp::create(builder, loc, rest, localSize[dim]);
    }
  }
  Block *body = &kernel.getBody().front();
  body->eraseArguments(0, body->getNumArguments());
  cf::BranchOp::create(builder, loc, body);
  region.getBlocks().splice(region.end(), kernel.getBody().getBlocks());
  for (Block &block : region)
    if (auto end = dyn_cast<func::ReturnOp>(block.getTerminator())) {
      builder.setInsertionPoint(end);
      cf::BranchOp::create(builder, loc, latch);
      end.erase();
    }

  region.push_back(latch);
  builder.setInsertionPointToStart(latch);
  auto carry = [&](Value &value, Value limit, Value carryIn) {
    Value next = add(value, arith::ExtUIOp::create(builder, loc, i64, carryIn));
    Value wraps = isSame(next, limit);
    value = arith::SelectOp::create(builder, loc, wraps, constant(0), next);
    return wraps;
  };
  Value yes = intConstant(builder, loc, 1, 1);
  x = id[0], y = id[1];
  Value wrapsX = carry(x, numGroups[0], yes);
  Value wrapsY = carry(y, numGroups[1], wrapsX);
  wrapsY = arith::AndIOp::create(builder, loc, wrapsX, wrapsY);
  z = add(id[2], arith::ExtUIOp::create(builder, loc, i64, wrapsY));
  cf::BranchOp::create(builder, loc, header, ValueRange{add(header->getArgument(0), constant(1)), x, y, z});

  region.push_back(exit);
  builder.setInsertionPointToStart(exit);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

} // namespace kiln
