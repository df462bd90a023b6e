#include "passes/simd/emit/LaneAccesses.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/simd/emit/LaneValues.h"
#include "passes/simd/emit/Transpose.h"
#include "passes/simd/prepare/PoisonFlags.h"

using namespace mlir;

namespace kiln {

SmallVector<Value> forEachLane(VectorBuilder &b, Value mask, ValueRange carried,
                               llvm::function_ref<SmallVector<Value>(Value lane, ValueRange)> emit) {
  auto number = [&](int64_t value) { return intConstant(b, value, 32); };
  auto loop = scf::ForOp::create(b, number(0), number(b.lanes()), number(1), carried);
  OpBuilder::InsertionGuard guard(b);
  if (carried.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  SmallVector<Value> next;
  if (!mask) {
    next = emit(lane, loop.getRegionIterArgs());
  } else {
    Value isActive = LLVM::ExtractElementOp::create(b, mask, lane);
    auto branch = scf::IfOp::create(b, carried.getTypes(), isActive, /*addThenBlock=*/true, /*addElseBlock=*/true);
    next.assign(branch.getResults().begin(), branch.getResults().end());
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, emit(lane, loop.getRegionIterArgs()));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loop.getRegionIterArgs());
  }
  if (!carried.empty())
    scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop.getResults());
}

namespace {
// Returns true if processors have gathers of this size. Private memory is on this thread's stack, where stores of
// single lanes come shortly before: a gather would wait for them.
bool canGather(const MemoryAccess &access) {
  const bool isPrivate = cast<LLVM::LLVMPointerType>(access.pointer.getType()).getAddressSpace() == ocl::Private;
  const bool isNumber = isa<IntegerType, FloatType>(access.type);
  const unsigned bits = isNumber ? access.type.getIntOrFloatBitWidth() : 0;
  return !isPrivate && (bits == 32 || bits == 64);
}

Value gatherByInstruction(VectorBody &body, const MemoryAccess &access) {
  VectorBuilder &b = body.builder();
  const Value mask = access.mask ? access.mask : b.splat(intConstant(b, 1, 1));
  return LLVM::masked_gather::create(b, TypeRange(b.wide(access.type)),
                                     ValueRange{body.vectors(access.pointer)[0], mask},
                                     b.getNamedAttr("alignment", b.getI32IntegerAttr(int32_t(access.alignment))));
}

// A lane's address if one number in it varies without a stride: the other terms are constants or shared. Null for other
// addresses.
Value addressByIndex(VectorBody &body, Value pointer, unsigned lane) {
  const LinearAddress address(pointer, body.dataLayout());
  if (!body.shape(address.base).isUniform())
    return {};
  unsigned varying = 0;
  for (const LinearAddress::Term &term : address.terms)
    varying += !body.knownStrideInfo(body.shape(term.number));
  return varying == 1 ? laneAddress(body, address, lane) : Value();
}

Value unmaskedAddress(VectorBody &body, Value pointer, const std::optional<StrideInfo> &info, unsigned lane) {
  if (info)
    return stridedAddress(body, pointer, *info, lane);
  const Value byIndex = addressByIndex(body, pointer, lane);
  return byIndex ? byIndex : laneOf(body, pointer, lane);
}

} // namespace

Vectors gather(VectorBody &body, const MemoryAccess &access, const std::optional<StrideInfo> &info) {
  VectorBuilder &b = body.builder();
  if (!info && body.target().gathers && canGather(access))
    return {gatherByInstruction(body, access)};
  const Value addresses = access.mask ? maskedAddresses(body, access, info) : Value();
  SmallVector<Value> loaded;
  for (unsigned lane = 0; lane < b.lanes(); ++lane) {
    Value from = addresses ? b.extractLane(addresses, lane) : unmaskedAddress(body, access.pointer, info, lane);
    loaded.push_back(LLVM::LoadOp::create(b, access.type, from, std::min(access.alignment, DummySlot::Alignment)));
  }
  if (isa<VectorType>(access.type))
    return transposed(b, loaded);
  Value made = b.poison(b.wide(access.type));
  for (unsigned lane = 0; lane < b.lanes(); ++lane)
    made = b.insertLane(loaded[lane], made, lane);
  return {made};
}

