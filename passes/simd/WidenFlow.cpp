// Branches and loops. What all lanes agree about stays a branch; what they do not is done one side after the other,
// each for the lanes that take it.
#include "dialects/ocl/UnrollHint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/analysis/Size.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {
namespace {

// A branch costs more than so many operations done for nothing.
constexpr unsigned MostSpeculated = 12;
// Operations that may stand twice, for all lanes and for some.
constexpr unsigned MostCopied = 150;

// May it run for lanes that do not want it, and is that cheap.
bool isWorthSpeculating(Region &region) {
  unsigned count = 0;
  for (Operation &op : region.front().without_terminator())
    if (op.getNumRegions() || !isMemoryEffectFree(&op) || !isSpeculatable(&op) || ++count > MostSpeculated)
      return false;
  return true;
}

} // namespace

// ---- values that flow through branches and loops ------------------------------------------------------------------

// Flags are as wide as other numbers there, where the processor has no registers for masks: a vector of i1 that lives
// through a loop would be packed and unpacked in each round.
Type Widener::flowType(Type part) {
  if (!getElementTypeOrSelf(part).isInteger(1) || maskBits_ == 1)
    return part;
  Type flag = b.getIntegerType(maskBits_);
  auto vector = dyn_cast<VectorType>(part);
  return vector ? Type(vector.clone(flag)) : flag;
}

Widener::Carried Widener::carriedAs(Value value) const {
  if (!hasFirst(value))
    return Carried::Lanes;
  return knownRise(shape(value)) ? Carried::Lane0 : Carried::Both;
}

SmallVector<Type> Widener::formTypes(Type type, Carried as) {
  SmallVector<Type> types;
  if (as != Carried::Lanes)
    types.push_back(type);
  if (as != Carried::Lane0)
    types.append(partCount(type), wide(flowType(partType(type))));
  return types;
}

Value Widener::toFlow(Value part) {
  Type flowing = flowType(part.getType());
  return flowing == part.getType() ? part : arith::ExtSIOp::create(b, loc, flowing, part).getResult();
}

Value Widener::fromFlow(Value part, Type own) {
  if (part.getType() == wide(own))
    return part;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(part.getType()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, part, zero);
}

void Widener::forms(Value value, Carried as, Parts &to) {
  if (as != Carried::Lanes)
    to.push_back(first(value));
  if (as != Carried::Lane0)
    for (Value part : Parts(parts(value)))
      to.push_back(toFlow(part));
}

Widener::Parts Widener::takeParts(Type type, ArrayRef<Value> &from) {
  Parts own;
  for (unsigned part = 0; part < partCount(type); ++part)
    own.push_back(fromFlow(from[part], partType(type)));
  from = from.drop_front(own.size());
  return own;
}

void Widener::takeForms(Value value, Carried as, ArrayRef<Value> &from) {
  Forms &forms = forms_[value] = {};
  if (as != Carried::Lanes) {
    forms.first = from.front();
    from = from.drop_front();
  }
  if (as != Carried::Lane0)
    forms.parts = takeParts(value.getType(), from);
}

// ---- branches -----------------------------------------------------------------------------------------------------

void Widener::widenIf(scf::IfOp op, Value mask) {
  if (shape(op.getCondition()).isUniform())
    return widenUniformIf(op, mask);
  std::optional<Answer> known = mask ? std::nullopt : answer(op.getCondition());
  Value condition = parts(op.getCondition())[0];
  bool isCheap =
      isWorthSpeculating(op.getThenRegion()) && (op.getElseRegion().empty() || isWorthSpeculating(op.getElseRegion()));
  unsigned size = operationsIn(op.getThenRegion());
  bool hasElse = !op.getElseRegion().empty() && !op.elseBlock()->without_terminator().empty();
  if (mask || isCheap || hasElse || copies_ + size > MostCopied)
    return widenSelect(op, condition, mask);

  // Where a whole vector goes the same way nothing needs a mask.
  copies_ += size;
  Value goesTogether = known ? known->all : all(condition), anyGoes = known && known->any ? known->any : any(condition);
  SmallVector<Type> types;
  for (Value result : op.getResults())
    llvm::append_range(types, formTypes(result.getType(), Carried::Lanes));
  auto branch = scf::IfOp::create(b, loc, types, goesTogether, /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    DenseMap<Value, Forms> before = forms_;
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, branchValues(op.getThenRegion(), {}, op.getResults()));
    forms_ = std::move(before);
    b.setInsertionPointToStart(branch.elseBlock());
    widenSelect(op, condition, mask, anyGoes);
    Parts values;
    for (Value result : op.getResults())
      forms(result, Carried::Lanes, values);
    scf::YieldOp::create(b, loc, values);
  }
  SmallVector<Value> values(branch.getResults());
  ArrayRef<Value> next = values;
  for (Value result : op.getResults())
    takeForms(result, Carried::Lanes, next);
}

