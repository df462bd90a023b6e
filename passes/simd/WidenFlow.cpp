// Branches and loops. A uniform condition stays a branch. For a varying one, both sides run one after the other,
// each under the mask of the lanes that take it.
#include "dialects/ocl/UnrollHint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/analysis/Size.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {
namespace {

// Up to this many operations are speculated: they cost less than a branch.
constexpr unsigned MaxSpeculatedOps = 12;
// Operations of a region that may be emitted twice, without and with a mask.
constexpr unsigned MaxDuplicatedOps = 150;

// Returns true if inactive lanes may execute the region, and that is cheaper than a branch.
bool isWorthSpeculating(Region &region) {
  unsigned count = 0;
  for (Operation &op : region.front().without_terminator())
    if (op.getNumRegions() || !isMemoryEffectFree(&op) || !isSpeculatable(&op) || ++count > MaxSpeculatedOps)
      return false;
  return true;
}

} // namespace

// ---- values that branches and loops carry -------------------------------------------------------------------------

// Without mask registers, masks are carried as wider integers (0 or -1): AVX2 would pack and unpack a vector of i1 in
// each iteration.
Type Widener::maskIntegerType(Type type) {
  if (!getElementTypeOrSelf(type).isInteger(1) || maskElementBits_ == 1)
    return type;
  Type flag = b.getIntegerType(maskElementBits_);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(flag)) : flag;
}

Widener::Carried Widener::carriedAs(Value value) const {
  if (!hasLane0(value))
    return Carried::Lanes;
  return knownStrideInfo(shape(value)) ? Carried::Lane0 : Carried::Both;
}

SmallVector<Type> Widener::carriedTypes(Type type, Carried as) {
  SmallVector<Type> types;
  if (as != Carried::Lanes)
    types.push_back(type);
  if (as != Carried::Lane0)
    types.append(vectorCount(type), wide(maskIntegerType(laneType(type))));
  return types;
}

Value Widener::toMaskInteger(Value vector) {
  Type carried = maskIntegerType(vector.getType());
  return carried == vector.getType() ? vector : arith::ExtSIOp::create(b, loc, carried, vector).getResult();
}

Value Widener::fromMaskInteger(Value vector, Type laneType) {
  if (vector.getType() == wide(laneType))
    return vector;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vector.getType()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, vector, zero);
}

void Widener::appendLaneValues(Value value, Carried as, Vectors &to) {
  if (as != Carried::Lanes)
    to.push_back(lane0(value));
  if (as != Carried::Lane0)
    for (Value vector : Vectors(vectors(value)))
      to.push_back(toMaskInteger(vector));
}

Widener::Vectors Widener::takeVectors(Type type, ArrayRef<Value> &from) {
  Vectors own;
  for (unsigned component = 0; component < vectorCount(type); ++component)
    own.push_back(fromMaskInteger(from[component], laneType(type)));
  from = from.drop_front(own.size());
  return own;
}

void Widener::bindLaneValues(Value value, Carried as, ArrayRef<Value> &from) {
  LaneValues &bound = values_[value] = {};
  if (as != Carried::Lanes) {
    bound.lane0 = from.front();
    from = from.drop_front();
  }
  if (as != Carried::Lane0)
    bound.vectors = takeVectors(value.getType(), from);
}

// ---- branches -----------------------------------------------------------------------------------------------------