void scatter(VectorBody &body, const MemoryAccess &access, Value value, const std::optional<StrideInfo> &info) {
  VectorBuilder &b = body.builder();
  const Value addresses = access.mask ? maskedAddresses(body, access, info) : Value();
  const unsigned count = componentCount(access.type);
  const Vectors rows = count > 1 && llvm::isPowerOf2_32(count) && !body.hasLane0(value)
                           ? untransposed(b, body.vectors(value))
                           : Vectors();
  for (unsigned lane = 0; lane < b.lanes(); ++lane) {
    Value to = addresses ? b.extractLane(addresses, lane) : unmaskedAddress(body, access.pointer, info, lane);
    LLVM::StoreOp::create(b, rows.empty() ? laneOf(body, value, lane) : rows[lane], to,
                          std::min(access.alignment, DummySlot::Alignment));
  }
}

void updateLanes(VectorBody &body, const ScatteredUpdate &update, unsigned alignment, Value mask) {
  VectorBuilder &b = body.builder();
  LLVM::LoadOp load = update.load;
  LLVM::StoreOp store = update.store;
  const MemoryAccess access{store.getAddr(), load.getType(), alignment, mask};
  const Value addresses = mask ? maskedAddresses(body, access, {}) : Value();
  for (unsigned lane = 0; lane < b.lanes(); ++lane) {
    Value at = addresses ? b.extractLane(addresses, lane) : unmaskedAddress(body, access.pointer, {}, lane);
    IRMapping mapping;
    mapping.map(load.getResult(), LLVM::LoadOp::create(b, load.getType(), at, alignment).getResult());
    for (Operation *op : update.operations) {
      for (Value operand : op->getOperands())
        if (!mapping.contains(operand))
          mapping.map(operand, laneOf(body, operand, lane));
      Operation *copy = b.clone(*op, mapping);
      if (mask)
        dropPoisonGeneratingFlags(copy);
    }
    LLVM::StoreOp::create(b, mapping.lookup(store.getValue()), at, alignment);
  }
}

Vectors loadInLoop(VectorBody &body, const MemoryAccess &access, Value addresses) {
  VectorBuilder &b = body.builder();
  Vectors none(b.vectorCount(access.type), b.poison(b.wide(b.laneType(access.type))));
  return Vectors(forEachLane(b, access.mask, none, [&](Value lane, ValueRange made) {
    Value from = LLVM::ExtractElementOp::create(b, addresses, lane);
    Value value = LLVM::LoadOp::create(b, access.type, from, access.alignment);
    SmallVector<Value> next;
    for (auto [component, vector] : llvm::enumerate(made)) {
      Value scalar =
          isa<VectorType>(access.type) ? vector::ExtractOp::create(b, value, int64_t(component)).getResult() : value;
      next.push_back(LLVM::InsertElementOp::create(b, vector, scalar, lane));
    }
    return next;
  }));
}

void storeInLoop(VectorBody &body, const MemoryAccess &access, Value addresses, Value value) {
  VectorBuilder &b = body.builder();
  Vectors own = body.vectors(value);
  forEachLane(b, access.mask, {}, [&](Value lane, ValueRange) {
    SmallVector<Value> components;
    for (Value vector : own)
      components.push_back(LLVM::ExtractElementOp::create(b, vector, lane));
    Value one = components[0];
    if (auto vector = dyn_cast<VectorType>(access.type))
      one = vector::FromElementsOp::create(b, vector, components);
    Value to = LLVM::ExtractElementOp::create(b, addresses, lane);
    LLVM::StoreOp::create(b, one, to, access.alignment);
    return SmallVector<Value>();
  });
}

} // namespace kiln