Widener::Parts Widener::branchValues(Region &region, Value mask, ResultRange results) {
  Parts values;
  if (region.empty())
    return values;
  widenBlock(region.front(), mask);
  for (auto [value, result] : llvm::zip(region.front().getTerminator()->getOperands(), results))
    forms(value, carriedAs(result), values);
  return values;
}

void Widener::widenUniformIf(scf::IfOp op, Value mask) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    llvm::append_range(types, formTypes(result.getType(), carriedAs(result)));
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, loc, types, first(op.getCondition()), /*addThenBlock=*/true, hasElse);
  {
    OpBuilder::InsertionGuard guard(b);
    for (auto [from, to] :
         {std::pair(&op.getThenRegion(), &branch.getThenRegion()), {&op.getElseRegion(), &branch.getElseRegion()}}) {
      if (to->empty())
        continue;
      b.setInsertionPointToStart(&to->front());
      Parts values = branchValues(*from, mask, op.getResults());
      scf::YieldOp::create(b, loc, values);
    }
  }
  SmallVector<Value> values(branch.getResults());
  ArrayRef<Value> next = values;
  for (Value result : op.getResults())
    takeForms(result, carriedAs(result), next);
}

// One side, then the other; each lane's results are those of its side.
void Widener::widenSelect(scf::IfOp op, Value condition, Value mask, Value anyTakes) {
  auto side = [&](Region &region, Value takes, Value anyTakes) {
    SmallVector<Parts> values;
    if (region.empty())
      return values;
    SmallVector<Type> types;
    for (Value result : op.getResults())
      llvm::append_range(types, formTypes(result.getType(), Carried::Lanes));
    auto collect = [&] {
      Parts all;
      for (Value value : region.front().getTerminator()->getOperands())
        forms(value, Carried::Lanes, all);
      return all;
    };
    if (region.front().without_terminator().empty() || isWorthSpeculating(region)) {
      widenBlock(region.front(), takes);
      for (Value value : region.front().getTerminator()->getOperands())
        values.push_back(parts(value));
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
      values.push_back(takeParts(result.getType(), next));
    return values;
  };
  SmallVector<Parts> yes = side(op.getThenRegion(), both(mask, condition), anyTakes);
  SmallVector<Parts> no = side(op.getElseRegion(), both(mask, negated(condition)), {});
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    Parts own;
    for (auto [a, other] : llvm::zip(yes[index], no[index]))
      own.push_back(a == other ? a : arith::SelectOp::create(b, loc, condition, a, other).getResult());
    setParts(result, own);
  }
}

// ---- loops --------------------------------------------------------------------------------------------------------

// Loops like `for (i = id; i < n; i += size)`: all lanes do almost all of the rounds.
bool Widener::startsTogether(scf::WhileOp op) const {
  return hasAnswer(op.getConditionOp().getCondition()) && copies_ + operationsIn(op) <= MostCopied &&
         llvm::all_of(op.getBeforeBody()->without_terminator(), [](Operation &inner) { return leavesNoTrace(&inner); });
}

// The rounds that all lanes do, for which nobody needs a mask. Gives what the loop carries then.
Widener::Parts Widener::whileTogether(scf::WhileOp op, Parts inits) {
  copies_ += operationsIn(op);
  scf::ConditionOp condition = op.getConditionOp();
  const SmallVector<Type> carried = llvm::map_to_vector(inits, [](Value value) { return value.getType(); });
  SmallVector<Type> handedOn = carried;
  for (Value argument : op.getAfterArguments())
    llvm::append_range(handedOn, formTypes(argument.getType(), carriedAs(argument)));

  auto loop = scf::WhileOp::create(b, loc, handedOn, inits);
  ocl::keepUnrollHint(op, loop);
  OpBuilder::InsertionGuard guard(b);
  DenseMap<Value, Forms> outside = forms_;
  Block *before = b.createBlock(&loop.getBefore(), {}, carried, SmallVector<Location>(carried.size(), loc));
  SmallVector<Value> arguments(before->getArguments().begin(), before->getArguments().end());
  ArrayRef<Value> next = arguments;
  for (Value argument : op.getBeforeArguments())
    takeForms(argument, carriedAs(argument), next);
  widenBlock(*op.getBeforeBody(), {});
  loc = op.getLoc();
  Parts handed(arguments.begin(), arguments.end());
  for (auto [value, argument] : llvm::zip(condition.getArgs(), op.getAfterArguments()))
    forms(value, carriedAs(argument), handed);
  scf::ConditionOp::create(b, loc, answer(condition.getCondition())->all, handed);

  Block *after = b.createBlock(&loop.getAfter(), {}, handedOn, SmallVector<Location>(handedOn.size(), loc));
  arguments.assign(after->getArguments().begin(), after->getArguments().end());
  next = ArrayRef<Value>(arguments).drop_front(carried.size());
  for (Value argument : op.getAfterArguments())
    takeForms(argument, carriedAs(argument), next);
  widenBlock(*op.getAfterBody(), {});
  loc = op.getLoc();
  Parts again;
  for (auto [value, argument] : llvm::zip(op.getYieldOp().getOperands(), op.getBeforeArguments()))
    forms(value, carriedAs(argument), again);
  scf::YieldOp::create(b, loc, again);
  forms_ = std::move(outside);
  return Parts(loop.getResults().take_front(carried.size()));
}

