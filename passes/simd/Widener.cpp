#include "passes/simd/Widener.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/analysis/Constants.h"
#include "passes/ocl/LowerDynamicIndex.h"
#include "passes/simd/AosVectors.h"
#include "passes/simd/PoisonFlags.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace kiln {
namespace {
constexpr int64_t MaxScale = 8; // of an index in an x86 address
} // namespace

Widener::Widener(wg::ParallelOp from, const LaneShapes &shapes, const AccessGroups &groups, const Options &options,
                 Region &to)
    : from_(from), shapes_(shapes), groups_(groups), lanes_(options.lanes), vectorBits_(options.vectorBits),
      maskElementBits_(options.maskElementBits), permuteTableSize_(options.permuteTableSize), isAos_(options.isAos),
      checksAssumptions_(options.checksAssumptions), skipped_(options.skipped), to_(to),
      layout_(DataLayout::closest(from)), b(from.getContext()), loc(from.getLoc()) {}

void Widener::run(Widener *conservative) {
  b.createBlock(&to_);
  Value maskSlot = from_.getMask();
  if (!maskSlot) {
    Progress progress = emitBody();
    if (conservative && progress.done)
      progress = conservative->emitFallbackBody(b, progress);
    if (progress.done)
      wg::YieldOp::create(b, loc, progress.done, progress.more);
    else
      wg::YieldOp::create(b, loc);
    return;
  }
  canFallBack_ = false;
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

Value Widener::lane0(Value value) {
  if (!from_.getBody().isAncestor(value.getParentRegion()))
    return value;
  return values_.find(value)->second.lane0;
}

// Emitted after lane 0's value, so that it dominates every use. A varying address is computed at each use instead.
const Widener::Vectors &Widener::vectors(Value value) {
  if (LaneValues &known = values_[value]; !known.vectors.empty())
    return known.vectors;
  if (!hasLane0(value)) {
    lastAddress_ = {widenCopy(value.getDefiningOp())};
    return lastAddress_;
  }
  OpBuilder::InsertionGuard guard(b);
  Value scalar = lane0(value);
  if (!to_.isAncestor(scalar.getParentRegion()))
    b.setInsertionPointToStart(&to_.front());
  else
    b.setInsertionPointAfterValue(scalar);
  Vectors made = stridedVectors(value, scalar, shape(value));
  return values_[value].vectors = std::move(made);
}

// `kept`: all uses share the copy. Otherwise it is emitted here, together with its operands that have guards. The copy
// has no poison-generating flags: it may run before the branch that makes lanes active.
Value Widener::widenCopy(Operation *op, bool kept) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isa<LLVM::GEPOp>(op) && shape(operand).isUniform())
      operands.push_back(lane0(operand));
    else
      operands.push_back(kept ? Value(vectors(operand)[0]) : recomputeHere(operand));
  }
  Operation *copy =
      b.insert(Operation::create(loc, op->getName(), wide(op->getResult(0).getType()), operands,
                                 NamedAttrList(op->getDiscardableAttrDictionary()), op->getPropertiesStorage()));
  dropPoisonGeneratingFlags(copy);
  return copy->getResult(0);
}

// Computes each lane's value without guards, for the path on which a check fails. A value that loops and branches carry
// has its lanes already.
Value Widener::recomputeHere(Value value) {
  if (!hasLane0(value) || shape(value).isStridedAlways() || !value.getDefiningOp() || hasVectors(value))
    return vectors(value)[0];
  return widenCopy(value.getDefiningOp(), /*kept=*/false);
}

Widener::Vectors Widener::splatVectors(Value uniform) {
  auto vector = dyn_cast<VectorType>(uniform.getType());
  if (!vector)
    return {splat(uniform)};
  const int64_t count = vector.getNumElements();
  if (isAos_) {
    SmallVector<int64_t> order;
    for (int64_t element = 0; element < count * lanes_; ++element)
      order.push_back(element % count);
    return {shuffle(uniform, uniform, order)};
  }
  Vectors made;
  for (int64_t component = 0; component < count; ++component)
    made.push_back(splat(vector::ExtractOp::create(b, loc, uniform, component)));
  return made;
}

