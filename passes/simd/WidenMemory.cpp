// Loads and stores. A consecutive access is one vector access, any other one scalar access per lane.
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {
namespace {

// The size of the largest vector that a work-item loads or stores (double16).
constexpr unsigned DummySlotBytes = 128, DummySlotAlignment = 64;

// The access's alignment attribute, or the type's ABI alignment.
template <typename Access> unsigned alignmentOf(Access access, Type type, const DataLayout &layout) {
  return unsigned(access.getAlignment().value_or(layout.getTypeABIAlignment(type)));
}

std::string distance(const std::optional<StrideInfo> &info) {
  return info ? ", " + std::to_string(info->stride) + " bytes after its neighbour's" : "";
}

} // namespace

bool Widener::isConsecutive(const std::optional<StrideInfo> &info, Type type) const {
  if (!info || isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(type))
    return false;
  uint64_t bytes = layout_.getTypeSizeInBits(getElementTypeOrSelf(type)).getFixedValue() / 8 * componentCount(type);
  return bytes && info->stride == int64_t(bytes);
}

// Repeats each lane `count` times: a mask of lanes becomes a mask of components.
Value Widener::repeatLanes(Value lanes, unsigned count, unsigned from) {
  if (!lanes || count == 1)
    return lanes;
  SmallVector<int64_t> order;
  for (unsigned lane = 0; lane < from; ++lane)
    order.append(count, int64_t(lane));
  return shuffle(lanes, lanes, order);
}

// Memory on this thread's stack that inactive lanes load from and store to.
Value Widener::dummySlot(Type type) {
  if (!dummySlot_) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&to_.front());
    Value room = arith::ConstantIntOp::create(b, loc, DummySlotBytes, 32);
    dummySlot_ = LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(), room,
                                        DummySlotAlignment);
    dummySlot_.getDefiningOp()->setAttr(LaneStrideAttr, b.getI64IntegerAttr(0)); // shared by all lanes
  }
  if (dummySlot_.getType() == type)
    return dummySlot_;
  return LLVM::AddrSpaceCastOp::create(b, loc, type, dummySlot_);
}

// ---- loads --------------------------------------------------------------------------------------------------------

void Widener::widenLoad(LLVM::LoadOp load, Value mask) {
  Value pointer = load.getAddr();
  LaneShape where = shape(pointer);
  if (const AccessGroup *group = groups_.of(load)) {
    if (group->insertionPoint == load)
      loadGroup(*group, mask);
    if (checksAssumptions_)
      expectLoaded(vectors(load.getResult())[0], pointer, load.getType(), alignmentOf(load, load.getType(), layout_),
                   mask, Assumption::AccessOrder);
    return;
  }
  if (where.isUniform())
    return copyForLane0(load, mask);
  Type type = load.getType();
  unsigned alignment = alignmentOf(load, type, layout_);
  const unsigned count = permuteLanes(pointer, type, mask);
  const auto [holds, passed] = checkGuards(where);
  const std::optional<StrideInfo> info = where.strideInfo(passed);
  auto read = [&] { // private memory needs no mask: it exists for inactive lanes as well
    auto one = [&] { return gather(pointer, info, type, alignment, mask); };
    if (info && info->stride == 0)
      return splatVectors(LLVM::LoadOp::create(b, loc, type, lane0(pointer), alignment));
    if (isConsecutive(info, type))
      return loadConsecutive(lane0(pointer), type, alignment, isPrivateAlloca(pointer) ? Value() : mask,
                             hasKnownObjectSize(pointer));
    if (count)
      return Vectors{permuteLoad(pointer, type, alignment, count, [&] { return one()[0]; })};
    if (canUseQuads(pointer, type))
      return loadQuads(pointer, type, alignment, mask, one);
    return one();
  };
  if (count)
    note("loads one window for all work-items if their addresses are close together, else one element each");
  else if (!isConsecutive(info, type) && !(info && info->stride == 0))
    note("each work-item loads from its own address" + distance(info));
  if (!holds)
    return setVectors(load.getResult(), read());
  SmallVector<Type> types(vectorCount(type), wide(laneType(type)));
  auto branch = scf::IfOp::create(b, loc, types, holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, read());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, scalarLoads(recomputeHere(pointer), type, alignment, mask));
  }
  setVectors(load.getResult(), Vectors(branch.getResults()));
}

