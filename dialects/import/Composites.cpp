// Extracts from, inserts into and constructs vectors, arrays and structs.
#include "dialects/import/BodyImporter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::import {
namespace {
/// Returns the type of an element or member of an array or struct; null if the index is out of range.
Type partOf(Type type, uint64_t index) {
  if (auto array = llvm::dyn_cast<LLVM::LLVMArrayType>(type))
    return index < array.getNumElements() ? array.getElementType() : Type();
  if (auto record = llvm::dyn_cast<LLVM::LLVMStructType>(type))
    return index < record.getBody().size() ? record.getBody()[index] : Type();
  return {};
}
} // namespace

ImportResult BodyImporter::importComposite(const Instruction &ins) {
  switch (ins.op) {
  case spv::Op::VectorExtractDynamic: {
    Values in;
    Type type = resultType(ins);
    if (!type || !operands(ins, in, 2))
      return ImportResult::Failure;
    auto vector = llvm::dyn_cast<VectorType>(in[0].getType());
    if (!vector || !llvm::isa<IntegerType>(in[1].getType()) || in[1].getType().isInteger(1))
      return importResult(mismatch(ins));
    if (Value component = queryComponent(in[0], in[1], type))
      return importResult(define(ins, component));
    return importResult(define(ins, extractAt(in[0], in[1])));
  }
  case spv::Op::VectorInsertDynamic: {
    Values in;
    if (!operands(ins, in, 3))
      return ImportResult::Failure;
    auto vector = llvm::dyn_cast<VectorType>(in[0].getType());
    if (!vector || in[1].getType() != vector.getElementType() || !llvm::isa<IntegerType>(in[2].getType()) ||
        in[2].getType().isInteger(1))
      return importResult(mismatch(ins));
    llvm::APInt known;
    if (matchPattern(in[2], m_ConstantInt(&known)))
      return importResult(
          define(ins, known.ult(vector.getNumElements())
                          ? make<vector::InsertOp>(in[1], in[0], static_cast<int64_t>(known.getZExtValue()))
                          : in[0]));
    return importResult(define(
        ins, vector::InsertOp::create(builder, loc, in[1], in[0], OpFoldResult(toIndex(inRange(in[2], vector))))));
  }
  case spv::Op::VectorShuffle:
    return importResult(shuffle(ins));
  case spv::Op::CompositeConstruct:
    return importResult(construct(ins));
  case spv::Op::CompositeExtract: {
    Type type = resultType(ins);
    Value value = this->value(ins.args[0], ins);
    if (!type || !value)
      return ImportResult::Failure;
    if (ins.args.size() == 2 && ins.args[1] > 2) // get_global_id(3), as the translator writes it
      if (Value component = queryComponent(value, constantInt(builder.getI32Type(), ins.args[1]), type))
        return importResult(define(ins, component));
    return importResult(define(ins, extract(value, ins.args.drop_front())));
  }
  case spv::Op::CompositeInsert: {
    Values in;
    if (!operands(ins, in, 2))
      return ImportResult::Failure;
    return importResult(define(ins, insert(in[1], in[0], ins.args.drop_front(2))));
  }
  case spv::Op::CopyObject:
  case spv::Op::CopyLogical:
  case spv::Op::ExpectKHR: {
    if (auto pointer = builtInPointer(ins.args[0])) {
      builtInPointers_[ins.result] = *pointer;
      return ImportResult::Success;
    }
    Value value = this->value(ins.args[0], ins);
    return importResult(value ? define(ins, value) : failure());
  }
  default:
    return ImportResult::NotHandled;
  }
}

/// Clamps an index to the vector. Beyond the end, the value is undefined in SPIR-V and poison in `vector`.
Value BodyImporter::inRange(Value index, VectorType vector) {
  return make<arith::MinUIOp>(index, constantInt(index.getType(), static_cast<uint64_t>(vector.getNumElements() - 1)));
}

Value BodyImporter::extractAt(Value vector, Value index) {
  auto type = llvm::cast<VectorType>(vector.getType());
  llvm::APInt known;
  if (matchPattern(index, m_ConstantInt(&known)))
    return make<vector::ExtractOp>(vector, static_cast<int64_t>(known.getLimitedValue(type.getNumElements() - 1)));
  return vector::ExtractOp::create(builder, loc, vector, OpFoldResult(toIndex(inRange(index, type))));
}

