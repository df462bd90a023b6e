// Accesses: consecutive memory as one vector, anything else lane by lane.
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {
namespace {

// As large as the largest vector that a work-item loads or stores.
constexpr unsigned NowhereBytes = 128, NowhereAlignment = 64;

// What the access says of its place, or what the type's own rule is.
template <typename Access> unsigned alignmentOf(Access access, Type type, const DataLayout &layout) {
  return unsigned(access.getAlignment().value_or(layout.getTypeABIAlignment(type)));
}

std::string distance(const std::optional<Rise> &rise) {
  return rise ? ", " + std::to_string(rise->stride) + " bytes from its neighbour's" : "";
}

} // namespace

bool Widener::isConsecutive(const std::optional<Rise> &rise, Type type) const {
  if (!rise || isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(type))
    return false;
  uint64_t bytes = layout_.getTypeSizeInBits(getElementTypeOrSelf(type)).getFixedValue() / 8 * componentCount(type);
  return bytes && rise->stride == int64_t(bytes);
}

// Each lane's number for all components.
Value Widener::spread(Value lanes, unsigned count, unsigned from) {
  if (!lanes || count == 1)
    return lanes;
  SmallVector<int64_t> order;
  for (unsigned lane = 0; lane < from; ++lane)
    order.append(count, int64_t(lane));
  return shuffle(lanes, lanes, order);
}

// Memory of this thread's own that lanes without a place of theirs may read and write.
Value Widener::nowhere(Type type) {
  if (!nowhere_) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&to_.front());
    Value room = arith::ConstantIntOp::create(b, loc, NowhereBytes, 32);
    nowhere_ = LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(), room,
                                      NowhereAlignment);
    nowhere_.getDefiningOp()->setAttr(LaneStrideAttr, b.getI64IntegerAttr(0)); // no work-item's own
  }
  if (nowhere_.getType() == type)
    return nowhere_;
  return LLVM::AddrSpaceCastOp::create(b, loc, type, nowhere_);
}

// ---- loads --------------------------------------------------------------------------------------------------------

void Widener::widenLoad(LLVM::LoadOp load, Value mask) {
  Value pointer = load.getAddr();
  LaneShape where = shape(pointer);
  if (const AccessRuns::Run *run = runs_.of(load)) {
    if (run->place == load)
      loadRun(*run, mask);
    if (checksAssumptions_)
      expectLoaded(parts(load.getResult())[0], pointer, load.getType(), alignmentOf(load, load.getType(), layout_),
                   mask, Assumption::AccessOrder);
    return;
  }
  if (where.isUniform())
    return copyFirst(load, mask);
  Type type = load.getType();
  unsigned alignment = alignmentOf(load, type, layout_);
  const unsigned count = pickers(pointer, type, mask);
  const auto [holds, passed] = checkGuards(where);
  const std::optional<Rise> rise = where.rise(passed);
  auto read = [&] { // of lanes' own memory all of it is there
    auto one = [&] { return gather(pointer, rise, type, alignment, mask); };
    if (rise && rise->stride == 0)
      return splatParts(LLVM::LoadOp::create(b, loc, type, first(pointer), alignment));
    if (isConsecutive(rise, type))
      return loadConsecutive(first(pointer), type, alignment, isOwn(pointer) ? Value() : mask, isOfKnownSize(pointer));
    if (count)
      return Parts{loadNear(pointer, type, alignment, count, [&] { return one()[0]; })};
    if (goesInFours(pointer, type))
      return loadFours(pointer, type, alignment, mask, one);
    return one();
  };
  if (count)
    note("work-items pick from what lies close together, where it does");
  else if (!isConsecutive(rise, type) && !(rise && rise->stride == 0))
    note("each work-item reads a place of its own" + distance(rise));
  if (!holds)
    return setParts(load.getResult(), read());
  SmallVector<Type> types(partCount(type), wide(partType(type)));
  auto branch = scf::IfOp::create(b, loc, types, holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, read());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, loadEach(wideHere(pointer), type, alignment, mask));
  }
  setParts(load.getResult(), Parts(branch.getResults()));
}

// Calls body(lane) for each active lane, in a loop: short code for what happens hardly ever. `carried` are the values
// that it changes.
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

