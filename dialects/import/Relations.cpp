// Comparisons, logic and selection. Booleans are i1, or vectors of it.
#include "dialects/import/BodyImporter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::import {
namespace {
using IntP = arith::CmpIPredicate;
using FloatP = arith::CmpFPredicate;

std::optional<IntP> integerPredicate(spv::Op op) {
  switch (op) {
  case spv::Op::IEqual:
    return IntP::eq;
  case spv::Op::INotEqual:
    return IntP::ne;
  case spv::Op::UGreaterThan:
    return IntP::ugt;
  case spv::Op::SGreaterThan:
    return IntP::sgt;
  case spv::Op::UGreaterThanEqual:
    return IntP::uge;
  case spv::Op::SGreaterThanEqual:
    return IntP::sge;
  case spv::Op::ULessThan:
    return IntP::ult;
  case spv::Op::SLessThan:
    return IntP::slt;
  case spv::Op::ULessThanEqual:
    return IntP::ule;
  case spv::Op::SLessThanEqual:
    return IntP::sle;
  default:
    return std::nullopt;
  }
}

std::optional<FloatP> floatPredicate(spv::Op op) {
  switch (op) {
  case spv::Op::FOrdEqual:
    return FloatP::OEQ;
  case spv::Op::FUnordEqual:
    return FloatP::UEQ;
  case spv::Op::FOrdNotEqual:
  case spv::Op::LessOrGreater:
    return FloatP::ONE;
  case spv::Op::FUnordNotEqual:
    return FloatP::UNE;
  case spv::Op::FOrdLessThan:
    return FloatP::OLT;
  case spv::Op::FUnordLessThan:
    return FloatP::ULT;
  case spv::Op::FOrdGreaterThan:
    return FloatP::OGT;
  case spv::Op::FUnordGreaterThan:
    return FloatP::UGT;
  case spv::Op::FOrdLessThanEqual:
    return FloatP::OLE;
  case spv::Op::FUnordLessThanEqual:
    return FloatP::ULE;
  case spv::Op::FOrdGreaterThanEqual:
    return FloatP::OGE;
  case spv::Op::FUnordGreaterThanEqual:
    return FloatP::UGE;
  case spv::Op::Ordered:
    return FloatP::ORD;
  case spv::Op::Unordered:
    return FloatP::UNO;
  default:
    return std::nullopt;
  }
}

bool isBool(Type type) { return getElementTypeOrSelf(type).isInteger(1); }
bool isFloat(Type type) { return llvm::isa<FloatType>(getElementTypeOrSelf(type)); }
} // namespace

