#include "passes/simd/Widener.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/analysis/Constants.h"
#include "passes/ocl/ChooseComponents.h"
#include "passes/simd/Flat.h"
#include "passes/simd/Promises.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace kiln {
namespace {
constexpr int64_t MostScale = 8; // of an index in an address
} // namespace

Widener::Widener(wg::ParallelOp from, const LaneShapes &shapes, const AccessRuns &runs, const Form &form, Region &to)
    : from_(from), shapes_(shapes), runs_(runs), lanes_(form.lanes), vectorBits_(form.vectorBits),
      maskBits_(form.maskBits), pickFrom_(form.pickFrom), isFlat_(form.isFlat),
      checksAssumptions_(form.checksAssumptions), skipped_(form.skipped), to_(to), layout_(DataLayout::closest(from)),
      b(from.getContext()), loc(from.getLoc()) {}

void Widener::run(Widener *careful) {
  b.createBlock(&to_);
  Value maskSlot = from_.getMask();
  if (!maskSlot) {
    Told told = write();
    if (careful && told.done)
      told = careful->writeFor(b, told);
    if (told.done)
      wg::YieldOp::create(b, loc, told.done, told.more);
    else
      wg::YieldOp::create(b, loc);
    return;
  }
  mayLeave_ = false;
  Value address = wg::AddressOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), maskSlot);
  Value flags = LLVM::LoadOp::create(b, loc, wide(b.getI8Type()), address, 1);
  Value zero = splat(arith::ConstantIntOp::create(b, loc, 0, 8));
  Value mask = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, flags, zero);
  auto branch = scf::IfOp::create(b, loc, any(mask), /*withElseRegion=*/false);
  wg::YieldOp::create(b, loc);
  b.setInsertionPointToStart(branch.thenBlock());
  widenBlock(from_.getBody().front(), mask);
}

// ---- values -------------------------------------------------------------------------------------------------------

Value Widener::first(Value value) {
  if (!from_.getBody().isAncestor(value.getParentRegion()))
    return value;
  return forms_.find(value)->second.first;
}

// Made where the first lane's is known, so that every use can have it. A varying address is made where it is used.
const Widener::Parts &Widener::parts(Value value) {
  if (Forms &known = forms_[value]; !known.parts.empty())
    return known.parts;
  if (!hasFirst(value)) {
    lastAddress_ = {wideCopy(value.getDefiningOp())};
    return lastAddress_;
  }
  OpBuilder::InsertionGuard guard(b);
  Value lane0 = first(value);
  if (!to_.isAncestor(lane0.getParentRegion()))
    b.setInsertionPointToStart(&to_.front());
  else
    b.setInsertionPointAfterValue(lane0);
  Parts made = partsOfStrided(value, lane0, shape(value));
  return forms_[value].parts = std::move(made);
}

// `kept`: for all to use. Otherwise made here, with all that rests on guards. The copy has no poison-generating flags:
// it may run before the branch that makes lanes active.
Value Widener::wideCopy(Operation *op, bool kept) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isa<LLVM::GEPOp>(op) && shape(operand).isUniform())
      operands.push_back(first(operand));
    else
      operands.push_back(kept ? Value(parts(operand)[0]) : wideHere(operand));
  }
  Operation *copy =
      b.insert(Operation::create(loc, op->getName(), wide(op->getResult(0).getType()), operands,
                                 NamedAttrList(op->getDiscardableAttrDictionary()), op->getPropertiesStorage()));
  dropPromises(copy);
  return copy->getResult(0);
}

// Each lane's own value where guards fail, in code that hardly ever runs. Loops and branches pass such values on with
// their lanes, which are known here then.
Value Widener::wideHere(Value value) {
  if (!hasFirst(value) || shape(value).isStridedAlways() || !value.getDefiningOp() || hasParts(value))
    return parts(value)[0];
  return wideCopy(value.getDefiningOp(), /*kept=*/false);
}

