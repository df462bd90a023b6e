// Extracts from, inserts into and constructs vectors, arrays and structs.
#include "dialects/import/Bits.h"
#include "dialects/import/BuiltInVariables.h"
#include "dialects/import/Instructions.h"
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

/// Clamps an index to the vector. Beyond the end, the value is undefined in SPIR-V and poison in `vector`.
Value inRange(Body &body, Value index, VectorType vector) {
  return body.make<arith::MinUIOp>(
      index, body.constantInt(index.getType(), static_cast<uint64_t>(vector.getNumElements() - 1)));
}

Value extractAt(Body &body, Value vector, Value index) {
  auto type = llvm::cast<VectorType>(vector.getType());
  llvm::APInt known;
  if (matchPattern(index, m_ConstantInt(&known)))
    return body.make<vector::ExtractOp>(vector, static_cast<int64_t>(known.getLimitedValue(type.getNumElements() - 1)));
  return vector::ExtractOp::create(body.builder, body.loc, vector,
                                   OpFoldResult(body.toIndex(inRange(body, index, type))));
}

/// The number of a component of a matrix: any that is too large names the last one.
Value componentNumber(Body &body, Value index) {
  const Type i32 = body.builder.getI32Type();
  if (index.getType().getIntOrFloatBitWidth() > 32)
    index = body.make<arith::MinUIOp>(index, body.constantInt(index.getType(), UINT32_MAX));
  return resize(body, index, i32);
}

/// Kiln's front end has these for matrices as well.
LogicalResult extractDynamic(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 2))
    return failure();
  auto vector = llvm::dyn_cast<VectorType>(in[0].getType());
  auto matrix = llvm::dyn_cast<ocl::MatrixType>(in[0].getType());
  if ((!vector && !matrix) || !llvm::isa<IntegerType>(in[1].getType()) || in[1].getType().isInteger(1))
    return body.mismatch(ins);
  if (matrix)
    return body.define(ins, body.make<ocl::MatrixExtractOp>(matrix.getElement(), in[0], componentNumber(body, in[1])));
  if (Value component = queryComponent(body, in[0], in[1], type))
    return body.define(ins, component);
  return body.define(ins, extractAt(body, in[0], in[1]));
}

LogicalResult insertDynamic(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 3))
    return failure();
  auto vector = llvm::dyn_cast<VectorType>(in[0].getType());
  auto matrix = llvm::dyn_cast<ocl::MatrixType>(in[0].getType());
  const Type element = vector ? vector.getElementType() : matrix ? matrix.getElement() : Type();
  if (!element || in[1].getType() != element || !llvm::isa<IntegerType>(in[2].getType()) ||
      in[2].getType().isInteger(1))
    return body.mismatch(ins);
  if (matrix)
    return body.define(ins,
                       ocl::MatrixInsertOp::create(body.builder, body.loc, in[1], in[0], componentNumber(body, in[2])));
  llvm::APInt known;
  if (matchPattern(in[2], m_ConstantInt(&known)))
    return body.define(ins, known.ult(vector.getNumElements())
                                ? body.make<vector::InsertOp>(in[1], in[0], static_cast<int64_t>(known.getZExtValue()))
                                : in[0]);
  return body.define(ins, vector::InsertOp::create(body.builder, body.loc, in[1], in[0],
                                                   OpFoldResult(body.toIndex(inRange(body, in[2], vector)))));
}

/// Returns the part at a path of indices; null if an index is out of range.
Value extract(Body &body, Value value, ArrayRef<uint32_t> path) {
  SmallVector<int64_t> outer; // the part of the path through arrays and structs
  Type type = value.getType();
  while (!path.empty() && !llvm::isa<VectorType, ocl::MatrixType>(type)) {
    type = partOf(type, path.front());
    if (!type)
      return {};
    outer.push_back(path.front());
    path = path.drop_front();
  }
  auto vector = llvm::dyn_cast<VectorType>(type);
  if (path.size() > 1 || (!path.empty() && vector && path[0] >= vector.getNumElements()))
    return {};
  if (!outer.empty())
    value = body.make<LLVM::ExtractValueOp>(value, outer);
  if (path.empty())
    return value;
  if (!vector)
    return body.make<ocl::MatrixExtractOp>(llvm::cast<ocl::MatrixType>(type).getElement(), value,
                                           body.constantInt(body.builder.getI32Type(), path[0]));
  if (auto built = value.getDefiningOp<vector::FromElementsOp>())
    return built.getElements()[path[0]];
  return body.make<vector::ExtractOp>(value, static_cast<int64_t>(path[0]));
}

LogicalResult compositeExtract(Body &body, const Instruction &ins) {
  Type type = body.resultType(ins);
  Value value = body.value(ins.args[0], ins);
  if (!type || !value)
    return failure();
  if (ins.args.size() == 2 && ins.args[1] > 2) // get_global_id(3), as the translator writes it
    if (Value component = queryComponent(body, value, body.constantInt(body.builder.getI32Type(), ins.args[1]), type))
      return body.define(ins, component);
  return body.define(ins, extract(body, value, ins.args.drop_front()));
}