// Emits a loop that runs body(lane) for each active lane: short code for rare paths. `carried`: the loop-carried
// values.
SmallVector<Value> Widener::forEachLane(Value mask, ValueRange carried,
                                        llvm::function_ref<SmallVector<Value>(Value lane, ValueRange)> body) {
  auto number = [&](int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 32).getResult(); };
  auto loop = scf::ForOp::create(b, loc, number(0), number(lanes_), number(1), carried);
  OpBuilder::InsertionGuard guard(b);
  if (carried.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  SmallVector<Value> next;
  if (!mask) {
    next = body(lane, loop.getRegionIterArgs());
  } else {
    Value isActive = LLVM::ExtractElementOp::create(b, loc, mask, lane);
    auto branch = scf::IfOp::create(b, loc, carried.getTypes(), isActive, /*addThenBlock=*/true, /*addElseBlock=*/true);
    next.assign(branch.getResults().begin(), branch.getResults().end());
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, body(lane, loop.getRegionIterArgs()));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, loop.getRegionIterArgs());
  }
  if (!carried.empty())
    scf::YieldOp::create(b, loc, next);
  return SmallVector<Value>(loop.getResults());
}

Widener::Vectors Widener::scalarLoads(Value addresses, Type type, unsigned alignment, Value mask) {
  Vectors none(vectorCount(type), poison(wide(laneType(type))));
  return Vectors(forEachLane(mask, none, [&](Value lane, ValueRange made) {
    Value from = LLVM::ExtractElementOp::create(b, loc, addresses, lane);
    Value value = LLVM::LoadOp::create(b, loc, type, from, alignment);
    SmallVector<Value> next;
    for (auto [component, vector] : llvm::enumerate(made)) {
      Value scalar =
          isa<VectorType>(type) ? vector::ExtractOp::create(b, loc, value, int64_t(component)).getResult() : value;
      next.push_back(LLVM::InsertElementOp::create(b, loc, vector, scalar, lane));
    }
    return next;
  }));
}

void Widener::scalarStores(Value addresses, Type type, unsigned alignment, Value value, Value mask) {
  Vectors own = vectors(value);
  forEachLane(mask, {}, [&](Value lane, ValueRange) {
    SmallVector<Value> components;
    for (Value vector : own)
      components.push_back(LLVM::ExtractElementOp::create(b, loc, vector, lane));
    Value one = components[0];
    if (auto vector = dyn_cast<VectorType>(type))
      one = vector::FromElementsOp::create(b, loc, vector, components);
    Value to = LLVM::ExtractElementOp::create(b, loc, addresses, lane);
    LLVM::StoreOp::create(b, loc, one, to, alignment);
    return SmallVector<Value>();
  });
}

Widener::Vectors Widener::loadConsecutive(Value from, Type type, unsigned alignment, Value mask, bool hasKnownSize) {
  const unsigned count = componentCount(type);
  auto interleavedType = VectorType::get({int64_t(count) * lanes_}, getElementTypeOrSelf(type));
  auto whole = [&] { return LLVM::LoadOp::create(b, loc, interleavedType, from, alignment).getResult(); };
  auto masked = [&] {
    return LLVM::MaskedLoadOp::create(b, loc, interleavedType, from, repeatLanes(mask, count), /*pass_thru=*/Value(),
                                      alignment)
        .getResult();
  };
  Value interleaved;
  if (!mask)
    interleaved = whole();
  else if (layout_.getTypeSizeInBits(interleavedType.getElementType()).getFixedValue() >= 32 || hasKnownSize)
    interleaved = masked();
  else
    interleaved = loadWithinPage(from, interleavedType, whole, masked);
  return isAos_ || count == 1 ? Vectors{interleaved} : deinterleave(interleaved, count);
}

