// Comparisons, logic and selection. Booleans are i1, or vectors of it.
#include "dialects/import/Relations.h"
#include "dialects/import/Arithmetic.h"
#include "dialects/import/Instructions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::import {
namespace {
using IntP = arith::CmpIPredicate;
using FloatP = arith::CmpFPredicate;

bool isBool(Type type) { return getElementTypeOrSelf(type).isInteger(1); }
bool isFloat(Type type) { return llvm::isa<FloatType>(getElementTypeOrSelf(type)); }

template <IntP predicate> LogicalResult compareIntegers(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 2))
    return failure();
  // Some producers compare pointers with integer instructions.
  if (in[0].getType() == in[1].getType() && llvm::isa<LLVM::LLVMPointerType>(in[0].getType()))
    return body.define(ins, LLVM::ICmpOp::create(body.builder, body.loc, body.builder.getI1Type(),
                                                 static_cast<LLVM::ICmpPredicate>(predicate), in[0], in[1]));
  return integerBinary(body, ins, [&](Value a, Value b) { return body.make<arith::CmpIOp>(predicate, a, b); });
}

template <FloatP predicate> LogicalResult compareFloats(Body &body, const Instruction &ins) {
  return floatBinary(body, ins, [&](Value a, Value b) { return body.make<arith::CmpFOp>(predicate, a, b); });
}

LogicalResult logicalBinary(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 2))
    return failure();
  if (in[0].getType() != in[1].getType() || !isBool(in[0].getType()))
    return body.mismatch(ins);
  Value result = ins.op == spv::Op::LogicalOr         ? body.make<arith::OrIOp>(in[0], in[1])
                 : ins.op == spv::Op::LogicalAnd      ? body.make<arith::AndIOp>(in[0], in[1])
                 : ins.op == spv::Op::LogicalNotEqual ? body.make<arith::XOrIOp>(in[0], in[1])
                                                      : body.make<arith::CmpIOp>(IntP::eq, in[0], in[1]);
  return body.define(ins, result);
}

LogicalResult logicalNot(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 1))
    return failure();
  if (!isBool(in[0].getType()))
    return body.mismatch(ins);
  return body.define(ins, body.make<arith::XOrIOp>(in[0], body.constantInt(in[0].getType(), 1)));
}

LogicalResult select(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 3))
    return failure();
  auto conditions = llvm::dyn_cast<VectorType>(in[0].getType());
  auto values = llvm::dyn_cast<VectorType>(in[1].getType());
  if (!isBool(in[0].getType()) || in[1].getType() != in[2].getType() ||
      (conditions && (!values || values.getShape() != conditions.getShape())))
    return body.mismatch(ins);
  return body.define(ins, body.make<arith::SelectOp>(in[0], in[1], in[2]));
}

LogicalResult anyOrAll(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 1))
    return failure();
  if (!isBool(in[0].getType()) || !llvm::isa<VectorType>(in[0].getType()))
    return body.mismatch(ins);
  auto kind = ins.op == spv::Op::Any ? vector::CombiningKind::OR : vector::CombiningKind::AND;
  return body.define(ins, body.make<vector::ReductionOp>(kind, in[0]));
}

LogicalResult classification(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 1))
    return failure();
  if (!isFloat(in[0].getType()))
    return body.mismatch(ins);
  return body.define(ins, classify(body, ins.op, in[0]));
}
} // namespace