// Lanes that have left a divergent loop stay in it under a mask until all have; what is used behind the loop is kept
// for each from the round in which it left. Whatever else an iteration computes for them is nobody's.
void Widener::widenWhile(scf::WhileOp op, Value mask) {
  scf::ConditionOp condition = op.getConditionOp();
  bool together = shape(condition.getCondition()).isUniform();
  auto add = [](SmallVector<Type> &types, SmallVector<Type> more) { llvm::append_range(types, more); };

  Parts inits;
  SmallVector<Type> carried, forwarded;
  for (auto [init, argument] : llvm::zip(op.getInits(), op.getBeforeArguments())) {
    forms(init, carriedAs(argument), inits);
    add(carried, formTypes(argument.getType(), carriedAs(argument)));
  }
  for (Value argument : op.getAfterArguments())
    add(forwarded, formTypes(argument.getType(), carriedAs(argument)));
  if (!together && !mask && startsTogether(op))
    inits = whileTogether(op, inits);
  SmallVector<unsigned> kept; // results that somebody uses
  for (auto [index, result] : llvm::enumerate(op.getResults()))
    if (!result.use_empty()) {
      kept.push_back(unsigned(index));
      if (together) {
        add(forwarded, formTypes(result.getType(), carriedAs(result)));
      } else {
        for (Type type : formTypes(result.getType(), Carried::Lanes)) {
          inits.push_back(poison(type));
          carried.push_back(type), forwarded.push_back(type);
        }
      }
    }
  if (!together) {
    Value live = mask ? mask : splat(arith::ConstantIntOp::create(b, loc, 1, 1));
    inits.push_back(toFlow(live));
    carried.push_back(inits.back().getType()), forwarded.push_back(inits.back().getType());
  }

  auto loop = scf::WhileOp::create(b, loc, forwarded, inits);
  ocl::keepUnrollHint(op, loop);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, carried, SmallVector<Location>(carried.size(), loc));
  SmallVector<Value> arguments(before->getArguments().begin(), before->getArguments().end());
  ArrayRef<Value> next = arguments;
  for (Value argument : op.getBeforeArguments())
    takeForms(argument, carriedAs(argument), next);
  SmallVector<Parts> held;
  if (!together)
    for (unsigned index : kept)
      held.push_back(takeParts(op.getResult(index).getType(), next));
  Value live = together ? mask : fromFlow(next.front(), b.getI1Type());
  widenBlock(*op.getBeforeBody(), live);
  loc = op.getLoc();
  Parts handed;
  for (auto [value, argument] : llvm::zip(condition.getArgs(), op.getAfterArguments()))
    forms(value, carriedAs(argument), handed);
  Value goesOn;
  if (together) {
    for (unsigned index : kept)
      forms(condition.getArgs()[index], carriedAs(op.getResult(index)), handed);
    goesOn = first(condition.getCondition());
  } else {
    for (auto [index, own] : llvm::zip(kept, held))
      for (auto [now, old] : llvm::zip(Parts(parts(condition.getArgs()[index])), own))
        handed.push_back(toFlow(arith::SelectOp::create(b, loc, live, now, old)));
    Value stays = both(live, parts(condition.getCondition())[0]);
    handed.push_back(toFlow(stays));
    goesOn = any(stays);
  }
  scf::ConditionOp::create(b, loc, goesOn, handed);

  Block *after = b.createBlock(&loop.getAfter(), {}, forwarded, SmallVector<Location>(forwarded.size(), loc));
  arguments.assign(after->getArguments().begin(), after->getArguments().end());
  next = arguments;
  for (Value argument : op.getAfterArguments())
    takeForms(argument, carriedAs(argument), next);
  ArrayRef<Value> behind = next; // the results', and who is still there
  Value stays = together ? mask : fromFlow(behind.back(), b.getI1Type());
  widenBlock(*op.getAfterBody(), stays);
  loc = op.getLoc();
  Parts again;
  for (auto [value, argument] : llvm::zip(op.getYieldOp().getOperands(), op.getBeforeArguments()))
    forms(value, carriedAs(argument), again);
  if (!together)
    llvm::append_range(again, behind);
  scf::YieldOp::create(b, loc, again);

  b.setInsertionPointAfter(loop);
  SmallVector<Value> results(loop.getResults());
  next = ArrayRef<Value>(results).take_back(behind.size());
  for (unsigned index : kept)
    takeForms(op.getResult(index), carriedAs(op.getResult(index)), next);
}

} // namespace kiln