Widener::Parts Widener::splatParts(Value uniform) {
  auto vector = dyn_cast<VectorType>(uniform.getType());
  if (!vector)
    return {splat(uniform)};
  const int64_t count = vector.getNumElements();
  if (isFlat_) {
    SmallVector<int64_t> order;
    for (int64_t place = 0; place < count * lanes_; ++place)
      order.push_back(place % count);
    return {shuffle(uniform, uniform, order)};
  }
  Parts made;
  for (int64_t part = 0; part < count; ++part)
    made.push_back(splat(vector::ExtractOp::create(b, loc, uniform, part)));
  return made;
}

Widener::Parts Widener::partsOfStrided(Value value, Value first, const LaneShape &shape) {
  const std::optional<Rise> rise = knownRise(shape);
  if (!rise) // not strided if the guards fail: computed anew
    return {wideCopy(value.getDefiningOp())};
  if (rise->stride == 0 || isa<VectorType>(value.getType()))
    return splatParts(first);
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return {risingAddress(first, rise->stride)};
  return {rising(first, rise->stride)};
}

// How the lanes follow each other, if that rests on nothing or on guards that were checked before all that is still to
// come.
std::optional<Rise> Widener::knownRise(const LaneShape &shape) const { return shape.rise(passed_); }

Value Widener::risingAddress(Value first, int64_t stride) {
  SmallVector<Attribute> steps;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    steps.push_back(b.getI64IntegerAttr(int64_t(lane) * stride));
  Value offsets = constant(b.getI64Type(), steps);
  return LLVM::GEPOp::create(b, loc, wide(first.getType()), b.getI8Type(), first, ValueRange{offsets});
}

Value Widener::rising(Value first, int64_t stride) {
  Type type = first.getType();
  SmallVector<Attribute> steps;
  const unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  for (unsigned lane = 0; lane < lanes_; ++lane)
    steps.push_back(IntegerAttr::get(type, APInt(width, uint64_t(int64_t(lane) * stride), true, true)));
  return arith::AddIOp::create(b, loc, splat(first), constant(type, steps));
}

// One lane's value, at the place where code is being built.
Value Widener::lane(Value value, unsigned lane) {
  LaneShape known = shape(value);
  if (known.isUniform() || (lane == 0 && known.isStrided()))
    return first(value);
  if (const std::optional<Rise> rise = knownRise(known)) {
    if (rise->stride == 0)
      return first(value);
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      return address(value, *rise, lane);
    Value step = arith::ConstantOp::create(b, loc, b.getIntegerAttr(value.getType(), int64_t(lane) * rise->stride));
    return arith::AddIOp::create(b, loc, first(value), step);
  }
  auto product = value.getDefiningOp<arith::MulIOp>();
  if (product && !known.isStrided())
    if (Value number = laneOfMultiple(product, lane))
      return number;
  // An address, computed from its lane's indices as they are: they are narrower than addresses, and instructions scale
  // them and add them to the base for nothing.
  Operation *op = value.getDefiningOp();
  auto widens = [](Operation *one) { return isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(one); };
  const auto by = product ? constantOf(product.getRhs()) : std::nullopt;
  const bool isMultiple =
      by && *by > 0 && *by <= MostScale && llvm::isPowerOf2_64(*by) && widens(product.getLhs().getDefiningOp());
  if (op && (widens(op) || isMultiple || !hasParts(value))) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, this->lane(operand, lane));
    return b.clone(*op, mapping)->getResult(0);
  }
  return laneOfParts(parts(value), value.getType(), lane);
}

