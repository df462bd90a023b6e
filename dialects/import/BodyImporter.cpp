// Dispatches instructions to their categories, and implements what these share: values, constants, checks.
#include "dialects/import/BodyImporter.h"
#include "dialects/import/Link.h"
#include "dialects/import/LlvmFunctions.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::import {
namespace {
constexpr unsigned MaxConstantDepth = 256; // nesting of composites and of OpSpecConstantOp on addresses
}

BodyImporter::BodyImporter(ModuleImporter &module, Block *constants, bool contract)
    : builder(&module.context()), loc(UnknownLoc::get(&module.context())), module(module), constants_(constants),
      contract_(contract) {
  builder.setInsertionPointToEnd(constants);
}

LogicalResult BodyImporter::import(const Instruction &ins) {
  switch (ins.op) {
  case spv::Op::Line:
  case spv::Op::NoLine:
    line_ = ins.op == spv::Op::Line ? &ins : nullptr;
    updateLocation();
    return success();
  case spv::Op::Nop:
  case spv::Op::Undef:          // a constant
  case spv::Op::SelectionMerge: // passes restructure from the graph alone
  case spv::Op::LoopMerge:
  case spv::Op::LifetimeStart: // hints
  case spv::Op::LifetimeStop:
  case spv::Op::AssumeTrueKHR:
    return success();
  default:
    break;
  }
  using Handler = ImportResult (BodyImporter::*)(const Instruction &);
  static constexpr Handler handlers[] = {
      &BodyImporter::importMemory,    &BodyImporter::importPointer,  &BodyImporter::importArithmetic,
      &BodyImporter::importBits,      &BodyImporter::importRelation, &BodyImporter::importConversion,
      &BodyImporter::importComposite, &BodyImporter::importSync,     &BodyImporter::importGroup,
      &BodyImporter::importEnqueue,   &BodyImporter::importPipe,     &BodyImporter::importImage,
      &BodyImporter::importCall,      &BodyImporter::importExtended,
  };
  for (Handler handler : handlers) {
    ImportResult result = (this->*handler)(ins);
    if (result == ImportResult::NotHandled)
      continue;
    if (ins.op == spv::Op::ControlBarrier || ins.op == spv::Op::FunctionCall)
      reemitDebugValues();
    return success(result == ImportResult::Success);
  }
  return module.unsupported(ins);
}

Value BodyImporter::value(uint32_t id, const Instruction &user) {
  const Instruction *definition = module.definition(id);
  if (!definition)
    return error(user) << "uses id " << id << ", which is not defined", Value();
  if (auto it = values_.find(id); it != values_.end())
    return it->second;
  if (builtInPointers_.contains(id) ||
      (definition->op == spv::Op::Variable &&
       static_cast<spv::StorageClass>(definition->args[0]) == spv::StorageClass::Input))
    return error(user) << "uses the address of a built-in variable, which is not supported", Value();
  if (ModuleImporter::isConstant(definition->op) || module.global(id)) {
    OpBuilder::InsertionGuard guard(builder);
    if (lastConstant_)
      builder.setInsertionPointAfter(lastConstant_);
    else
      builder.setInsertionPointToStart(constants_);
    if (++constantDepth_ > MaxConstantDepth)
      return error(user) << "uses a constant that is nested too deeply", Value();
    Value value = materialise(id, *definition, user);
    --constantDepth_;
    if (builder.getInsertionPoint() != constants_->begin())
      lastConstant_ = &*std::prev(builder.getInsertionPoint());
    if (value)
      values_[id] = value;
    return value;
  }
  return error(user) << "uses id " << id << ", which is not a value or not defined before its use", Value();
}

/// Builds a constant or an address at the insertion point, after its operands.
Value BodyImporter::materialise(uint32_t id, const Instruction &definition, const Instruction &user) {
  if (LLVM::GlobalOp global = module.global(id))
    return LLVM::AddressOfOp::create(builder, builder.getUnknownLoc(), global);
  Type type = module.type(definition.type, user);
  if (!type)
    return {};
  Attribute attribute = module.constant(id);
  if (auto typed = llvm::dyn_cast_if_present<TypedAttr>(attribute); typed && typed.getType() == type) {
    if (llvm::isa_and_nonnull<LLVM::GlobalOp>(constants_->getParentOp())) // these regions hold LLVM operations only
      return LLVM::ConstantOp::create(builder, builder.getUnknownLoc(), type, typed);
    return arith::ConstantOp::create(builder, builder.getUnknownLoc(), typed);
  }
  switch (definition.op) {
  case spv::Op::Undef:
  case spv::Op::ConstantNull:
    return zero(type);
  case spv::Op::ConstantComposite:
  case spv::Op::SpecConstantComposite: {
    if (!llvm::isa<LLVM::LLVMArrayType, LLVM::LLVMStructType>(type))
      return error(definition) << "has constituents that do not fit its type", Value();
    Value aggregate = LLVM::UndefOp::create(builder, builder.getUnknownLoc(), type);
    auto structType = llvm::dyn_cast<LLVM::LLVMStructType>(type);
    auto arrayType = llvm::dyn_cast<LLVM::LLVMArrayType>(type);
    if (definition.args.size() != (structType ? structType.getBody().size() : arrayType.getNumElements()))
      return error(definition) << "has constituents that do not fit its type", Value();
    for (auto [index, part] : llvm::enumerate(definition.args)) {
      Value element = value(part, definition);
      if (!element)
        return {};
      if (element.getType() != (structType ? structType.getBody()[index] : arrayType.getElementType()))
        return error(definition) << "has constituents that do not fit its type", Value();
      aggregate = LLVM::InsertValueOp::create(builder, builder.getUnknownLoc(), aggregate, element,
                                              static_cast<int64_t>(index));
    }
    return aggregate;
  }
  case spv::Op::SpecConstantOp: {
    // The grammar has no operand kind for the inner opcode, so the reader does not check that it is present.
    if (definition.args.empty() || definition.args[0] > 0xffff)
      return error(definition) << "has no operation", Value();
    Instruction inner = definition;
    inner.op = static_cast<spv::Op>(definition.args[0]);
    inner.args = definition.args.drop_front();
    if (!hasShape(inner.op, inner.args))
      return error(definition) << "has an operation with missing or invalid operands", Value();
    for (auto handler :
         {&BodyImporter::importPointer, &BodyImporter::importArithmetic, &BodyImporter::importBits,
          &BodyImporter::importRelation, &BodyImporter::importConversion, &BodyImporter::importComposite}) {
      ImportResult result = (this->*handler)(inner);
      if (result == ImportResult::Success)
        return values_.lookup(id);
      if (result == ImportResult::Failure)
        return {};
    }
    return module.unsupported(inner), Value();
  }
  default:
    return error(user) << "uses a constant that cannot be built", Value();
  }
}