/// Classifies floating-point numbers by their bits, which fast-math flags cannot affect.
Value classify(Body &body, spv::Op op, Value number) {
  Type type = number.getType();
  const llvm::fltSemantics &semantics = llvm::cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Type bitsElement = body.builder.getIntegerType(width);
  auto vector = llvm::dyn_cast<VectorType>(type);
  Type bitsType = vector ? Type(VectorType::get(vector.getShape(), bitsElement)) : bitsElement;
  Value bits = body.make<arith::BitcastOp>(bitsType, number);
  if (op == spv::Op::SignBitSet)
    return body.make<arith::CmpIOp>(IntP::slt, bits, body.constantInt(bitsType, 0));
  Value magnitude = body.make<arith::AndIOp>(bits, body.constantInt(bitsType, llvm::APInt::getSignedMaxValue(width)));
  llvm::APInt infinity = llvm::APFloat::getInf(semantics).bitcastToAPInt();
  llvm::APInt smallest = llvm::APFloat::getSmallestNormalized(semantics).bitcastToAPInt();
  switch (op) {
  case spv::Op::IsNan:
    return body.make<arith::CmpIOp>(IntP::ugt, magnitude, body.constantInt(bitsType, infinity));
  case spv::Op::IsInf:
    return body.make<arith::CmpIOp>(IntP::eq, magnitude, body.constantInt(bitsType, infinity));
  case spv::Op::IsFinite:
    return body.make<arith::CmpIOp>(IntP::ult, magnitude, body.constantInt(bitsType, infinity));
  default: { // IsNormal: from the smallest normal number up to infinity, as one unsigned range
    Value above = body.make<arith::SubIOp>(magnitude, body.constantInt(bitsType, smallest));
    return body.make<arith::CmpIOp>(IntP::ult, above, body.constantInt(bitsType, infinity - smallest));
  }
  }
}

void addRelations(InstructionTable &table) {
  table.add(spv::Op::IEqual, compareIntegers<IntP::eq>);
  table.add(spv::Op::INotEqual, compareIntegers<IntP::ne>);
  table.add(spv::Op::UGreaterThan, compareIntegers<IntP::ugt>);
  table.add(spv::Op::SGreaterThan, compareIntegers<IntP::sgt>);
  table.add(spv::Op::UGreaterThanEqual, compareIntegers<IntP::uge>);
  table.add(spv::Op::SGreaterThanEqual, compareIntegers<IntP::sge>);
  table.add(spv::Op::ULessThan, compareIntegers<IntP::ult>);
  table.add(spv::Op::SLessThan, compareIntegers<IntP::slt>);
  table.add(spv::Op::ULessThanEqual, compareIntegers<IntP::ule>);
  table.add(spv::Op::SLessThanEqual, compareIntegers<IntP::sle>);
  table.add(spv::Op::FOrdEqual, compareFloats<FloatP::OEQ>);
  table.add(spv::Op::FUnordEqual, compareFloats<FloatP::UEQ>);
  table.add({spv::Op::FOrdNotEqual, spv::Op::LessOrGreater}, compareFloats<FloatP::ONE>);
  table.add(spv::Op::FUnordNotEqual, compareFloats<FloatP::UNE>);
  table.add(spv::Op::FOrdLessThan, compareFloats<FloatP::OLT>);
  table.add(spv::Op::FUnordLessThan, compareFloats<FloatP::ULT>);
  table.add(spv::Op::FOrdGreaterThan, compareFloats<FloatP::OGT>);
  table.add(spv::Op::FUnordGreaterThan, compareFloats<FloatP::UGT>);
  table.add(spv::Op::FOrdLessThanEqual, compareFloats<FloatP::OLE>);
  table.add(spv::Op::FUnordLessThanEqual, compareFloats<FloatP::ULE>);
  table.add(spv::Op::FOrdGreaterThanEqual, compareFloats<FloatP::OGE>);
  table.add(spv::Op::FUnordGreaterThanEqual, compareFloats<FloatP::UGE>);
  table.add(spv::Op::Ordered, compareFloats<FloatP::ORD>);
  table.add(spv::Op::Unordered, compareFloats<FloatP::UNO>);
  table.add({spv::Op::LogicalEqual, spv::Op::LogicalNotEqual, spv::Op::LogicalOr, spv::Op::LogicalAnd}, logicalBinary);
  table.add(spv::Op::LogicalNot, logicalNot);
  table.add(spv::Op::Select, select);
  table.add({spv::Op::Any, spv::Op::All}, anyOrAll);
  table.add({spv::Op::IsNan, spv::Op::IsInf, spv::Op::IsFinite, spv::Op::IsNormal, spv::Op::SignBitSet},
            classification);
}

} // namespace kiln::import