// Of what rises by a number that all lanes share, but that is known at run time only: it takes an addition. Null: it is
// something else.
Value Widener::laneOfMultiple(arith::MulIOp product, unsigned lane) {
  Value rising = product.getLhs(), factor = product.getRhs();
  if (shape(rising).isUniform())
    std::swap(rising, factor);
  const std::optional<Rise> rise = knownRise(shape(rising));
  if (!rise || !shape(factor).isUniform())
    return {};
  Value ofFirst = arith::MulIOp::create(b, loc, first(rising), first(factor));
  Value lanes = arith::ConstantOp::create(b, loc, b.getIntegerAttr(factor.getType(), int64_t(lane) * rise->stride));
  return arith::AddIOp::create(b, loc, ofFirst, arith::MulIOp::create(b, loc, first(factor), lanes));
}

// One lane's address; all of them are strided.
Value Widener::address(Value pointer, const Rise &rise, unsigned lane) {
  if (lane == 0 || rise.stride == 0)
    return first(pointer);
  Value distance = arith::ConstantIntOp::create(b, loc, int64_t(lane) * rise.stride, 64);
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), first(pointer), ValueRange{distance});
}

Value Widener::laneOfParts(ArrayRef<Value> parts, Type type, unsigned lane) {
  if (!isa<VectorType>(type))
    return extract(parts[0], lane);
  SmallVector<Value> components;
  for (Value part : parts)
    components.push_back(extract(part, lane));
  return vector::FromElementsOp::create(b, loc, cast<VectorType>(type), components);
}

// ---- pieces of code -----------------------------------------------------------------------------------------------

unsigned Widener::componentCount(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? unsigned(vector.getNumElements()) : 1;
}

VectorType Widener::wide(Type part) const {
  return VectorType::get({int64_t(lanes_) * componentCount(part)}, getElementTypeOrSelf(part));
}

Value Widener::splat(Value scalar) {
  if (isa<LLVM::LLVMPointerType>(scalar.getType())) { // vector.broadcast takes numbers only
    Value zero = constant(b.getI64Type(), SmallVector<Attribute>(lanes_, b.getI64IntegerAttr(0)));
    return LLVM::GEPOp::create(b, loc, wide(scalar.getType()), b.getI8Type(), scalar, ValueRange{zero});
  }
  if (Attribute number; matchPattern(scalar, m_Constant(&number)) && isa<IntegerAttr, FloatAttr>(number))
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(wide(scalar.getType()), number));
  return vector::BroadcastOp::create(b, loc, wide(scalar.getType()), scalar);
}

Value Widener::constant(Type type, ArrayRef<Attribute> elements) {
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(VectorType::get(int64_t(elements.size()), type), elements));
}

Value Widener::poison(Type type) { return ub::PoisonOp::create(b, loc, type); }

Value Widener::extract(Value vector, unsigned lane) { return vector::ExtractOp::create(b, loc, vector, int64_t(lane)); }

Value Widener::insert(Value scalar, Value vector, unsigned lane) {
  return vector::InsertOp::create(b, loc, scalar, vector, int64_t(lane));
}

Value Widener::shuffle(Value a, Value other, ArrayRef<int64_t> order) {
  SmallVector<int32_t> narrow(order.begin(), order.end());
  return LLVM::ShuffleVectorOp::create(b, loc, a, other, narrow);
}

Value Widener::bits(Value mask) { return LLVM::BitcastOp::create(b, loc, b.getIntegerType(lanes_), mask); }
Value Widener::any(Value mask) {
  Value none = arith::ConstantIntOp::create(b, loc, 0, lanes_);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bits(mask), none);
}
Value Widener::all(Value mask) {
  Value everyone = arith::ConstantIntOp::create(b, loc, -1, lanes_);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits(mask), everyone);
}
// A select, since an inactive lane's condition may be poison: lanes that did not take a branch have no value of it.
Value Widener::both(Value mask, Value condition) {
  if (!mask)
    return condition;
  Value no = splat(arith::ConstantIntOp::create(b, loc, 0, 1));
  return arith::SelectOp::create(b, loc, mask, condition, no);
}
Value Widener::negated(Value mask) {
  Value yes = splat(arith::ConstantIntOp::create(b, loc, 1, 1));
  return arith::XOrIOp::create(b, loc, mask, yes);
}