ImportResult BodyImporter::importRelation(const Instruction &ins) {
  if (auto predicate = integerPredicate(ins.op)) {
    Values in;
    if (!operands(ins, in, 2))
      return ImportResult::Failure;
    // Some producers compare pointers with integer instructions.
    if (in[0].getType() == in[1].getType() && llvm::isa<LLVM::LLVMPointerType>(in[0].getType()))
      return importResult(
          define(ins, LLVM::ICmpOp::create(builder, loc, builder.getI1Type(),
                                           static_cast<LLVM::ICmpPredicate>(*predicate), in[0], in[1])));
    return importResult(integerBinary(ins, [&](Value a, Value b) { return make<arith::CmpIOp>(*predicate, a, b); }));
  }
  if (auto predicate = floatPredicate(ins.op))
    return importResult(floatBinary(ins, [&](Value a, Value b) { return make<arith::CmpFOp>(*predicate, a, b); }));

  switch (ins.op) {
  case spv::Op::LogicalEqual:
  case spv::Op::LogicalNotEqual:
  case spv::Op::LogicalOr:
  case spv::Op::LogicalAnd: {
    Values in;
    if (!operands(ins, in, 2))
      return ImportResult::Failure;
    if (in[0].getType() != in[1].getType() || !isBool(in[0].getType()))
      return importResult(mismatch(ins));
    Value result = ins.op == spv::Op::LogicalOr         ? make<arith::OrIOp>(in[0], in[1])
                   : ins.op == spv::Op::LogicalAnd      ? make<arith::AndIOp>(in[0], in[1])
                   : ins.op == spv::Op::LogicalNotEqual ? make<arith::XOrIOp>(in[0], in[1])
                                                        : make<arith::CmpIOp>(IntP::eq, in[0], in[1]);
    return importResult(define(ins, result));
  }
  case spv::Op::LogicalNot: {
    Values in;
    if (!operands(ins, in, 1))
      return ImportResult::Failure;
    if (!isBool(in[0].getType()))
      return importResult(mismatch(ins));
    return importResult(define(ins, make<arith::XOrIOp>(in[0], constantInt(in[0].getType(), 1))));
  }
  case spv::Op::Select: {
    Values in;
    if (!operands(ins, in, 3))
      return ImportResult::Failure;
    auto conditions = llvm::dyn_cast<VectorType>(in[0].getType());
    auto values = llvm::dyn_cast<VectorType>(in[1].getType());
    if (!isBool(in[0].getType()) || in[1].getType() != in[2].getType() ||
        (conditions && (!values || values.getShape() != conditions.getShape())))
      return importResult(mismatch(ins));
    return importResult(define(ins, make<arith::SelectOp>(in[0], in[1], in[2])));
  }
  case spv::Op::Any:
  case spv::Op::All: {
    Values in;
    if (!operands(ins, in, 1))
      return ImportResult::Failure;
    if (!isBool(in[0].getType()) || !llvm::isa<VectorType>(in[0].getType()))
      return importResult(mismatch(ins));
    auto kind = ins.op == spv::Op::Any ? vector::CombiningKind::OR : vector::CombiningKind::AND;
    return importResult(define(ins, make<vector::ReductionOp>(kind, in[0])));
  }
  case spv::Op::IsNan:
  case spv::Op::IsInf:
  case spv::Op::IsFinite:
  case spv::Op::IsNormal:
  case spv::Op::SignBitSet: {
    Values in;
    if (!operands(ins, in, 1))
      return ImportResult::Failure;
    if (!isFloat(in[0].getType()))
      return importResult(mismatch(ins));
    return importResult(define(ins, classify(ins.op, in[0])));
  }
  default:
    return ImportResult::NotHandled;
  }
}

/// Classifies floating-point numbers by their bits, which fast-math flags cannot affect.
Value BodyImporter::classify(spv::Op op, Value number) {
  Type type = number.getType();
  const llvm::fltSemantics &semantics = llvm::cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Type bitsElement = builder.getIntegerType(width);
  auto vector = llvm::dyn_cast<VectorType>(type);
  Type bitsType = vector ? Type(VectorType::get(vector.getShape(), bitsElement)) : bitsElement;
  Value bits = make<arith::BitcastOp>(bitsType, number);
  if (op == spv::Op::SignBitSet)
    return make<arith::CmpIOp>(IntP::slt, bits, constantInt(bitsType, 0));
  Value magnitude = make<arith::AndIOp>(bits, constantInt(bitsType, llvm::APInt::getSignedMaxValue(width)));
  llvm::APInt infinity = llvm::APFloat::getInf(semantics).bitcastToAPInt();
  llvm::APInt smallest = llvm::APFloat::getSmallestNormalized(semantics).bitcastToAPInt();
  switch (op) {
  case spv::Op::IsNan:
    return make<arith::CmpIOp>(IntP::ugt, magnitude, constantInt(bitsType, infinity));
  case spv::Op::IsInf:
    return make<arith::CmpIOp>(IntP::eq, magnitude, constantInt(bitsType, infinity));
  case spv::Op::IsFinite:
    return make<arith::CmpIOp>(IntP::ult, magnitude, constantInt(bitsType, infinity));
  default: { // IsNormal: from the smallest normal number up to infinity, as one unsigned range
    Value above = make<arith::SubIOp>(magnitude, constantInt(bitsType, smallest));
    return make<arith::CmpIOp>(IntP::ult, above, constantInt(bitsType, infinity - smallest));
  }
  }
}

} // namespace kiln::import