Widener::Parts Widener::loadEach(Value addresses, Type type, unsigned alignment, Value mask) {
  Parts none(partCount(type), poison(wide(partType(type))));
  return Parts(forEachLane(mask, none, [&](Value lane, ValueRange made) {
    Value from = LLVM::ExtractElementOp::create(b, loc, addresses, lane);
    Value value = LLVM::LoadOp::create(b, loc, type, from, alignment);
    SmallVector<Value> next;
    for (auto [part, vector] : llvm::enumerate(made)) {
      Value scalar =
          isa<VectorType>(type) ? vector::ExtractOp::create(b, loc, value, int64_t(part)).getResult() : value;
      next.push_back(LLVM::InsertElementOp::create(b, loc, vector, scalar, lane));
    }
    return next;
  }));
}

void Widener::storeEach(Value addresses, Type type, unsigned alignment, Value value, Value mask) {
  Parts own = parts(value);
  forEachLane(mask, {}, [&](Value lane, ValueRange) {
    SmallVector<Value> components;
    for (Value part : own)
      components.push_back(LLVM::ExtractElementOp::create(b, loc, part, lane));
    Value one = components[0];
    if (auto vector = dyn_cast<VectorType>(type))
      one = vector::FromElementsOp::create(b, loc, vector, components);
    Value to = LLVM::ExtractElementOp::create(b, loc, addresses, lane);
    LLVM::StoreOp::create(b, loc, one, to, alignment);
    return SmallVector<Value>();
  });
}

Widener::Parts Widener::loadConsecutive(Value from, Type type, unsigned alignment, Value mask, bool isOfKnownSize) {
  const unsigned count = componentCount(type);
  auto flatType = VectorType::get({int64_t(count) * lanes_}, getElementTypeOrSelf(type));
  auto whole = [&] { return LLVM::LoadOp::create(b, loc, flatType, from, alignment).getResult(); };
  auto masked = [&] {
    return LLVM::MaskedLoadOp::create(b, loc, flatType, from, spread(mask, count), /*pass_thru=*/Value(), alignment)
        .getResult();
  };
  Value flat;
  if (!mask)
    flat = whole();
  else if (layout_.getTypeSizeInBits(flatType.getElementType()).getFixedValue() >= 32 || isOfKnownSize)
    flat = masked();
  else
    flat = loadWithinPage(from, flatType, whole, masked);
  return isFlat_ || count == 1 ? Parts{flat} : deinterleave(flat, count);
}

// Not every processor has masks for narrow numbers. Some lane is active, so that its page is there, and where all of
// the vector lies in one page it may be read.
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

// An inactive lane gets a place that is always there, so that none needs a branch.
Value Widener::addressesUnder(Value mask, Value pointer, const std::optional<Rise> &rise) {
  Value own = rise ? risingAddress(first(pointer), rise->stride) : Value(parts(pointer)[0]);
  return arith::SelectOp::create(b, loc, mask, own, splat(nowhere(pointer.getType())));
}

// One load a lane.
Widener::Parts Widener::gather(Value pointer, const std::optional<Rise> &rise, Type type, unsigned alignment,
                               Value mask) {
  const Value addresses = mask ? addressesUnder(mask, pointer, rise) : Value();
  SmallVector<Value> loaded;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Value from = mask ? extract(addresses, lane) : rise ? address(pointer, *rise, lane) : this->lane(pointer, lane);
    loaded.push_back(LLVM::LoadOp::create(b, loc, type, from, std::min(alignment, NowhereAlignment)));
  }
  if (isa<VectorType>(type))
    return transposed(loaded);
  Value made = poison(wide(type));
  for (unsigned lane = 0; lane < lanes_; ++lane)
    made = insert(loaded[lane], made, lane);
  return {made};
}

// One lane's address, what the lane decides first: it may stay the same through a loop.
Value Widener::rowOf(const LinearAddress &address, unsigned lane) {
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
      add(shared, first(term.number), term);
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

// The same for one lane.
Value Widener::placeUnder(Value mask, unsigned lane, Value own) {
  return mask ? arith::SelectOp::create(b, loc, extract(mask, lane), own, nowhere(own.getType())).getResult() : own;
}

void Widener::loadRun(const AccessRuns::Run &run, Value mask) {
  auto load = cast<LLVM::LoadOp>(run.accesses.front());
  const unsigned alignment = alignmentOf(load, load.getType(), layout_);
  auto type = VectorType::get({int64_t(run.accesses.size())}, load.getType());
  SmallVector<Value> rows;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Value from = placeUnder(mask, lane, rowOf(run.address, lane));
    rows.push_back(LLVM::LoadOp::create(b, loc, type, from, std::min(alignment, NowhereAlignment)));
  }
  for (auto [one, column] : llvm::zip(run.accesses, transposed(rows)))
    setParts(one->getResult(0), {column});
}