// Pairs of vectors are joined, then pairs of pairs, and one shuffle puts them in order.
Value Widener::interleave(ArrayRef<Value> parts) {
  SmallVector<Value> joined(parts);
  unsigned count = unsigned(parts.size());
  while (!llvm::isPowerOf2_64(joined.size()))
    joined.push_back(poison(joined[0].getType()));
  int64_t length = lanes_;
  for (; joined.size() > 1; length *= 2) {
    SmallVector<int64_t> order(2 * length);
    for (int64_t at = 0; at < 2 * length; ++at)
      order[at] = at;
    SmallVector<Value> next;
    for (size_t at = 0; at < joined.size(); at += 2)
      next.push_back(shuffle(joined[at], joined[at + 1], order));
    joined = std::move(next);
  }
  SmallVector<int64_t> order;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    for (unsigned part = 0; part < count; ++part)
      order.push_back(int64_t(part) * lanes_ + lane);
  return shuffle(joined[0], joined[0], order);
}

Widener::Parts Widener::deinterleave(Value flat, unsigned count) {
  Parts parts;
  for (unsigned part = 0; part < count; ++part) {
    SmallVector<int64_t> order;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      order.push_back(int64_t(lane) * count + part);
    parts.push_back(shuffle(flat, flat, order));
  }
  return parts;
}

// ---- operations ---------------------------------------------------------------------------------------------------

void Widener::widenBlock(Block &block, Value mask) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    widenOperation(&op, mask);
    if (checksAssumptions_)
      expectRise(&op, mask);
    mayLeave_ = mayLeave_ && leavesNoTrace(&op);
    if (mayLeave_)
      proveEarly(&op);
  }
}

void Widener::widenOperation(Operation *op, Value mask) {
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && canBeLast(branch) && enterBranch(branch))
    return;
  if (op->getNumRegions()) {
    llvm::SaveAndRestore inside(mayLeave_, false);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return widenIf(branch, mask);
    return widenWhile(cast<scf::WhileOp>(op), mask);
  }
  if (auto load = dyn_cast<LLVM::LoadOp>(op); load && !load.getVolatile_())
    return widenLoad(load, mask);
  if (auto store = dyn_cast<LLVM::StoreOp>(op); store && !store.getVolatile_())
    return widenStore(store, mask);
  bool isQuery = isa<ocl::QueryOp, ocl::LinearQueryOp, wg::AddressOp, LLVM::AllocaOp>(op);
  bool keepsFirst = op->getNumResults() > 0 && llvm::all_of(op->getResults(), [&](Value v) { return hasFirst(v); });
  if (isQuery || isa<ocl::FenceOp>(op) || (keepsFirst && (isMemoryEffectFree(op) || isa<wg::ReadOp>(op))))
    return copyFirst(op, mask);
  if (isa<LLVM::DbgValueOp, LLVM::DbgDeclareOp>(op))
    return;
  if (widenVectorOperation(op))
    return;
  if (auto gep = dyn_cast<LLVM::GEPOp>(op); gep && isMemoryEffectFree(op))
    return; // addresses are computed where they are used
  if (isElementwise(op))
    return widenElementwise(op, mask);
  laneByLane(op, mask);
}

void Widener::copyFirst(Operation *op, Value mask) {
  IRMapping mapping;
  bool isUniform = true;
  for (Value operand : op->getOperands()) {
    mapping.map(operand, first(operand));
    isUniform &= shape(operand).isUniform();
  }
  // No lane that comes here has a negative number there, and for lane 0, which may be another, the least one would
  // trap.
  if (mask && !isUniform && isa<arith::DivSIOp, arith::RemSIOp>(op)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(op->getResult(0).getType(), 0));
    mapping.map(op->getOperand(0), arith::MaxSIOp::create(b, loc, first(op->getOperand(0)), zero));
  }
  if (shapes_.isKnownUnequal(op)) {
    const bool differs = cast<arith::CmpIOp>(op).getPredicate() == arith::CmpIPredicate::ne;
    return setFirst(op->getResult(0), arith::ConstantIntOp::create(b, loc, differs, 1));
  }
  if (mask && shapes_.reliesOnNoWrapFlag(op) && !isSkipped(Assumption::ActiveLane))
    return setFirst(op->getResult(0), extendedFromActive(op, mask));
  Operation *copy = b.clone(*op, mapping);
  // Lane 0 stands for the others here, and may be one of those that do not come here: what it never promised does not
  // hold of it.
  if (mask && !isUniform)
    dropPromises(copy);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
    setFirst(from, to);
}

