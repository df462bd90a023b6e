// Lifts control flow as an arbitrary graph: branches become `cf`, phis become block arguments.
//
// Unreachable blocks are dropped. In the remaining order definitions precede uses (a rule of SPIR-V), except for phi
// operands, so terminators are built after all blocks are filled. OpUnreachable returns zero: structuring passes do not
// support `unreachable`, and inactive lanes may reach it.
#include "dialects/import/FunctionImporter.h"
#include "base/abi/KernelAbi.h"
#include "dialects/import/CopyMemory.h"
#include "dialects/import/Instructions.h"
#include "dialects/ocl/UnrollHint.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace kiln::import {
namespace {
constexpr unsigned MaxUnrollHints = 64; // per function: limits compile time

bool isTerminator(spv::Op op) {
  switch (op) {
  case spv::Op::Branch:
  case spv::Op::BranchConditional:
  case spv::Op::Switch:
  case spv::Op::Return:
  case spv::Op::ReturnValue:
  case spv::Op::Unreachable:
  case spv::Op::Kill:
  case spv::Op::TerminateInvocation:
    return true;
  default:
    return false;
  }
}

/// Converts OpLoopMerge's unroll controls to LLVM's loop annotation; null if there are none.
LLVM::LoopAnnotationAttr unrollHint(const Instruction &merge, MLIRContext &context) {
  using spv::LoopControl;
  uint32_t control = merge.args[2];
  auto says = [&](LoopControl bit) { return (control & static_cast<uint32_t>(bit)) != 0; };
  BoolAttr disable;
  IntegerAttr count;
  if (says(LoopControl::PartialCount)) {
    constexpr uint32_t first = static_cast<uint32_t>(LoopControl::DependencyLength); // of the controls with a literal
    constexpr uint32_t last = static_cast<uint32_t>(LoopControl::PartialCount);
    size_t at = 3 + size_t(llvm::popcount(control & (last - first)));
    if (at < merge.args.size() && merge.args[at])
      count = IntegerAttr::get(IntegerType::get(&context, 32), merge.args[at]);
  } else if (says(LoopControl::DontUnroll) || says(LoopControl::Unroll)) {
    disable = BoolAttr::get(&context, says(LoopControl::DontUnroll));
  }
  if (!disable && !count)
    return {};
  auto unroll = LLVM::LoopUnrollAttr::get(&context, disable, count, {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(&context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
}
} // namespace

LogicalResult FunctionImporter::run() {
  if (failed(split()))
    return failure();
  for (SpirvBlock &block : blocks_)
    if (failed(link(block)))
      return failure();
  createBlocks();

  Block *entry = blocks_.front().block;
  Body body(module_, entry, function_.contract);
  if (!blocks_.front().phis.empty())
    return module_.error(*blocks_.front().phis.front()) << "is in an entry block";
  for (auto [index, param] : llvm::enumerate(function_.params))
    body.set(param->result, entry->getArgument(index));
  for (SpirvBlock &block : blocks_)
    if (block.block && failed(phis(body, block)))
      return failure();
  if (failed(copyByValueArguments(body)))
    return failure();
  body.debug.enter(function_);
  for (SpirvBlock &block : blocks_) {
    if (!block.block)
      continue;
    body.builder.setInsertionPointToEnd(block.block);
    body.debug.endLine(); // a line is valid until the end of its block
    for (size_t i = block.begin; i < block.end; ++i)
      if (code(i).op != spv::Op::Phi && failed(importInstruction(body, code(i))))
        return failure();
    block.loc = body.loc;
  }
  for (SpirvBlock &block : blocks_) {
    if (!block.block)
      continue;
    body.builder.setInsertionPointToEnd(block.block);
    body.loc = block.loc;
    if (failed(terminate(body, block)))
      return failure();
  }
  body.debug.leave(function_);
  keepUnrollHints();
  return success();
}

LogicalResult FunctionImporter::split() {
  SpirvBlock *current = nullptr;
  auto isDebug = [&](const Instruction &ins) { return ins.op == spv::Op::ExtInst && module_.isDebugSet(ins.args[0]); };
  for (size_t i = function_.begin; i < function_.end; ++i) {
    const Instruction &ins = code(i);
    if (ins.op == spv::Op::Label) {
      if (current)
        return module_.error(ins) << "follows a block without a terminator";
      indexOf_[ins.result] = static_cast<uint32_t>(blocks_.size());
      blocks_.push_back({&ins, nullptr, i + 1, i + 1, {}, {}, nullptr, UnknownLoc::get(&module_.context())});
      current = &blocks_.back();
    } else if (!current) {
      if (ins.op != spv::Op::Line && ins.op != spv::Op::NoLine && ins.op != spv::Op::Nop && !isDebug(ins))
        return module_.error(ins) << "is outside of a block";
    } else if (ins.op == spv::Op::Phi) {
      for (size_t j = current->begin; j < i; ++j) {
        spv::Op before = code(j).op;
        if (before != spv::Op::Phi && before != spv::Op::Line && before != spv::Op::NoLine && !isDebug(code(j)))
          return module_.error(ins) << "is not at the start of its block";
      }
      current->phis.push_back(&ins);
    } else if (isTerminator(ins.op)) {
      current->terminator = &ins;
      current->end = i;
      current = nullptr;
    }
  }
  if (current || blocks_.empty())
    return module_.error(*function_.head) << "ends inside a block";
  return success();
}

/// Determines a block's successors.
LogicalResult FunctionImporter::link(SpirvBlock &block) {
  const Instruction &end = *block.terminator;
  SmallVector<uint32_t> labels;
  switch (end.op) {
  case spv::Op::Branch:
    labels.push_back(end.args[0]);
    break;
  case spv::Op::BranchConditional:
    labels.append({end.args[1], end.args[2]});
    break;
  case spv::Op::Switch: {
    labels.push_back(end.args[1]);
    const Instruction *type = module_.typeOf(end.args[0]);
    if (!type || type->op != spv::Op::TypeInt)
      return module_.error(end) << "has a Selector that is not an integer";
    size_t words = type->args[0] > 32 ? 2 : 1;
    ArrayRef<uint32_t> cases = end.args.drop_front(2);
    if (cases.size() % (words + 1))
      return module_.error(end) << "has an incomplete case";
    for (size_t i = words; i < cases.size(); i += words + 1)
      labels.push_back(cases[i]);
    break;
  }
  default:
    break;
  }
  for (uint32_t label : labels) {
    auto target = indexOf_.find(label);
    if (target == indexOf_.end())
      return module_.error(end) << "branches to id " << label << ", which is not a block of its function";
    if (target->second == 0)
      return module_.error(end) << "branches to the entry block";
    block.successors.push_back(target->second);
  }
  return success();
}

/// Creates MLIR blocks for the reachable blocks, in the module's order.
void FunctionImporter::createBlocks() {
  std::vector<bool> reached(blocks_.size());
  SmallVector<uint32_t> work{0};
  reached[0] = true;
  while (!work.empty())
    for (uint32_t next : blocks_[work.pop_back_val()].successors)
      if (!reached[next]) {
        reached[next] = true;
        work.push_back(next);
      }
  for (auto [index, block] : llvm::enumerate(blocks_))
    if (index == 0)
      block.block = function_.op.addEntryBlock();
    else if (reached[index])
      block.block = function_.op.addBlock();
}

LogicalResult FunctionImporter::phis(Body &body, SpirvBlock &block) {
  for (const Instruction *phi : block.phis) {
    Type type = module_.type(phi->type, *phi);
    if (!type)
      return failure();
    body.set(phi->result, block.block->addArgument(type, body.loc));
    for (size_t i = 0; i + 1 < phi->args.size(); i += 2)
      incoming_.try_emplace({phi->result, phi->args[i + 1]}, phi->args[i]);
  }
  return success();
}

/// Copies structs passed by value in the callee, so that callers need no copy and a kernel's argument block is never
/// written.
LogicalResult FunctionImporter::copyByValueArguments(Body &body) {
  for (auto [index, param] : llvm::enumerate(function_.params)) {
    auto type = function_.op.getArgAttrOfType<TypeAttr>(index, ocl::ArgByValueAttr);
    if (!type)
      continue;
    Value argument = body.value(param->result, *param);
    const TypeInfo &pointee = *module_.typeInfo(module_.pointeeOf(param->result));
    Value one = body.constantInt(body.builder.getI32Type(), 1);
    Value copy =
        LLVM::AllocaOp::create(body.builder, body.loc, LLVM::LLVMPointerType::get(&module_.context()), type.getValue(),
                               one, std::max<uint64_t>(pointee.align, module_.declaredAlignment(param->result)));
    unsigned align = static_cast<unsigned>(std::min<uint64_t>(pointee.align, abi::MaxArgumentAlignment));
    copyBytes(body, {copy, argument, Value(), pointee.size, align, align, false}, module_.pointeeOf(param->result));
    if (copy.getType() != argument.getType())
      return module_.error(*param) << "is decorated ByVal and does not point to private memory";
    body.set(param->result, copy);
  }
  return success();
}

bool FunctionImporter::phiOperands(Body &body, const SpirvBlock &from, const SpirvBlock &to,
                                   SmallVectorImpl<Value> &values) {
  for (auto [index, phi] : llvm::enumerate(to.phis)) {
    auto incoming = incoming_.find({phi->result, from.label->result});
    if (incoming == incoming_.end())
      return module_.error(*phi) << "has no value for predecessor " << from.label->result, false;
    Value found = body.value(incoming->second, *phi);
    if (!found)
      return false;
    if (found.getType() != to.block->getArgument(index).getType())
      return module_.error(*phi) << "has a value of another type", false;
    values.push_back(found);
  }
  return true;
}

LogicalResult FunctionImporter::terminate(Body &body, SpirvBlock &block) {
  const Instruction &end = *block.terminator;
  TypeRange results = function_.op.getFunctionType().getResults();
  switch (end.op) {
  case spv::Op::Branch: {
    SpirvBlock &to = blocks_[block.successors[0]];
    SmallVector<Value> values;
    if (!phiOperands(body, block, to, values))
      return failure();
    cf::BranchOp::create(body.builder, body.loc, to.block, values);
    return success();
  }
  case spv::Op::BranchConditional: {
    SpirvBlock &yes = blocks_[block.successors[0]], &no = blocks_[block.successors[1]];
    Value condition = body.value(end.args[0], end);
    SmallVector<Value> yesValues, noValues;
    if (!condition || !phiOperands(body, block, yes, yesValues) || !phiOperands(body, block, no, noValues))
      return failure();
    if (!condition.getType().isInteger(1))
      return module_.error(end) << "has a Condition that is not a boolean";
    cf::CondBranchOp::create(body.builder, body.loc, condition, yes.block, yesValues, no.block, noValues);
    return success();
  }
  case spv::Op::Switch:
    return branchSwitch(body, block);
  case spv::Op::Return:
    if (!results.empty())
      return module_.error(end) << "returns no value from a function with a return type";
    func::ReturnOp::create(body.builder, body.loc);
    return success();
  case spv::Op::ReturnValue: {
    Value value = body.value(end.args[0], end);
    if (!value)
      return failure();
    if (results.size() != 1 || results[0] != value.getType())
      return module_.error(end) << "returns a value whose type is not the function's return type";
    func::ReturnOp::create(body.builder, body.loc, value);
    return success();
  }
  case spv::Op::Unreachable: {
    SmallVector<Value> zeros;
    for (Type type : results)
      zeros.push_back(body.zero(type));
    func::ReturnOp::create(body.builder, body.loc, zeros);
    return success();
  }
  default:
    return module_.unsupported(end);
  }
}

void FunctionImporter::keepUnrollHints() {
  unsigned count = 0;
  for (auto [index, block] : llvm::enumerate(blocks_))
    for (uint32_t target : block.successors) {
      const SpirvBlock &head = blocks_[target];
      if (!block.block || target > index || head.begin == head.end) // a loop header precedes its back edges
        continue;
      const Instruction &merge = code(head.end - 1);
      auto hint = merge.op == spv::Op::LoopMerge ? unrollHint(merge, module_.context()) : nullptr;
      if (hint && ++count <= MaxUnrollHints)
        block.block->getTerminator()->setDiscardableAttr(ocl::UnrollHintAttr, hint);
    }
}

namespace {

/// One case of a switch.
struct SwitchCase {
  llvm::APInt literal;
  Block *target;
  ValueRange values;
};

/// MLIR computes the successors' operands of a cf.switch in O(n) each, and its passes and its verifier ask for those of
/// all n cases: a switch of 16,000 cases took 100 s. Larger switches become a tree of comparisons with such switches as
/// leaves.
constexpr size_t MaxSwitchCases = 256;

/// Ends the builder's block. `cases` are in ascending order of their literals, as unsigned numbers.
void createSwitch(OpBuilder &builder, Location loc, Value selector, const SwitchCase &otherwise,
                  ArrayRef<SwitchCase> cases) {
  if (cases.size() > MaxSwitchCases) {
    Block *here = builder.getBlock();
    const size_t middle = cases.size() / 2;
    OpBuilder::InsertionGuard guard(builder);
    Block *high = builder.createBlock(here->getParent(), std::next(here->getIterator()));
    createSwitch(builder, loc, selector, otherwise, cases.drop_front(middle));
    Block *low = builder.createBlock(here->getParent(), std::next(here->getIterator()));
    createSwitch(builder, loc, selector, otherwise, cases.take_front(middle));
    builder.setInsertionPointToEnd(here);
    Value bound =
        arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(selector.getType(), cases[middle].literal));
    Value isLow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, selector, bound);
    cf::CondBranchOp::create(builder, loc, isLow, low, ValueRange(), high, ValueRange());
    return;
  }
  SmallVector<llvm::APInt> literals;
  SmallVector<Block *> targets;
  SmallVector<ValueRange> values;
  for (const SwitchCase &one : cases) {
    literals.push_back(one.literal);
    targets.push_back(one.target);
    values.push_back(one.values);
  }
  cf::SwitchOp::create(builder, loc, selector, otherwise.target, otherwise.values, ArrayRef<llvm::APInt>(literals),
                       targets, values);
}

} // namespace

LogicalResult FunctionImporter::branchSwitch(Body &body, SpirvBlock &block) {
  const Instruction &end = *block.terminator;
  Value selector = body.value(end.args[0], end);
  if (!selector)
    return failure();
  auto type = llvm::dyn_cast<IntegerType>(selector.getType());
  if (!type)
    return module_.error(end) << "has a Selector that is not an integer";
  unsigned width = type.getWidth();
  size_t words = width > 32 ? 2 : 1;
  ArrayRef<uint32_t> cases = end.args.drop_front(2);
  SmallVector<SmallVector<Value>> values(block.successors.size());
  SmallVector<SwitchCase> made; // the default comes first
  llvm::DenseSet<uint64_t> seen;
  for (auto [index, successor] : llvm::enumerate(block.successors)) {
    SpirvBlock &to = blocks_[successor];
    if (!phiOperands(body, block, to, values[index]))
      return failure();
    llvm::APInt number;
    if (index) {
      ArrayRef<uint32_t> literal = cases.slice((index - 1) * (words + 1), words);
      number = llvm::APInt(64, literal[0] | (words == 2 ? uint64_t(literal[1]) << 32 : 0)).trunc(width);
      if (!seen.insert(number.getZExtValue()).second)
        return module_.error(end) << "has two cases with the same literal";
    }
    made.push_back({number, to.block, values[index]});
  }
  MutableArrayRef<SwitchCase> sorted = MutableArrayRef(made).drop_front();
  if (sorted.size() > MaxSwitchCases)
    llvm::sort(sorted, [](const SwitchCase &a, const SwitchCase &b) { return a.literal.ult(b.literal); });
  createSwitch(body.builder, body.loc, selector, made.front(), sorted);
  return success();
}

} // namespace kiln::import