// ---- stores -------------------------------------------------------------------------------------------------------

void Widener::widenStore(LLVM::StoreOp store, Value mask) {
  if (const AccessRuns::Run *run = runs_.of(store))
    return run->place == store ? storeRun(*run, mask) : void();
  Value pointer = store.getAddr(), value = store.getValue();
  LaneShape where = shape(pointer);
  Type type = value.getType();
  unsigned alignment = alignmentOf(store, type, layout_);
  if (where.isUniform() && shape(value).isUniform())
    return copyFirst(store, mask); // some lane is active
  const auto [holds, passed] = checkGuards(where);
  const std::optional<Rise> rise = where.rise(passed);
  auto write = [&] {
    auto one = [&] { scatter(pointer, rise, type, alignment, value, mask); };
    if (isConsecutive(rise, type))
      storeConsecutive(first(pointer), type, alignment, value, mask, isOwn(pointer));
    else if (goesInFours(pointer, type))
      storeFours(pointer, type, alignment, value, mask, one);
    else
      one();
  };
  if (!isConsecutive(rise, type))
    note("each work-item writes a place of its own" + distance(rise));
  if (!holds)
    return write();
  parts(value);
  auto branch = scf::IfOp::create(b, loc, TypeRange(), holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  write();
  scf::YieldOp::create(b, loc);
  b.setInsertionPointToStart(branch.elseBlock());
  storeEach(wideHere(pointer), type, alignment, value, mask);
  scf::YieldOp::create(b, loc);
}

void Widener::storeRun(const AccessRuns::Run &run, Value mask) {
  auto store = cast<LLVM::StoreOp>(run.accesses.front());
  const unsigned alignment = alignmentOf(store, store.getValue().getType(), layout_);
  SmallVector<Value> columns;
  for (Operation *one : run.accesses)
    columns.push_back(parts(cast<LLVM::StoreOp>(one).getValue())[0]);
  SmallVector<Value> rows = untransposed(columns);
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Value to = placeUnder(mask, lane, rowOf(run.address, lane));
    LLVM::StoreOp::create(b, loc, rows[lane], to, std::min(alignment, NowhereAlignment));
  }
}

void Widener::storeConsecutive(Value to, Type type, unsigned alignment, Value value, Value mask, bool isOwn) {
  const unsigned count = componentCount(type);
  Value flat = isFlat_ || count == 1 ? parts(value)[0] : interleave(parts(value));
  if (mask && isOwn) { // nobody else sees what is written again, and LLVM sees through it
    Value old = LLVM::LoadOp::create(b, loc, flat.getType(), to, alignment);
    flat = arith::SelectOp::create(b, loc, spread(mask, count), flat, old);
    mask = {};
  }
  if (mask)
    LLVM::MaskedStoreOp::create(b, loc, flat, to, spread(mask, count), b.getI32IntegerAttr(int32_t(alignment)));
  else
    LLVM::StoreOp::create(b, loc, flat, to, alignment);
}

// In the order of the lanes, so that of several that write one place the last one wins, as it does in a loop.
void Widener::scatter(Value pointer, const std::optional<Rise> &rise, Type type, unsigned alignment, Value value,
                      Value mask) {
  const Value addresses = mask ? addressesUnder(mask, pointer, rise) : Value();
  const unsigned count = componentCount(type);
  const Parts rows = count > 1 && llvm::isPowerOf2_32(count) && !hasFirst(value) ? untransposed(parts(value)) : Parts();
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Value to = mask ? extract(addresses, lane) : rise ? address(pointer, *rise, lane) : this->lane(pointer, lane);
    LLVM::StoreOp::create(b, loc, rows.empty() ? this->lane(value, lane) : rows[lane], to,
                          std::min(alignment, NowhereAlignment));
  }
}

} // namespace kiln
