// OpenCL.std's vector loads and stores, half-precision memory, and shuffles.
#include "dialects/import/Bits.h"
#include "dialects/import/Std.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::import {
namespace {
bool isFloat(Type type) { return llvm::isa<FloatType>(getElementTypeOrSelf(type)); }

/// Returns the address of vector number `offset`, for vectors `stride` elements apart; null if the operands do not
/// match.
Value vectorAddress(Body &body, const Instruction &ins, size_t offsetAt, Type element, uint64_t stride) {
  Values in;
  if (!body.operands(ins, in, 2, offsetAt))
    return {};
  auto pointer = llvm::dyn_cast<LLVM::LLVMPointerType>(in[1].getType());
  const TypeInfo *pointee = body.module.memoryType(body.module.pointeeOf(ins.args[offsetAt + 1]), ins);
  if (!pointee)
    return {};
  if (!pointer || pointee->type != element || !llvm::isa<IntegerType>(in[0].getType()) || in[0].getType().isInteger(1))
    return (void)body.mismatch(ins), Value();
  Type i64 = body.builder.getI64Type();
  Value offset = resize(body, in[0], i64);
  Value index = body.make<arith::MulIOp>(offset, body.constantInt(i64, stride));
  return LLVM::GEPOp::create(body.builder, body.loc, pointer, element, in[1], ArrayRef<LLVM::GEPArg>{index});
}

LogicalResult vectorLoad(Body &body, const Instruction &ins, spv::Std fn) {
  Type type = body.resultType(ins);
  if (!type)
    return failure();
  bool isHalf = fn != spv::Std::vloadn, isAligned = fn == spv::Std::vloada_halfn;
  if (isHalf ? !isFloat(type) : !llvm::isa<VectorType>(type) || getElementTypeOrSelf(type).isInteger(1))
    return body.mismatch(ins);
  if ((fn == spv::Std::vload_half) != (components(type) == 1) ||
      (fn != spv::Std::vload_half && ins.args[4] != static_cast<uint64_t>(components(type)))) // the literal n
    return body.mismatch(ins);
  Type element = isHalf ? body.builder.getF16Type() : getElementTypeOrSelf(type);
  uint64_t stride = isAligned && components(type) == 3 ? 4 : static_cast<uint64_t>(components(type));
  Value address = vectorAddress(body, ins, 2, element, stride);
  if (!address)
    return failure();
  unsigned size = element.getIntOrFloatBitWidth() / 8;
  unsigned align = isAligned ? size * static_cast<unsigned>(stride) : size;
  auto vector = llvm::dyn_cast<VectorType>(type);
  Type memory = vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  Value loaded = LLVM::LoadOp::create(body.builder, body.loc, memory, address, align);
  return body.define(ins, memory == type ? loaded : body.make<arith::ExtFOp>(type, loaded));
}

LogicalResult vectorStore(Body &body, const Instruction &ins, spv::Std fn) {
  Value data = body.value(ins.args[2], ins);
  if (!data)
    return failure();
  Type type = data.getType();
  bool isHalf = fn != spv::Std::vstoren;
  bool isAligned = fn == spv::Std::vstorea_halfn || fn == spv::Std::vstorea_halfn_r;
  bool isScalar = fn == spv::Std::vstore_half || fn == spv::Std::vstore_half_r;
  if (isHalf ? !isFloat(type) : !llvm::isa<VectorType>(type) || getElementTypeOrSelf(type).isInteger(1))
    return body.mismatch(ins);
  if (isScalar != (components(type) == 1))
    return body.mismatch(ins);
  Type element = isHalf ? body.builder.getF16Type() : getElementTypeOrSelf(type);
  uint64_t stride = isAligned && components(type) == 3 ? 4 : static_cast<uint64_t>(components(type));
  Value address = vectorAddress(body, ins, 3, element, stride);
  if (!address)
    return failure();
  auto vector = llvm::dyn_cast<VectorType>(type);
  Type memory = vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  if (memory != type) {
    std::optional<ocl::Rounding> rounding = ocl::Rounding::rte;
    if (ins.args.size() > 5)
      rounding = ocl::symbolizeRounding(ins.args[5]); // the enum has SPIR-V's values
    if (!rounding)
      return body.error(ins) << "has a rounding mode that is not valid";
    data = *rounding == ocl::Rounding::rte
               ? body.make<arith::TruncFOp>(memory, data)
               : Value(ocl::ConvertOp::create(body.builder, body.loc, memory, *rounding, data, false, false, false));
  }
  unsigned size = element.getIntOrFloatBitWidth() / 8;
  LLVM::StoreOp::create(body.builder, body.loc, data, address, isAligned ? size * static_cast<unsigned>(stride) : size);
  return success();
}

/// Selects components by the low bits of a mask. A constant mask becomes a vector.shuffle.
LogicalResult shuffleByMask(Body &body, const Instruction &ins, bool two) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, two ? 3 : 2, 2))
    return failure();
  auto source = llvm::dyn_cast<VectorType>(in[0].getType());
  auto mask = llvm::dyn_cast<VectorType>(in.back().getType());
  auto result = llvm::dyn_cast<VectorType>(type);
  if (!source || !mask || !result || (two && in[1].getType() != source) ||
      !llvm::isa<IntegerType>(mask.getElementType()) || mask.getShape() != result.getShape() ||
      source.getElementType() != result.getElementType() || source.getNumElements() == 3)
    return body.mismatch(ins);
  int64_t count = source.getNumElements() * (two ? 2 : 1);
  Value second = two ? in[1] : in[0];
  DenseIntElementsAttr known;
  if (matchPattern(in.back(), m_Constant(&known))) {
    SmallVector<int64_t> picks;
    for (const llvm::APInt &pick : known.getValues<llvm::APInt>())
      picks.push_back(static_cast<int64_t>(pick.getZExtValue() & (count - 1)));
    return body.define(ins, body.make<vector::ShuffleOp>(in[0], second, picks));
  }
  Value all = in[0];
  if (two) {
    auto everything = llvm::to_vector(llvm::seq<int64_t>(0, count));
    all = body.make<vector::ShuffleOp>(in[0], second, everything);
  }
  SmallVector<Value> components;
  for (int64_t i = 0; i < result.getNumElements(); ++i) {
    Value pick = body.make<vector::ExtractOp>(in.back(), i);
    pick = body.make<arith::AndIOp>(pick, body.constantInt(mask.getElementType(), count - 1));
    components.push_back(vector::ExtractOp::create(body.builder, body.loc, all, OpFoldResult(body.toIndex(pick))));
  }
  return body.define(ins, body.make<vector::FromElementsOp>(result, components));
}
} // namespace

void addStdVector(StdTable &table) {
  table.add(spv::Std::prefetch, [](Body &, const Instruction &) { return success(); }); // a hint
  table.add({spv::Std::vloadn, spv::Std::vload_half, spv::Std::vload_halfn, spv::Std::vloada_halfn},
            [](Body &body, const Instruction &ins) { return vectorLoad(body, ins, stdFunction(ins)); });
  table.add({spv::Std::vstoren, spv::Std::vstore_half, spv::Std::vstore_half_r, spv::Std::vstore_halfn,
             spv::Std::vstore_halfn_r, spv::Std::vstorea_halfn, spv::Std::vstorea_halfn_r},
            [](Body &body, const Instruction &ins) { return vectorStore(body, ins, stdFunction(ins)); });
  table.add({spv::Std::shuffle, spv::Std::shuffle2}, [](Body &body, const Instruction &ins) {
    return shuffleByMask(body, ins, stdFunction(ins) == spv::Std::shuffle2);
  });
}

} // namespace kiln::import