Widener::Vectors Widener::stridedVectors(Value value, Value lane0, const LaneShape &shape) {
  const std::optional<StrideInfo> info = knownStrideInfo(shape);
  if (!info) // the guards may fail: each lane computes its value
    return {widenCopy(value.getDefiningOp())};
  if (info->stride == 0 || isa<VectorType>(value.getType()))
    return splatVectors(lane0);
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return {stepAddresses(lane0, info->stride)};
  return {stepVector(lane0, info->stride)};
}

// The stride, if it has no guards, or only guards that hold in the rest of the body.
std::optional<StrideInfo> Widener::knownStrideInfo(const LaneShape &shape) const { return shape.strideInfo(passed_); }

Value Widener::stepAddresses(Value lane0, int64_t stride) {
  SmallVector<Attribute> steps;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    steps.push_back(b.getI64IntegerAttr(int64_t(lane) * stride));
  Value offsets = constant(b.getI64Type(), steps);
  return LLVM::GEPOp::create(b, loc, wide(lane0.getType()), b.getI8Type(), lane0, ValueRange{offsets});
}

Value Widener::stepVector(Value lane0, int64_t stride) {
  Type type = lane0.getType();
  SmallVector<Attribute> steps;
  const unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  for (unsigned lane = 0; lane < lanes_; ++lane)
    steps.push_back(IntegerAttr::get(type, APInt(width, uint64_t(int64_t(lane) * stride), true, true)));
  return arith::AddIOp::create(b, loc, splat(lane0), constant(type, steps));
}

// One lane's value, at the insertion point.
Value Widener::lane(Value value, unsigned lane) {
  LaneShape known = shape(value);
  if (known.isUniform() || (lane == 0 && known.isStrided()))
    return lane0(value);
  if (const std::optional<StrideInfo> info = knownStrideInfo(known)) {
    if (info->stride == 0)
      return lane0(value);
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      return address(value, *info, lane);
    Value step = arith::ConstantOp::create(b, loc, b.getIntegerAttr(value.getType(), int64_t(lane) * info->stride));
    return arith::AddIOp::create(b, loc, lane0(value), step);
  }
  auto product = value.getDefiningOp<arith::MulIOp>();
  if (product && !known.isStrided())
    if (Value number = laneOfMultiple(product, lane))
      return number;
  // An address is computed from the lane's narrow indices: x86 addressing modes scale them and add them to the base for
  // free.
  Operation *op = value.getDefiningOp();
  auto widens = [](Operation *one) { return isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(one); };
  const auto by = product ? constantOf(product.getRhs()) : std::nullopt;
  const bool isMultiple =
      by && *by > 0 && *by <= MaxScale && llvm::isPowerOf2_64(*by) && widens(product.getLhs().getDefiningOp());
  if (op && (widens(op) || isMultiple || !hasVectors(value))) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, this->lane(operand, lane));
    return b.clone(*op, mapping)->getResult(0);
  }
  return laneOfVectors(vectors(value), value.getType(), lane);
}

// One lane of a strided value times a uniform factor: lane 0's product plus `factor * lane * stride`. Null for other
// products.
Value Widener::laneOfMultiple(arith::MulIOp product, unsigned lane) {
  Value strided = product.getLhs(), factor = product.getRhs();
  if (shape(strided).isUniform())
    std::swap(strided, factor);
  const std::optional<StrideInfo> info = knownStrideInfo(shape(strided));
  if (!info || !shape(factor).isUniform())
    return {};
  Value ofLane0 = arith::MulIOp::create(b, loc, lane0(strided), lane0(factor));
  Value lanes = arith::ConstantOp::create(b, loc, b.getIntegerAttr(factor.getType(), int64_t(lane) * info->stride));
  return arith::AddIOp::create(b, loc, ofLane0, arith::MulIOp::create(b, loc, lane0(factor), lanes));
}