// AVX2 has no masked loads of 8- and 16-bit elements. Some lane is active, so its page is mapped: a vector that lies
// within one page can be loaded as a whole.
Value Widener::loadWithinPage(Value from, VectorType type, llvm::function_ref<Value()> whole,
                              llvm::function_ref<Value()> masked) {
  constexpr int64_t Page = 4096;
  const int64_t bytes = int64_t(layout_.getTypeSize(type).getFixedValue());
  auto number = [&](int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64).getResult(); };
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), from);
  Value offset = arith::AndIOp::create(b, loc, address, number(Page - 1));
  Value isWithin = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, offset, number(Page - bytes));
  auto branch = scf::IfOp::create(b, loc, TypeRange(type), isWithin, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, whole());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, masked());
  return branch.getResult(0);
}

// The addresses, with the dummy slot's for inactive lanes, so that no lane needs a branch.
Value Widener::maskedAddresses(Value mask, Value pointer, const std::optional<StrideInfo> &info) {
  Value own = info ? stepAddresses(lane0(pointer), info->stride) : Value(vectors(pointer)[0]);
  return arith::SelectOp::create(b, loc, mask, own, splat(dummySlot(pointer.getType())));
}

// One scalar load per lane.
Widener::Vectors Widener::gather(Value pointer, const std::optional<StrideInfo> &info, Type type, unsigned alignment,
                                 Value mask) {
  const Value addresses = mask ? maskedAddresses(mask, pointer, info) : Value();
  SmallVector<Value> loaded;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Value from = mask ? extract(addresses, lane) : info ? address(pointer, *info, lane) : this->lane(pointer, lane);
    loaded.push_back(LLVM::LoadOp::create(b, loc, type, from, std::min(alignment, DummySlotAlignment)));
  }
  if (isa<VectorType>(type))
    return transposed(loaded);
  Value made = poison(wide(type));
  for (unsigned lane = 0; lane < lanes_; ++lane)
    made = insert(loaded[lane], made, lane);
  return {made};
}

// One lane's address. Terms that vary by lane are added before uniform ones: the sum may be loop-invariant.
Value Widener::laneAddress(const LinearAddress &address, unsigned lane) {
  Value own, shared;
  auto add = [&](Value &sum, Value number, const LinearAddress::Term &term) {
    if (!number.getType().isInteger(64))
      number = term.isSigned ? arith::ExtSIOp::create(b, loc, b.getI64Type(), number).getResult()
                             : arith::ExtUIOp::create(b, loc, b.getI64Type(), number).getResult();
    number = arith::MulIOp::create(b, loc, number, arith::ConstantIntOp::create(b, loc, term.bytes, 64));
    sum = sum ? arith::AddIOp::create(b, loc, sum, number).getResult() : number;
  };
  for (const LinearAddress::Term &term : address.terms)
    if (shape(term.number).isUniform())
      add(shared, lane0(term.number), term);
    else
      add(own, this->lane(term.number, lane), term);
  Value pointer = this->lane(address.base, lane);
  for (Value bytes : {own, shared})
    if (bytes)
      pointer = LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, ValueRange{bytes});
  if (address.constant)
    pointer = LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                                  ValueRange{arith::ConstantIntOp::create(b, loc, address.constant, 64)});
  return pointer;
}

// One lane's address, or the dummy slot's if the lane is inactive.
Value Widener::maskedAddress(Value mask, unsigned lane, Value own) {
  return mask ? arith::SelectOp::create(b, loc, extract(mask, lane), own, dummySlot(own.getType())).getResult() : own;
}

void Widener::loadGroup(const AccessGroup &group, Value mask) {
  auto load = cast<LLVM::LoadOp>(group.accesses.front());
  const unsigned alignment = alignmentOf(load, load.getType(), layout_);
  auto type = VectorType::get({int64_t(group.accesses.size())}, load.getType());
  SmallVector<Value> rows;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Value from = maskedAddress(mask, lane, laneAddress(group.address, lane));
    rows.push_back(LLVM::LoadOp::create(b, loc, type, from, std::min(alignment, DummySlotAlignment)));
  }
  for (auto [one, column] : llvm::zip(group.accesses, transposed(rows)))
    setVectors(one->getResult(0), {column});
}