/// An undefined component becomes component 0 of the first vector, which is not poison.
LogicalResult BodyImporter::shuffle(const Instruction &ins) {
  Values in;
  Type type = resultType(ins);
  if (!type || !operands(ins, in, 2))
    return failure();
  auto first = llvm::dyn_cast<VectorType>(in[0].getType()), second = llvm::dyn_cast<VectorType>(in[1].getType());
  if (!first || !second || first.getElementType() != second.getElementType())
    return mismatch(ins);
  int64_t total = first.getNumElements() + second.getNumElements();
  SmallVector<int64_t> mask;
  for (uint32_t component : ins.args.drop_front(2)) {
    if (component != ~0u && component >= total)
      return error(ins) << "has component literal " << component << ", must be below " << total;
    mask.push_back(component == ~0u ? 0 : component);
  }
  auto result = llvm::dyn_cast<VectorType>(type);
  if (!result || result.getNumElements() != static_cast<int64_t>(mask.size()))
    return mismatch(ins);
  return define(ins, make<vector::ShuffleOp>(in[0], in[1], mask));
}

LogicalResult BodyImporter::construct(const Instruction &ins) {
  Values in;
  Type type = resultType(ins);
  if (!type || !operands(ins, in, ins.args.size()))
    return failure();
  if (auto vector = llvm::dyn_cast<VectorType>(type)) { // of scalars and of vectors, in any mix
    SmallVector<Value> components;
    for (Value part : in) {
      auto partVector = llvm::dyn_cast<VectorType>(part.getType());
      if (getElementTypeOrSelf(part.getType()) != vector.getElementType())
        return mismatch(ins);
      if (!partVector)
        components.push_back(part);
      for (int64_t i = 0; partVector && i < partVector.getNumElements(); ++i)
        components.push_back(make<vector::ExtractOp>(part, i));
    }
    if (static_cast<int64_t>(components.size()) != vector.getNumElements())
      return mismatch(ins);
    return define(ins, make<vector::FromElementsOp>(vector, components));
  }
  auto array = llvm::dyn_cast<LLVM::LLVMArrayType>(type);
  auto record = llvm::dyn_cast<LLVM::LLVMStructType>(type);
  if ((!array && !record) || in.size() != (array ? array.getNumElements() : record.getBody().size()))
    return mismatch(ins);
  Value result = LLVM::UndefOp::create(builder, loc, type);
  for (auto [index, part] : llvm::enumerate(in)) {
    if (part.getType() != partOf(type, index))
      return mismatch(ins);
    result = LLVM::InsertValueOp::create(builder, loc, result, part, static_cast<int64_t>(index));
  }
  return define(ins, result);
}

/// Returns the part at a path of indices; null if an index is out of range.
Value BodyImporter::extract(Value value, ArrayRef<uint32_t> path) {
  SmallVector<int64_t> outer; // the part of the path through arrays and structs
  Type type = value.getType();
  while (!path.empty() && !llvm::isa<VectorType>(type)) {
    type = partOf(type, path.front());
    if (!type)
      return {};
    outer.push_back(path.front());
    path = path.drop_front();
  }
  if (path.size() > 1 || (!path.empty() && path[0] >= llvm::cast<VectorType>(type).getNumElements()))
    return {};
  if (!outer.empty())
    value = make<LLVM::ExtractValueOp>(value, outer);
  if (path.empty())
    return value;
  if (auto built = value.getDefiningOp<vector::FromElementsOp>())
    return built.getElements()[path[0]];
  return make<vector::ExtractOp>(value, static_cast<int64_t>(path[0]));
}

Value BodyImporter::insert(Value composite, Value part, ArrayRef<uint32_t> path) {
  SmallVector<int64_t> outer;
  Type type = composite.getType();
  while (!path.empty() && !llvm::isa<VectorType>(type)) {
    type = partOf(type, path.front());
    if (!type)
      return {};
    outer.push_back(path.front());
    path = path.drop_front();
  }
  if (path.size() > 1)
    return {};
  if (!path.empty()) { // a component of a vector, which may itself be a part
    auto vector = llvm::cast<VectorType>(type);
    if (path[0] >= vector.getNumElements() || part.getType() != vector.getElementType())
      return {};
    Value old = outer.empty() ? composite : make<LLVM::ExtractValueOp>(composite, outer);
    part = make<vector::InsertOp>(part, old, static_cast<int64_t>(path[0]));
  }
  if (part.getType() != type)
    return {};
  if (outer.empty())
    return part;
  return LLVM::InsertValueOp::create(builder, loc, composite, part, outer);
}

} // namespace kiln::import