Value BodyImporter::zero(Type type) {
  if (TypedAttr zero = module.zero(type)) {
    if (llvm::isa_and_nonnull<LLVM::GlobalOp>(constants_->getParentOp()))
      return LLVM::ConstantOp::create(builder, loc, type, zero);
    return arith::ConstantOp::create(builder, loc, zero);
  }
  return LLVM::ZeroOp::create(builder, loc, type);
}

LogicalResult BodyImporter::mismatch(const Instruction &ins) {
  return error(ins) << "has operands whose types do not match the instruction or its result type";
}

bool BodyImporter::operands(const Instruction &ins, Values &values, size_t count, size_t first) {
  if (ins.args.size() < first + count)
    return (void)mismatch(ins), false;
  for (uint32_t id : ins.args.slice(first, count)) {
    Value operand = value(id, ins);
    if (!operand)
      return false;
    values.push_back(operand);
  }
  return true;
}

LogicalResult BodyImporter::define(const Instruction &ins, Value value) {
  Type type = resultType(ins);
  if (!type)
    return failure();
  if (!value || value.getType() != type)
    return mismatch(ins);
  values_[ins.result] = value;
  return success();
}

Value BodyImporter::constantInt(Type type, const llvm::APInt &value) {
  TypedAttr attribute;
  if (auto vector = llvm::dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, value);
  else
    attribute = IntegerAttr::get(type, value);
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value BodyImporter::constantInt(Type type, uint64_t value) {
  return constantInt(type, llvm::APInt(64, value).zextOrTrunc(getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
}

Value BodyImporter::constantFloat(Type type, double value) {
  auto element = llvm::cast<FloatType>(getElementTypeOrSelf(type));
  llvm::APFloat number(value);
  bool inexact;
  number.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  TypedAttr attribute;
  if (auto vector = llvm::dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, number);
  else
    attribute = FloatAttr::get(element, number);
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value BodyImporter::splat(Value scalar, Type type) {
  if (llvm::isa<VectorType>(type) && !llvm::isa<VectorType>(scalar.getType()))
    return make<vector::BroadcastOp>(type, scalar);
  return scalar;
}

Value BodyImporter::toIndex(Value integer) { return make<arith::IndexCastUIOp>(builder.getIndexType(), integer); }

arith::FastMathFlags BodyImporter::fastMath(const Instruction &ins) {
  auto flags = contract_ ? arith::FastMathFlags::contract : arith::FastMathFlags::none;
  auto stated = module.decorationValue(ins.result, spv::Decoration::FPFastMathMode);
  if (!stated)
    return flags;
  auto add = [&](spv::FPFastMathMode mode, arith::FastMathFlags flag) {
    if (*stated & static_cast<uint32_t>(mode))
      flags = flags | flag;
  };
  add(spv::FPFastMathMode::NotNaN, arith::FastMathFlags::nnan);
  add(spv::FPFastMathMode::NotInf, arith::FastMathFlags::ninf);
  add(spv::FPFastMathMode::NSZ, arith::FastMathFlags::nsz);
  add(spv::FPFastMathMode::AllowRecip, arith::FastMathFlags::arcp);
  add(spv::FPFastMathMode::Fast, arith::FastMathFlags::fast);
  add(spv::FPFastMathMode::AllowContractFastINTEL, arith::FastMathFlags::contract);
  add(spv::FPFastMathMode::AllowReassocINTEL, arith::FastMathFlags::reassoc);
  return flags;
}

ImportResult BodyImporter::importCall(const Instruction &ins) {
  if (ins.op != spv::Op::FunctionCall)
    return ImportResult::NotHandled;
  Function *callee = module.function(ins.args[0]);
  if (!callee || !callee->op)
    return error(ins) << "calls id " << ins.args[0] << ", which is not a function", ImportResult::Failure;
  Values arguments;
  if (!operands(ins, arguments, ins.args.size() - 1, 1))
    return ImportResult::Failure;
  FunctionType type = callee->op.getFunctionType();
  if (TypeRange(ValueRange(arguments)) != TypeRange(type.getInputs()) || callee->head->type != ins.type)
    return importResult(mismatch(ins));
  if (auto name = callee->op->getAttrOfType<StringAttr>(ImportAttr))
    if (auto known = llvmFunction(name, type))
      return importResult(define(ins, integerFunction(known->same, known->isSigned, arguments)));
  auto call = func::CallOp::create(builder, loc, callee->op, arguments);
  if (call.getNumResults())
    values_[ins.result] = call.getResult(0);
  return ImportResult::Success;
}

} // namespace kiln::import