void Widener::widenIf(scf::IfOp op, Value mask) {
  if (shape(op.getCondition()).isUniform())
    return widenUniformIf(op, mask);
  std::optional<EndLaneResult> known = mask ? std::nullopt : evaluateAtEndLanes(op.getCondition());
  Value condition = vectors(op.getCondition())[0];
  bool isCheap =
      isWorthSpeculating(op.getThenRegion()) && (op.getElseRegion().empty() || isWorthSpeculating(op.getElseRegion()));
  unsigned size = operationsIn(op.getThenRegion());
  bool hasElse = !op.getElseRegion().empty() && !op.elseBlock()->without_terminator().empty();
  if (mask || isCheap || hasElse || duplicatedOps_ + size > MaxDuplicatedOps)
    return widenSelect(op, condition, mask);

  // A vector whose lanes all take the branch runs a copy without a mask.
  duplicatedOps_ += size;
  Value allTake = known ? known->all : all(condition), anyTakes = known && known->any ? known->any : any(condition);
  SmallVector<Type> types;
  for (Value result : op.getResults())
    llvm::append_range(types, carriedTypes(result.getType(), Carried::Lanes));
  auto branch = scf::IfOp::create(b, loc, types, allTake, /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    DenseMap<Value, LaneValues> before = values_;
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, branchValues(op.getThenRegion(), {}, op.getResults()));
    values_ = std::move(before);
    b.setInsertionPointToStart(branch.elseBlock());
    widenSelect(op, condition, mask, anyTakes);
    Vectors values;
    for (Value result : op.getResults())
      appendLaneValues(result, Carried::Lanes, values);
    scf::YieldOp::create(b, loc, values);
  }
  SmallVector<Value> values(branch.getResults());
  ArrayRef<Value> next = values;
  for (Value result : op.getResults())
    bindLaneValues(result, Carried::Lanes, next);
}

Widener::Vectors Widener::branchValues(Region &region, Value mask, ResultRange results) {
  Vectors values;
  if (region.empty())
    return values;
  widenBlock(region.front(), mask);
  for (auto [value, result] : llvm::zip(region.front().getTerminator()->getOperands(), results))
    appendLaneValues(value, carriedAs(result), values);
  return values;
}

void Widener::widenUniformIf(scf::IfOp op, Value mask) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    llvm::append_range(types, carriedTypes(result.getType(), carriedAs(result)));
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, loc, types, lane0(op.getCondition()), /*addThenBlock=*/true, hasElse);
  {
    OpBuilder::InsertionGuard guard(b);
    for (auto [from, to] :
         {std::pair(&op.getThenRegion(), &branch.getThenRegion()), {&op.getElseRegion(), &branch.getElseRegion()}}) {
      if (to->empty())
        continue;
      b.setInsertionPointToStart(&to->front());
      Vectors values = branchValues(*from, mask, op.getResults());
      scf::YieldOp::create(b, loc, values);
    }
  }
  SmallVector<Value> values(branch.getResults());
  ArrayRef<Value> next = values;
  for (Value result : op.getResults())
    bindLaneValues(result, carriedAs(result), next);
}

// Runs both sides under masks, and selects each lane's results.
void Widener::widenSelect(scf::IfOp op, Value condition, Value mask, Value anyTakes) {
  auto side = [&](Region &region, Value takes, Value anyTakes) {
    SmallVector<Vectors> values;
    if (region.empty())
      return values;
    SmallVector<Type> types;
    for (Value result : op.getResults())
      llvm::append_range(types, carriedTypes(result.getType(), Carried::Lanes));
    auto collect = [&] {
      Vectors all;
      for (Value value : region.front().getTerminator()->getOperands())
        appendLaneValues(value, Carried::Lanes, all);
      return all;
    };
    if (region.front().without_terminator().empty() || isWorthSpeculating(region)) {
      widenBlock(region.front(), takes);
      for (Value value : region.front().getTerminator()->getOperands())
        values.push_back(vectors(value));
      return values;
    }
    SmallVector<Value> all;
    {
      if (!anyTakes)
        anyTakes = any(takes);
      auto branch = scf::IfOp::create(b, loc, types, anyTakes, /*addThenBlock=*/true, /*addElseBlock=*/!types.empty());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      widenBlock(region.front(), takes);
      scf::YieldOp::create(b, loc, collect());
      if (!types.empty()) {
        b.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(b, loc, llvm::map_to_vector(types, [&](Type type) { return poison(type); }));
      }
      all.assign(branch.getResults().begin(), branch.getResults().end());
    }
    ArrayRef<Value> next = all;
    for (Value result : op.getResults())
      values.push_back(takeVectors(result.getType(), next));
    return values;
  };
  SmallVector<Vectors> yes = side(op.getThenRegion(), andMask(mask, condition), anyTakes);
  SmallVector<Vectors> no = side(op.getElseRegion(), andMask(mask, notMask(condition)), {});
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    Vectors own;
    for (auto [a, other] : llvm::zip(yes[index], no[index]))
      own.push_back(a == other ? a : arith::SelectOp::create(b, loc, condition, a, other).getResult());
    setVectors(result, own);
  }
}