// One lane of strided addresses.
Value Widener::address(Value pointer, const StrideInfo &info, unsigned lane) {
  if (lane == 0 || info.stride == 0)
    return lane0(pointer);
  Value distance = arith::ConstantIntOp::create(b, loc, int64_t(lane) * info.stride, 64);
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), lane0(pointer), ValueRange{distance});
}

Value Widener::laneOfVectors(ArrayRef<Value> vectors, Type type, unsigned lane) {
  if (!isa<VectorType>(type))
    return extract(vectors[0], lane);
  SmallVector<Value> components;
  for (Value vector : vectors)
    components.push_back(extract(vector, lane));
  return vector::FromElementsOp::create(b, loc, cast<VectorType>(type), components);
}

// ---- building blocks ----------------------------------------------------------------------------------------------

unsigned Widener::componentCount(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? unsigned(vector.getNumElements()) : 1;
}

VectorType Widener::wide(Type type) const {
  return VectorType::get({int64_t(lanes_) * componentCount(type)}, getElementTypeOrSelf(type));
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
  Value everyLane = arith::ConstantIntOp::create(b, loc, -1, lanes_);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits(mask), everyLane);
}
// A select, because an inactive lane's condition may be poison: the results of a branch that the lane did not take.
Value Widener::andMask(Value mask, Value condition) {
  if (!mask)
    return condition;
  Value no = splat(arith::ConstantIntOp::create(b, loc, 0, 1));
  return arith::SelectOp::create(b, loc, mask, condition, no);
}
Value Widener::notMask(Value mask) {
  Value yes = splat(arith::ConstantIntOp::create(b, loc, 1, 1));
  return arith::XOrIOp::create(b, loc, mask, yes);
}

// Joins pairs of vectors, then pairs of pairs, and orders the elements by one shuffle.
Value Widener::interleave(ArrayRef<Value> vectors) {
  SmallVector<Value> joined(vectors);
  unsigned count = unsigned(vectors.size());
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
    for (unsigned component = 0; component < count; ++component)
      order.push_back(int64_t(component) * lanes_ + lane);
  return shuffle(joined[0], joined[0], order);
}

Widener::Vectors Widener::deinterleave(Value interleaved, unsigned count) {
  Vectors vectors;
  for (unsigned component = 0; component < count; ++component) {
    SmallVector<int64_t> order;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      order.push_back(int64_t(lane) * count + component);
    vectors.push_back(shuffle(interleaved, interleaved, order));
  }
  return vectors;
}

// ---- operations ---------------------------------------------------------------------------------------------------

void Widener::widenBlock(Block &block, Value mask) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    widenOperation(&op, mask);
    if (checksAssumptions_)
      expectStrides(&op, mask);
    canFallBack_ = canFallBack_ && isRepeatable(&op);
    if (canFallBack_)
      proveEarly(&op);
  }
}

void Widener::widenOperation(Operation *op, Value mask) {
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && enclosesRestOfBody(branch) && enterGuard(branch))
    return;
  if (op->getNumRegions()) {
    llvm::SaveAndRestore inside(canFallBack_, false);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return widenIf(branch, mask);
    return widenWhile(cast<scf::WhileOp>(op), mask);
  }
  if (auto load = dyn_cast<LLVM::LoadOp>(op); load && !load.getVolatile_())
    return widenLoad(load, mask);
  if (auto store = dyn_cast<LLVM::StoreOp>(op); store && !store.getVolatile_())
    return widenStore(store, mask);
  bool isQuery = isa<ocl::QueryOp, ocl::LinearQueryOp, wg::AddressOp, LLVM::AllocaOp>(op);
  bool keepsLane0 = op->getNumResults() > 0 && llvm::all_of(op->getResults(), [&](Value v) { return hasLane0(v); });
  if (isQuery || isa<ocl::FenceOp>(op) || (keepsLane0 && (isMemoryEffectFree(op) || isa<wg::ReadOp>(op))))
    return copyForLane0(op, mask);
  if (isa<LLVM::DbgValueOp, LLVM::DbgDeclareOp>(op))
    return;
  if (widenVectorOperation(op))
    return;
  if (auto gep = dyn_cast<LLVM::GEPOp>(op); gep && isMemoryEffectFree(op))
    return; // addresses are computed where they are used
  if (isElementwise(op))
    return widenElementwise(op, mask);
  scalarize(op, mask);
}