Value insert(Body &body, Value composite, Value part, ArrayRef<uint32_t> path) {
  SmallVector<int64_t> outer;
  Type type = composite.getType();
  while (!path.empty() && !llvm::isa<VectorType, ocl::MatrixType>(type)) {
    type = partOf(type, path.front());
    if (!type)
      return {};
    outer.push_back(path.front());
    path = path.drop_front();
  }
  if (path.size() > 1)
    return {};
  if (!path.empty()) { // a component of a vector or matrix, which may itself be a part
    auto vector = llvm::dyn_cast<VectorType>(type);
    auto matrix = llvm::dyn_cast<ocl::MatrixType>(type);
    if ((vector && path[0] >= vector.getNumElements()) ||
        part.getType() != (vector ? vector.getElementType() : matrix.getElement()))
      return {};
    Value old = outer.empty() ? composite : body.make<LLVM::ExtractValueOp>(composite, outer);
    if (vector)
      part = body.make<vector::InsertOp>(part, old, static_cast<int64_t>(path[0]));
    else
      part = ocl::MatrixInsertOp::create(body.builder, body.loc, part, old,
                                         body.constantInt(body.builder.getI32Type(), path[0]));
  }
  if (part.getType() != type)
    return {};
  if (outer.empty())
    return part;
  return LLVM::InsertValueOp::create(body.builder, body.loc, composite, part, outer);
}

LogicalResult compositeInsert(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 2))
    return failure();
  return body.define(ins, insert(body, in[1], in[0], ins.args.drop_front(2)));
}

LogicalResult copyObject(Body &body, const Instruction &ins) {
  if (auto pointer = builtInPointer(body, ins.args[0])) {
    body.builtInPointers[ins.result] = *pointer;
    return success();
  }
  Value value = body.value(ins.args[0], ins);
  return value ? body.define(ins, value) : failure();
}

/// An undefined component becomes component 0 of the first vector, which is not poison.
LogicalResult shuffle(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 2))
    return failure();
  auto first = llvm::dyn_cast<VectorType>(in[0].getType()), second = llvm::dyn_cast<VectorType>(in[1].getType());
  if (!first || !second || first.getElementType() != second.getElementType())
    return body.mismatch(ins);
  int64_t total = first.getNumElements() + second.getNumElements();
  SmallVector<int64_t> mask;
  for (uint32_t component : ins.args.drop_front(2)) {
    if (component != ~0u && component >= total)
      return body.error(ins) << "has component literal " << component << ", must be below " << total;
    mask.push_back(component == ~0u ? 0 : component);
  }
  auto result = llvm::dyn_cast<VectorType>(type);
  if (!result || result.getNumElements() != static_cast<int64_t>(mask.size()))
    return body.mismatch(ins);
  return body.define(ins, body.make<vector::ShuffleOp>(in[0], in[1], mask));
}

LogicalResult construct(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, ins.args.size()))
    return failure();
  if (auto vector = llvm::dyn_cast<VectorType>(type)) { // of scalars and of vectors, in any mix
    SmallVector<Value> components;
    for (Value part : in) {
      auto partVector = llvm::dyn_cast<VectorType>(part.getType());
      if (getElementTypeOrSelf(part.getType()) != vector.getElementType())
        return body.mismatch(ins);
      if (!partVector)
        components.push_back(part);
      for (int64_t i = 0; partVector && i < partVector.getNumElements(); ++i)
        components.push_back(body.make<vector::ExtractOp>(part, i));
    }
    if (static_cast<int64_t>(components.size()) != vector.getNumElements())
      return body.mismatch(ins);
    return body.define(ins, body.make<vector::FromElementsOp>(vector, components));
  }
  if (auto matrix = llvm::dyn_cast<ocl::MatrixType>(type)) { // all components are one scalar
    if (in.size() != 1 || in[0].getType() != matrix.getElement())
      return body.mismatch(ins);
    return body.define(ins, body.make<ocl::MatrixFillOp>(in[0], matrix));
  }
  auto array = llvm::dyn_cast<LLVM::LLVMArrayType>(type);
  auto record = llvm::dyn_cast<LLVM::LLVMStructType>(type);
  if ((!array && !record) || in.size() != (array ? array.getNumElements() : record.getBody().size()))
    return body.mismatch(ins);
  Value result = LLVM::UndefOp::create(body.builder, body.loc, type);
  for (auto [index, part] : llvm::enumerate(in)) {
    if (part.getType() != partOf(type, index))
      return body.mismatch(ins);
    result = LLVM::InsertValueOp::create(body.builder, body.loc, result, part, static_cast<int64_t>(index));
  }
  return body.define(ins, result);
}
} // namespace

void addComposites(InstructionTable &table) {
  table.add(spv::Op::VectorExtractDynamic, extractDynamic);
  table.add(spv::Op::VectorInsertDynamic, insertDynamic);
  table.add(spv::Op::VectorShuffle, shuffle);
  table.add(spv::Op::CompositeConstruct, construct);
  table.add(spv::Op::CompositeExtract, compositeExtract);
  table.add(spv::Op::CompositeInsert, compositeInsert);
  table.add({spv::Op::CopyObject, spv::Op::CopyLogical, spv::Op::ExpectKHR}, copyObject);
}

} // namespace kiln::import
