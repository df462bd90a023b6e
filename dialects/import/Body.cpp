// What the categories of instructions share: values, constants, checks.
#include "dialects/import/Instructions.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::import {
namespace {
constexpr unsigned MaxConstantDepth = 256; // nesting of composites and of OpSpecConstantOp on addresses

// The LLVM dialect has no such values. Variables may be arrays and structs of matrices.
constexpr llvm::StringLiteral AggregateOfMatrices =
    "makes an array or struct with a cooperative matrix, which is not supported as a value";
bool isAggregateOfMatrices(const ModuleImporter &module, uint32_t typeId) {
  const TypeInfo *info = module.typeInfo(typeId);
  return info && info->hasMatrix && !llvm::isa<ocl::MatrixType>(info->type);
}
} // namespace

Body::Body(ModuleImporter &module, Block *constants, bool contract)
    : builder(&module.context()), loc(UnknownLoc::get(&module.context())), module(module), constants_(constants),
      contract_(contract) {
  builder.setInsertionPointToEnd(constants);
}

Value Body::value(uint32_t id, const Instruction &user) {
  const Instruction *definition = module.definition(id);
  if (!definition)
    return error(user) << "uses id " << id << ", which is not defined", Value();
  if (auto it = values_.find(id); it != values_.end())
    return it->second;
  if (builtInPointers.contains(id) || (definition->op == spv::Op::Variable &&
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
Value Body::materialise(uint32_t id, const Instruction &definition, const Instruction &user) {
  if (LLVM::GlobalOp global = module.global(id))
    return LLVM::AddressOfOp::create(builder, builder.getUnknownLoc(), global);
  Type type = module.type(definition.type, user);
  if (!type)
    return {};
  if (isAggregateOfMatrices(module, definition.type))
    return error(definition) << AggregateOfMatrices, Value();
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
    if (auto matrix = llvm::dyn_cast<ocl::MatrixType>(type)) { // all components are one scalar
      Value component = definition.args.size() == 1 ? value(definition.args[0], definition) : Value();
      if (!component || component.getType() != matrix.getElement())
        return error(definition) << "has constituents that do not fit its type", Value();
      return ocl::MatrixFillOp::create(builder, builder.getUnknownLoc(), component, matrix);
    }
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
    return succeeded(importExpression(*this, inner)) ? known(id) : Value();
  }
  default:
    return error(user) << "uses a constant that cannot be built", Value();
  }
}

Value Body::zero(Type type) {
  if (TypedAttr zero = module.zero(type)) {
    if (llvm::isa_and_nonnull<LLVM::GlobalOp>(constants_->getParentOp()))
      return LLVM::ConstantOp::create(builder, loc, type, zero);
    return arith::ConstantOp::create(builder, loc, zero);
  }
  if (auto matrix = llvm::dyn_cast<ocl::MatrixType>(type))
    return ocl::MatrixFillOp::create(builder, loc, this->zero(matrix.getElement()), matrix);
  return LLVM::ZeroOp::create(builder, loc, type);
}

LogicalResult Body::mismatch(const Instruction &ins) {
  return error(ins) << "has operands whose types do not match the instruction or its result type";
}

bool Body::operands(const Instruction &ins, Values &values, size_t count, size_t first) {
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

LogicalResult Body::define(const Instruction &ins, Value value) {
  Type type = resultType(ins);
  if (!type)
    return failure();
  if (!value || value.getType() != type)
    return mismatch(ins);
  if (isAggregateOfMatrices(module, ins.type))
    return error(ins) << AggregateOfMatrices;
  values_[ins.result] = value;
  return success();
}

Value Body::constantInt(Type type, const llvm::APInt &value) {
  TypedAttr attribute;
  if (auto vector = llvm::dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, value);
  else
    attribute = IntegerAttr::get(type, value);
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value Body::constantInt(Type type, uint64_t value) {
  return constantInt(type, llvm::APInt(64, value).zextOrTrunc(getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
}

Value Body::constantFloat(Type type, double value) {
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

Value Body::splat(Value scalar, Type type) {
  if (llvm::isa<VectorType>(type) && !llvm::isa<VectorType>(scalar.getType()))
    return make<vector::BroadcastOp>(type, scalar);
  return scalar;
}

Value Body::toIndex(Value integer) { return make<arith::IndexCastUIOp>(builder.getIndexType(), integer); }

arith::FastMathFlags Body::fastMath(const Instruction &ins) {
  auto flags = contract_ ? arith::FastMathFlags::contract : arith::FastMathFlags::none;
  auto stated = module.decorationValue(ins.result, spv::Decoration::FPFastMathMode);
  if (!stated)
    return flags;
  auto add = [&](spv::FPFastMathMode mode, arith::FastMathFlags flag) {
    if (*stated & static_cast<uint32_t>(mode))
      flags = flags | flag;
  };
  // NotInf is not used: programs with -cl-finite-math-only still compute 1 / infinity (EstimateQuotients.h).
  add(spv::FPFastMathMode::NotNaN, arith::FastMathFlags::nnan);
  add(spv::FPFastMathMode::NSZ, arith::FastMathFlags::nsz);
  add(spv::FPFastMathMode::AllowRecip, arith::FastMathFlags::arcp);
  add(spv::FPFastMathMode::Fast, arith::FastMathFlags::fast ^ arith::FastMathFlags::ninf);
  add(spv::FPFastMathMode::AllowContractFastINTEL, arith::FastMathFlags::contract);
  add(spv::FPFastMathMode::AllowReassocINTEL, arith::FastMathFlags::reassoc);
  return flags;
}

Value Body::value32(int32_t number) {
  Value &known = sizes_[number];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(constants_);
    known = constantInt(builder.getI32Type(), static_cast<uint64_t>(number));
    if (!lastConstant_)
      lastConstant_ = known.getDefiningOp();
  }
  return known;
}

} // namespace kiln::import