// Computes lane 0's extended value as `ext(x0 + k * stride) - k * stride`, where k is the first active lane. Lane 0 may
// be inactive, and then its narrow value may have wrapped; the no-wrap flag covers lane k. If a guard of the operand
// fails, only an active lane 0 uses the result, and then k is 0.
Value Widener::extendedFromActive(Operation *extension, Value mask) {
  const int64_t stride = shape(extension->getOperand(0)).riseIfGuardsHold()->stride;
  Value active = math::CountTrailingZerosOp::create(b, loc, bits(mask));
  auto distance = [&](Type type) -> Value {
    Value lanes = active;
    if (isa<IndexType>(type))
      lanes = arith::IndexCastUIOp::create(b, loc, type, lanes);
    else if (const unsigned width = type.getIntOrFloatBitWidth(); width > lanes_)
      lanes = arith::ExtUIOp::create(b, loc, type, lanes);
    else if (width < lanes_)
      lanes = arith::TruncIOp::create(b, loc, type, lanes);
    APInt step(isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth(), uint64_t(stride), /*isSigned=*/true,
               /*implicitTrunc=*/true);
    return arith::MulIOp::create(b, loc, lanes, arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, step)));
  };
  Value narrow = extension->getOperand(0);
  IRMapping mapping;
  mapping.map(narrow, arith::AddIOp::create(b, loc, first(narrow), distance(narrow.getType())).getResult());
  Value wide = b.clone(*extension, mapping)->getResult(0);
  return arith::SubIOp::create(b, loc, wide, distance(wide.getType()));
}

// Numbers of 64 bits that are known to fit in 31: half as many vectors, and conversions that every processor has.
bool Widener::widenNarrowed(Operation *op) {
  auto isNarrow = [&](Value value) {
    return value.getType().isInteger(64) && shape(value).max() <= uint64_t(std::numeric_limits<int32_t>::max());
  };
  const bool converts = isa<arith::UIToFPOp, arith::SIToFPOp>(op);
  if ((!converts && !isa<arith::CmpIOp>(op)) || !llvm::all_of(op->getOperands(), isNarrow))
    return false;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    const LaneShape own = shape(operand);
    const std::optional<Rise> rise = isSkipped(Assumption::GuardedLanes) ? own.riseIfGuardsHold() : knownRise(own);
    if (!rise) {
      operands.push_back(arith::TruncIOp::create(b, loc, wide(b.getI32Type()), parts(operand)[0]));
      continue;
    }
    Value number = arith::TruncIOp::create(b, loc, b.getI32Type(), first(operand));
    operands.push_back(rise->stride == 0 ? splat(number) : rising(number, rise->stride));
  }
  if (converts)
    setParts(op->getResult(0), {arith::SIToFPOp::create(b, loc, wide(op->getResult(0).getType()), operands[0])});
  else
    setParts(op->getResult(0),
             {arith::CmpIOp::create(b, loc, cast<arith::CmpIOp>(op).getPredicate(), operands[0], operands[1])});
  return true;
}