// ---- loops --------------------------------------------------------------------------------------------------------

// Returns true for grid-stride loops, `for (i = id; i < n; i += size)`: in almost all iterations every lane is active.
bool Widener::canRunUnmasked(scf::WhileOp op) const {
  return isDecidedByEndLanes(op.getConditionOp().getCondition()) &&
         duplicatedOps_ + operationsIn(op) <= MaxDuplicatedOps &&
         llvm::all_of(op.getBeforeBody()->without_terminator(), [](Operation &inner) { return isRepeatable(&inner); });
}

// Emits a loop over the iterations that all lanes execute, without a mask. Returns the values that it carries at its
// end, where the masked loop starts.
Widener::Vectors Widener::emitUnmaskedLoop(scf::WhileOp op, Vectors inits) {
  duplicatedOps_ += operationsIn(op);
  scf::ConditionOp condition = op.getConditionOp();
  const SmallVector<Type> carried = llvm::map_to_vector(inits, [](Value value) { return value.getType(); });
  SmallVector<Type> forwarded = carried;
  for (Value argument : op.getAfterArguments())
    llvm::append_range(forwarded, carriedTypes(argument.getType(), carriedAs(argument)));

  auto loop = scf::WhileOp::create(b, loc, forwarded, inits);
  ocl::keepUnrollHint(op, loop);
  OpBuilder::InsertionGuard guard(b);
  DenseMap<Value, LaneValues> outside = values_;
  Block *before = b.createBlock(&loop.getBefore(), {}, carried, SmallVector<Location>(carried.size(), loc));
  SmallVector<Value> arguments(before->getArguments().begin(), before->getArguments().end());
  ArrayRef<Value> next = arguments;
  for (Value argument : op.getBeforeArguments())
    bindLaneValues(argument, carriedAs(argument), next);
  widenBlock(*op.getBeforeBody(), {});
  loc = op.getLoc();
  Vectors values(arguments.begin(), arguments.end());
  for (auto [value, argument] : llvm::zip(condition.getArgs(), op.getAfterArguments()))
    appendLaneValues(value, carriedAs(argument), values);
  scf::ConditionOp::create(b, loc, evaluateAtEndLanes(condition.getCondition())->all, values);

  Block *after = b.createBlock(&loop.getAfter(), {}, forwarded, SmallVector<Location>(forwarded.size(), loc));
  arguments.assign(after->getArguments().begin(), after->getArguments().end());
  next = ArrayRef<Value>(arguments).drop_front(carried.size());
  for (Value argument : op.getAfterArguments())
    bindLaneValues(argument, carriedAs(argument), next);
  widenBlock(*op.getAfterBody(), {});
  loc = op.getLoc();
  Vectors again;
  for (auto [value, argument] : llvm::zip(op.getYieldOp().getOperands(), op.getBeforeArguments()))
    appendLaneValues(value, carriedAs(argument), again);
  scf::YieldOp::create(b, loc, again);
  values_ = std::move(outside);
  return Vectors(loop.getResults().take_front(carried.size()));
}