void Widener::copyForLane0(Operation *op, Value mask) {
  IRMapping mapping;
  bool isUniform = true;
  for (Value operand : op->getOperands()) {
    mapping.map(operand, lane0(operand));
    isUniform &= shape(operand).isUniform();
  }
  // No active lane has a negative dividend. Lane 0 may be inactive: INT_MIN / -1 would trap.
  if (mask && !isUniform && isa<arith::DivSIOp, arith::RemSIOp>(op)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(op->getResult(0).getType(), 0));
    mapping.map(op->getOperand(0), arith::MaxSIOp::create(b, loc, lane0(op->getOperand(0)), zero));
  }
  if (shapes_.isKnownUnequal(op)) {
    const bool differs = cast<arith::CmpIOp>(op).getPredicate() == arith::CmpIPredicate::ne;
    return setLane0(op->getResult(0), arith::ConstantIntOp::create(b, loc, differs, 1));
  }
  if (mask && shapes_.reliesOnNoWrapFlag(op) && !isSkipped(Assumption::ActiveLane))
    return setLane0(op->getResult(0), extendViaActiveLane(op, mask));
  Operation *copy = b.clone(*op, mapping);
  // Lane 0 may be inactive, and the flags hold for active lanes only.
  if (mask && !isUniform)
    dropPoisonGeneratingFlags(copy);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
    setLane0(from, to);
}

// Computes lane 0's extended value as `ext(x0 + k * stride) - k * stride`, where k is the first active lane. Lane 0 may
// be inactive, and then its narrow value may have wrapped; the no-wrap flag covers lane k. If a guard of the operand
// fails, only an active lane 0 uses the result, and then k is 0.
Value Widener::extendViaActiveLane(Operation *extension, Value mask) {
  const int64_t stride = shape(extension->getOperand(0)).strideInfoIfGuardsHold()->stride;
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
  mapping.map(narrow, arith::AddIOp::create(b, loc, lane0(narrow), distance(narrow.getType())).getResult());
  Value wide = b.clone(*extension, mapping)->getResult(0);
  return arith::SubIOp::create(b, loc, wide, distance(wide.getType()));
}

// Compares and converts 64-bit integers that fit 31 bits as 32-bit ones: half as many vectors, and SSE2 and AVX2 have
// conversions to floating point for 32 bits only.
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
    const std::optional<StrideInfo> info =
        isSkipped(Assumption::GuardedLanes) ? own.strideInfoIfGuardsHold() : knownStrideInfo(own);
    if (!info) {
      operands.push_back(arith::TruncIOp::create(b, loc, wide(b.getI32Type()), vectors(operand)[0]));
      continue;
    }
    Value number = arith::TruncIOp::create(b, loc, b.getI32Type(), lane0(operand));
    operands.push_back(info->stride == 0 ? splat(number) : stepVector(number, info->stride));
  }
  if (converts)
    setVectors(op->getResult(0), {arith::SIToFPOp::create(b, loc, wide(op->getResult(0).getType()), operands[0])});
  else
    setVectors(op->getResult(0),
               {arith::CmpIOp::create(b, loc, cast<arith::CmpIOp>(op).getPredicate(), operands[0], operands[1])});
  return true;
}