// The divisor, and 1 in inactive lanes. The importer made each division total, but the branch that activates the lanes
// may have compared the same divisor, and then the canonicalizer removed the importer's comparison from it:
//
//   if (d == 0) q = 0; else q = n / (d == 0 ? 1 : d);   ==>   ... else q = n / d;
Value Widener::divisorUnder(Value mask, Value divisor) {
  auto type = cast<VectorType>(divisor.getType());
  Value one =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), 1)));
  return arith::SelectOp::create(b, loc, spread(mask, type.getNumElements() / lanes_), divisor, one);
}

// Flags hold for active lanes. An inactive lane with a flag would be poison, and so would the scalar that says whether
// any lane of a mask is set.
void Widener::widenElementwise(Operation *op, Value mask) {
  if (widenNarrowed(op))
    return;
  unsigned count = partCount(op->getResult(0).getType());
  SmallVector<Parts> results(op->getNumResults());
  for (unsigned part = 0; part < count; ++part) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      const Parts &own = parts(operand);
      operands.push_back(own.size() == 1 ? own[0] : own[part]);
    }
    if (mask && isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
        !matchPattern(op->getOperand(1), m_Constant()))
      operands[1] = divisorUnder(mask, operands[1]);
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(wide(partType(type)));
    Operation *made =
        b.insert(Operation::create(loc, op->getName(), types, operands,
                                   NamedAttrList(op->getDiscardableAttrDictionary()), op->getPropertiesStorage()));
    if (mask)
      dropPromises(made);
    for (auto [index, value] : llvm::enumerate(made->getResults()))
      results[index].push_back(value);
  }
  for (auto [value, own] : llvm::zip(op->getResults(), results))
    setParts(value, own);
}

// Has each component just been made of a number as wide as all of them.
static bool wasWide(Value components, Type whole) {
  Operation *op = components.getDefiningOp();
  return isa_and_nonnull<arith::TruncIOp, ocl::ConvertOp>(op) && isa<IntegerType>(getElementTypeOrSelf(components)) &&
         getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() >= whole.getIntOrFloatBitWidth();
}

// Components side by side in one number. Where they come from numbers of its width, they need not be narrowed for that.
Value Widener::packed(ArrayRef<Value> parts, Type to) {
  const unsigned bits = getElementTypeOrSelf(parts[0]).getIntOrFloatBitWidth();
  Value made;
  for (auto [at, part] : llvm::enumerate(parts)) {
    Value one = arith::ExtUIOp::create(b, loc, wide(to), part);
    if (at)
      one = arith::ShLIOp::create(b, loc, one,
                                  splat(arith::ConstantOp::create(b, loc, b.getIntegerAttr(to, int64_t(at * bits)))));
    made = made ? arith::OrIOp::create(b, loc, made, one).getResult() : one;
  }
  return made;
}