// A divergent loop runs until all lanes have left; those that have are inactive. A result that is used after the loop
// is blended: each lane keeps its value from the iteration in which it left. Other values of inactive lanes are unused.
void Widener::widenWhile(scf::WhileOp op, Value mask) {
  scf::ConditionOp condition = op.getConditionOp();
  bool isUniform = shape(condition.getCondition()).isUniform();
  auto add = [](SmallVector<Type> &types, SmallVector<Type> more) { llvm::append_range(types, more); };

  Vectors inits;
  SmallVector<Type> carried, forwarded;
  for (auto [init, argument] : llvm::zip(op.getInits(), op.getBeforeArguments())) {
    appendLaneValues(init, carriedAs(argument), inits);
    add(carried, carriedTypes(argument.getType(), carriedAs(argument)));
  }
  for (Value argument : op.getAfterArguments())
    add(forwarded, carriedTypes(argument.getType(), carriedAs(argument)));
  if (!isUniform && !mask && canRunUnmasked(op))
    inits = emitUnmaskedLoop(op, inits);
  SmallVector<unsigned> kept; // results that have uses
  for (auto [index, result] : llvm::enumerate(op.getResults()))
    if (!result.use_empty()) {
      kept.push_back(unsigned(index));
      if (isUniform) {
        add(forwarded, carriedTypes(result.getType(), carriedAs(result)));
      } else {
        for (Type type : carriedTypes(result.getType(), Carried::Lanes)) {
          inits.push_back(poison(type));
          carried.push_back(type), forwarded.push_back(type);
        }
      }
    }
  if (!isUniform) {
    Value active = mask ? mask : splat(arith::ConstantIntOp::create(b, loc, 1, 1));
    inits.push_back(toMaskInteger(active));
    carried.push_back(inits.back().getType()), forwarded.push_back(inits.back().getType());
  }

  auto loop = scf::WhileOp::create(b, loc, forwarded, inits);
  ocl::keepUnrollHint(op, loop);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, carried, SmallVector<Location>(carried.size(), loc));
  SmallVector<Value> arguments(before->getArguments().begin(), before->getArguments().end());
  ArrayRef<Value> next = arguments;
  for (Value argument : op.getBeforeArguments())
    bindLaneValues(argument, carriedAs(argument), next);
  SmallVector<Vectors> previous;
  if (!isUniform)
    for (unsigned index : kept)
      previous.push_back(takeVectors(op.getResult(index).getType(), next));
  Value active = isUniform ? mask : fromMaskInteger(next.front(), b.getI1Type());
  widenBlock(*op.getBeforeBody(), active);
  loc = op.getLoc();
  Vectors values;
  for (auto [value, argument] : llvm::zip(condition.getArgs(), op.getAfterArguments()))
    appendLaneValues(value, carriedAs(argument), values);
  Value continues;
  if (isUniform) {
    for (unsigned index : kept)
      appendLaneValues(condition.getArgs()[index], carriedAs(op.getResult(index)), values);
    continues = lane0(condition.getCondition());
  } else {
    for (auto [index, own] : llvm::zip(kept, previous))
      for (auto [now, old] : llvm::zip(Vectors(vectors(condition.getArgs()[index])), own))
        values.push_back(toMaskInteger(arith::SelectOp::create(b, loc, active, now, old)));
    Value remaining = andMask(active, vectors(condition.getCondition())[0]);
    values.push_back(toMaskInteger(remaining));
    continues = any(remaining);
  }
  scf::ConditionOp::create(b, loc, continues, values);

  Block *after = b.createBlock(&loop.getAfter(), {}, forwarded, SmallVector<Location>(forwarded.size(), loc));
  arguments.assign(after->getArguments().begin(), after->getArguments().end());
  next = arguments;
  for (Value argument : op.getAfterArguments())
    bindLaneValues(argument, carriedAs(argument), next);
  ArrayRef<Value> rest = next; // the blended results, and the mask
  Value remaining = isUniform ? mask : fromMaskInteger(rest.back(), b.getI1Type());
  widenBlock(*op.getAfterBody(), remaining);
  loc = op.getLoc();
  Vectors again;
  for (auto [value, argument] : llvm::zip(op.getYieldOp().getOperands(), op.getBeforeArguments()))
    appendLaneValues(value, carriedAs(argument), again);
  if (!isUniform)
    llvm::append_range(again, rest);
  scf::YieldOp::create(b, loc, again);

  b.setInsertionPointAfter(loop);
  SmallVector<Value> results(loop.getResults());
  next = ArrayRef<Value>(results).take_back(rest.size());
  for (unsigned index : kept)
    bindLaneValues(op.getResult(index), carriedAs(op.getResult(index)), next);
}

} // namespace kiln