// Returns the divisor with 1 in inactive lanes, where a division may not trap. The importer makes each division total,
// but the canonicalizer removes its comparison inside a branch that has compared the same divisor:
//
//   if (d == 0) q = 0; else q = n / (d == 0 ? 1 : d);   ==>   ... else q = n / d;
Value Widener::maskedDivisor(Value mask, Value divisor) {
  auto type = cast<VectorType>(divisor.getType());
  Value one =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, b.getIntegerAttr(type.getElementType(), 1)));
  return arith::SelectOp::create(b, loc, repeatLanes(mask, type.getNumElements() / lanes_), divisor, one);
}

// Under a mask, drops poison-generating flags: they hold for active lanes only. A poison lane of a condition would make
// `any(mask)` poison.
void Widener::widenElementwise(Operation *op, Value mask) {
  if (widenNarrowed(op))
    return;
  unsigned count = vectorCount(op->getResult(0).getType());
  SmallVector<Vectors> results(op->getNumResults());
  for (unsigned component = 0; component < count; ++component) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      const Vectors &own = vectors(operand);
      operands.push_back(own.size() == 1 ? own[0] : own[component]);
    }
    if (mask && isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
        !matchPattern(op->getOperand(1), m_Constant()))
      operands[1] = maskedDivisor(mask, operands[1]);
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(wide(laneType(type)));
    Operation *made =
        b.insert(Operation::create(loc, op->getName(), types, operands,
                                   NamedAttrList(op->getDiscardableAttrDictionary()), op->getPropertiesStorage()));
    if (mask)
      dropPoisonGeneratingFlags(made);
    for (auto [index, value] : llvm::enumerate(made->getResults()))
      results[index].push_back(value);
  }
  for (auto [value, own] : llvm::zip(op->getResults(), results))
    setVectors(value, own);
}

// Returns true if each component was truncated from an integer at least as wide as `whole`.
static bool isTruncatedFrom(Value components, Type whole) {
  Operation *op = components.getDefiningOp();
  return isa_and_nonnull<arith::TruncIOp, ocl::ConvertOp>(op) && isa<IntegerType>(getElementTypeOrSelf(components)) &&
         getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() >= whole.getIntOrFloatBitWidth();
}

// Packs components into one integer by shifts and ors. LLVM folds the extension of a component with its truncation.
Value Widener::packed(ArrayRef<Value> vectors, Type to) {
  const unsigned bits = getElementTypeOrSelf(vectors[0]).getIntOrFloatBitWidth();
  Value made;
  for (auto [at, vector] : llvm::enumerate(vectors)) {
    Value one = arith::ExtUIOp::create(b, loc, wide(to), vector);
    if (at)
      one = arith::ShLIOp::create(b, loc, one,
                                  splat(arith::ConstantOp::create(b, loc, b.getIntegerAttr(to, int64_t(at * bits)))));
    made = made ? arith::OrIOp::create(b, loc, made, one).getResult() : one;
  }
  return made;
}