// What is done with the components of short vectors costs nothing, as they are apart.
bool Widener::widenVectorOperation(Operation *op) {
  auto staticAt = [](auto access) -> std::optional<int64_t> {
    if (!access.getDynamicPosition().empty() || access.getStaticPosition().size() != 1)
      return {};
    return access.getStaticPosition()[0];
  };
  if (auto access = dyn_cast<vector::ExtractOp>(op)) {
    if (const auto at = staticAt(access)) {
      setParts(access.getResult(), {parts(access.getSource())[size_t(*at)]});
    } else if (access.getDynamicPosition().size() == 1) {
      Value number = parts(access.getDynamicPosition()[0])[0];
      number = arith::IndexCastUIOp::create(b, loc, wide(b.getI32Type()), number);
      setParts(access.getResult(),
               {chooseByNumber(b, loc, llvm::to_vector_of<Value>(parts(access.getSource())), number)});
    } else {
      return false;
    }
  } else if (auto access = dyn_cast<vector::InsertOp>(op)) {
    const auto at = staticAt(access);
    if (!at)
      return false;
    Parts made = parts(access.getDest());
    made[size_t(*at)] = parts(access.getValueToStore())[0];
    setParts(access.getResult(), made);
  } else if (isa<vector::FromElementsOp>(op)) {
    Parts made;
    for (Value element : op->getOperands())
      made.push_back(parts(element)[0]);
    setParts(op->getResult(0), made);
  } else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    if (isa<VectorType>(broadcast.getSourceType()))
      return false;
    Value lanes = parts(broadcast.getSource())[0];
    const unsigned count = componentCount(broadcast.getType());
    setParts(broadcast.getResult(), isFlat_ ? Parts{spread(lanes, count)} : Parts(count, lanes));
  } else if (auto mix = dyn_cast<vector::ShuffleOp>(op)) {
    Parts all = parts(mix.getV1());
    llvm::append_range(all, Parts(parts(mix.getV2())));
    Parts made;
    for (int64_t at : mix.getMask())
      made.push_back(at < 0 ? poison(all[0].getType()) : all[size_t(at)]);
    setParts(mix.getResult(), made);
  } else if (isa<vector::BitCastOp, arith::BitcastOp, LLVM::BitcastOp>(op)) {
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    if (isFlat_) {
      setParts(op->getResult(0), {LLVM::BitcastOp::create(b, loc, wide(to), parts(op->getOperand(0))[0])});
      return true;
    }
    unsigned fromCount = partCount(from), toCount = partCount(to);
    if (fromCount == toCount)
      return false; // each by itself
    if (isa<LLVM::LLVMPointerType>(partType(from)) || isa<LLVM::LLVMPointerType>(partType(to)))
      return false;
    if (toCount == 1 && isa<IntegerType>(partType(to)) && wasWide(op->getOperand(0), partType(to))) {
      setParts(op->getResult(0), {packed(parts(op->getOperand(0)), partType(to))});
      return true;
    }
    Value flat = fromCount == 1 ? parts(op->getOperand(0))[0] : interleave(parts(op->getOperand(0)));
    auto flatType = VectorType::get({int64_t(toCount) * lanes_}, partType(to));
    flat = LLVM::BitcastOp::create(b, loc, flatType, flat);
    setParts(op->getResult(0), toCount == 1 ? Parts{flat} : deinterleave(flat, toCount));
  } else {
    return false;
  }
  return true;
}

// What has no form for vectors is done by each active lane in its turn.
void Widener::laneByLane(Operation *op, Value mask) {
  note("'" + op->getName().getStringRef() + "' is done by one work-item after the other");
  bool guarded = mask && !isMemoryEffectFree(op);
  SmallVector<Parts> results;
  for (Value result : op->getResults())
    results.emplace_back(partCount(result.getType()), poison(wide(partType(result.getType()))));
  SmallVector<Type> types(op->getResultTypes());
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    SmallVector<Value> values;
    auto copy = [&] {
      IRMapping mapping;
      for (Value operand : op->getOperands())
        mapping.map(operand, this->lane(operand, lane));
      Operation *made = b.clone(*op, mapping);
      if (mask && !guarded)
        dropPromises(made);
      values.assign(made->getResults().begin(), made->getResults().end());
    };
    if (!guarded) {
      copy();
    } else {
      auto branch = scf::IfOp::create(b, loc, types, extract(mask, lane), /*addThenBlock=*/true,
                                      /*addElseBlock=*/!types.empty());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      copy();
      scf::YieldOp::create(b, loc, values);
      if (!types.empty()) {
        b.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(b, loc, llvm::map_to_vector(types, [&](Type type) { return poison(type); }));
      }
      values.assign(branch.getResults().begin(), branch.getResults().end());
    }
    for (auto [value, own] : llvm::zip(values, results))
      for (auto [part, vector] : llvm::enumerate(own)) {
        Value scalar = isa<VectorType>(value.getType())
                           ? vector::ExtractOp::create(b, loc, value, int64_t(part)).getResult()
                           : value;
        vector = insert(scalar, vector, lane);
      }
  }
  for (auto [value, own] : llvm::zip(op->getResults(), results))
    setParts(value, own);
}

} // namespace kiln