// ---- stores -------------------------------------------------------------------------------------------------------

void Widener::widenStore(LLVM::StoreOp store, Value mask) {
  if (const AccessGroup *group = groups_.of(store))
    return group->insertionPoint == store ? storeGroup(*group, mask) : void();
  Value pointer = store.getAddr(), value = store.getValue();
  LaneShape where = shape(pointer);
  Type type = value.getType();
  unsigned alignment = alignmentOf(store, type, layout_);
  if (where.isUniform() && shape(value).isUniform())
    return copyForLane0(store, mask); // some lane is active
  const auto [holds, passed] = checkGuards(where);
  const std::optional<StrideInfo> info = where.strideInfo(passed);
  auto emit = [&] {
    auto one = [&] { scatter(pointer, info, type, alignment, value, mask); };
    if (isConsecutive(info, type))
      storeConsecutive(lane0(pointer), type, alignment, value, mask, isPrivateAlloca(pointer));
    else if (canUseQuads(pointer, type))
      storeQuads(pointer, type, alignment, value, mask, one);
    else
      one();
  };
  if (!isConsecutive(info, type))
    note("each work-item stores to its own address" + distance(info));
  if (!holds)
    return emit();
  vectors(value);
  auto branch = scf::IfOp::create(b, loc, TypeRange(), holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
  scf::YieldOp::create(b, loc);
  b.setInsertionPointToStart(branch.elseBlock());
  scalarStores(recomputeHere(pointer), type, alignment, value, mask);
  scf::YieldOp::create(b, loc);
}

void Widener::storeGroup(const AccessGroup &group, Value mask) {
  auto store = cast<LLVM::StoreOp>(group.accesses.front());
  const unsigned alignment = alignmentOf(store, store.getValue().getType(), layout_);
  SmallVector<Value> columns;
  for (Operation *one : group.accesses)
    columns.push_back(vectors(cast<LLVM::StoreOp>(one).getValue())[0]);
  SmallVector<Value> rows = untransposed(columns);
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Value to = maskedAddress(mask, lane, laneAddress(group.address, lane));
    LLVM::StoreOp::create(b, loc, rows[lane], to, std::min(alignment, DummySlotAlignment));
  }
}

void Widener::storeConsecutive(Value to, Type type, unsigned alignment, Value value, Value mask, bool isPrivate) {
  const unsigned count = componentCount(type);
  Value interleaved = isAos_ || count == 1 ? vectors(value)[0] : interleave(vectors(value));
  if (mask && isPrivate) { // no other thread sees the memory, and LLVM can promote a plain store
    Value old = LLVM::LoadOp::create(b, loc, interleaved.getType(), to, alignment);
    interleaved = arith::SelectOp::create(b, loc, repeatLanes(mask, count), interleaved, old);
    mask = {};
  }
  if (mask)
    LLVM::MaskedStoreOp::create(b, loc, interleaved, to, repeatLanes(mask, count),
                                b.getI32IntegerAttr(int32_t(alignment)));
  else
    LLVM::StoreOp::create(b, loc, interleaved, to, alignment);
}

// Stores in the order of the lanes: if several lanes store to one address, the last one wins, as in a scalar loop.
void Widener::scatter(Value pointer, const std::optional<StrideInfo> &info, Type type, unsigned alignment, Value value,
                      Value mask) {
  const Value addresses = mask ? maskedAddresses(mask, pointer, info) : Value();
  const unsigned count = componentCount(type);
  const Vectors rows =
      count > 1 && llvm::isPowerOf2_32(count) && !hasLane0(value) ? untransposed(vectors(value)) : Vectors();
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Value to = mask ? extract(addresses, lane) : info ? address(pointer, *info, lane) : this->lane(pointer, lane);
    LLVM::StoreOp::create(b, loc, rows.empty() ? this->lane(value, lane) : rows[lane], to,
                          std::min(alignment, DummySlotAlignment));
  }
}

} // namespace kiln