// Operations that only move the components of short vectors emit no code in the SoA form.
bool Widener::widenVectorOperation(Operation *op) {
  auto staticAt = [](auto access) -> std::optional<int64_t> {
    if (!access.getDynamicPosition().empty() || access.getStaticPosition().size() != 1)
      return {};
    return access.getStaticPosition()[0];
  };
  if (auto access = dyn_cast<vector::ExtractOp>(op)) {
    if (const auto at = staticAt(access)) {
      setVectors(access.getResult(), {vectors(access.getSource())[size_t(*at)]});
    } else if (access.getDynamicPosition().size() == 1) {
      Value number = vectors(access.getDynamicPosition()[0])[0];
      number = arith::IndexCastUIOp::create(b, loc, wide(b.getI32Type()), number);
      setVectors(access.getResult(),
                 {selectByIndex(b, loc, llvm::to_vector_of<Value>(vectors(access.getSource())), number)});
    } else {
      return false;
    }
  } else if (auto access = dyn_cast<vector::InsertOp>(op)) {
    const auto at = staticAt(access);
    if (!at)
      return false;
    Vectors made = vectors(access.getDest());
    made[size_t(*at)] = vectors(access.getValueToStore())[0];
    setVectors(access.getResult(), made);
  } else if (isa<vector::FromElementsOp>(op)) {
    Vectors made;
    for (Value element : op->getOperands())
      made.push_back(vectors(element)[0]);
    setVectors(op->getResult(0), made);
  } else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    if (isa<VectorType>(broadcast.getSourceType()))
      return false;
    Value lanes = vectors(broadcast.getSource())[0];
    const unsigned count = componentCount(broadcast.getType());
    setVectors(broadcast.getResult(), isAos_ ? Vectors{repeatLanes(lanes, count)} : Vectors(count, lanes));
  } else if (auto mix = dyn_cast<vector::ShuffleOp>(op)) {
    Vectors all = vectors(mix.getV1());
    llvm::append_range(all, Vectors(vectors(mix.getV2())));
    Vectors made;
    for (int64_t at : mix.getMask())
      made.push_back(at < 0 ? poison(all[0].getType()) : all[size_t(at)]);
    setVectors(mix.getResult(), made);
  } else if (isa<vector::BitCastOp, arith::BitcastOp, LLVM::BitcastOp>(op)) {
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    if (isAos_) {
      setVectors(op->getResult(0), {LLVM::BitcastOp::create(b, loc, wide(to), vectors(op->getOperand(0))[0])});
      return true;
    }
    unsigned fromCount = vectorCount(from), toCount = vectorCount(to);
    if (fromCount == toCount)
      return false; // element-wise
    if (isa<LLVM::LLVMPointerType>(laneType(from)) || isa<LLVM::LLVMPointerType>(laneType(to)))
      return false;
    if (toCount == 1 && isa<IntegerType>(laneType(to)) && isTruncatedFrom(op->getOperand(0), laneType(to))) {
      setVectors(op->getResult(0), {packed(vectors(op->getOperand(0)), laneType(to))});
      return true;
    }
    Value interleaved = fromCount == 1 ? vectors(op->getOperand(0))[0] : interleave(vectors(op->getOperand(0)));
    auto interleavedType = VectorType::get({int64_t(toCount) * lanes_}, laneType(to));
    interleaved = LLVM::BitcastOp::create(b, loc, interleavedType, interleaved);
    setVectors(op->getResult(0), toCount == 1 ? Vectors{interleaved} : deinterleave(interleaved, toCount));
  } else {
    return false;
  }
  return true;
}

// Emits one scalar operation per active lane, in the order of the lanes.
void Widener::scalarize(Operation *op, Value mask) {
  note("'" + op->getName().getStringRef() + "' is scalarized: it has no vector form");
  bool guarded = mask && !isMemoryEffectFree(op);
  SmallVector<Vectors> results;
  for (Value result : op->getResults())
    results.emplace_back(vectorCount(result.getType()), poison(wide(laneType(result.getType()))));
  SmallVector<Type> types(op->getResultTypes());
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    SmallVector<Value> values;
    auto copy = [&] {
      IRMapping mapping;
      for (Value operand : op->getOperands())
        mapping.map(operand, this->lane(operand, lane));
      Operation *made = b.clone(*op, mapping);
      if (mask && !guarded)
        dropPoisonGeneratingFlags(made);
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
      for (auto [component, vector] : llvm::enumerate(own)) {
        Value scalar = isa<VectorType>(value.getType())
                           ? vector::ExtractOp::create(b, loc, value, int64_t(component)).getResult()
                           : value;
        vector = insert(scalar, vector, lane);
      }
  }
  for (auto [value, own] : llvm::zip(op->getResults(), results))
    setVectors(value, own);
}

} // namespace kiln
