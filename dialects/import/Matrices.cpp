// Cooperative matrices: the type, loads and stores, multiplications, and arithmetic on each component.
//
//   %s = OpFAdd %mat %x %y   ==>   %s = ocl.matrix_map %x, %y { ^bb0(%a: f32, %b: f32): arith.addf %a, %b ... }
#include "dialects/import/Matrices.h"
#include "dialects/import/Bits.h"
#include "dialects/import/Instructions.h"
#include "dialects/import/Memory.h"

using namespace mlir;

namespace kiln::import {
namespace {
bool isMatrix(Value value) { return llvm::isa<ocl::MatrixType>(value.getType()); }

std::optional<ocl::MatrixLayout> layoutOf(Body &body, const Instruction &ins, uint32_t id) {
  const std::optional<uint64_t> number = body.module.integer(id);
  const auto layout = number && *number <= 1 ? ocl::symbolizeMatrixLayout(uint32_t(*number)) : std::nullopt;
  if (!layout)
    (void)(body.error(ins) << "has a Memory Layout that is not a constant, RowMajorKHR or ColumnMajorKHR");
  return layout;
}

/// What a load and a store have in common. `matrix`: its operands from the Memory Layout on are at args[first].
struct Place {
  Value pointer, stride;
  ocl::MatrixLayout layout{};
  MemoryOperands access;

  IntegerAttr alignment(Body &body) const {
    return access.align ? body.builder.getI64IntegerAttr(int64_t(access.align)) : IntegerAttr();
  }
};

/// The Stride is a number of elements of the pointer's type, which need not be that of the matrix's components.
std::optional<Place> placeOf(Body &body, const Instruction &ins, size_t first, ocl::MatrixType matrix) {
  Place place;
  place.pointer = body.value(ins.args[0], ins);
  const TypeInfo *pointee = place.pointer ? body.module.memoryType(body.module.pointeeOf(ins.args[0]), ins) : nullptr;
  if (!pointee)
    return std::nullopt;
  if (!llvm::isa<LLVM::LLVMPointerType>(place.pointer.getType()) ||
      !llvm::isa<IntegerType, FloatType>(getElementTypeOrSelf(pointee->type)))
    return (void)body.mismatch(ins), std::nullopt;
  const auto layout = layoutOf(body, ins, ins.args[first]);
  if (!layout)
    return std::nullopt;
  place.layout = *layout;
  Type i64 = body.builder.getI64Type();
  if (ins.args.size() > first + 1) {
    Value stride = body.value(ins.args[first + 1], ins);
    if (!stride)
      return std::nullopt;
    if (!llvm::isa<IntegerType>(stride.getType()) || stride.getType().isInteger(1))
      return (void)body.mismatch(ins), std::nullopt;
    place.stride = body.make<arith::MulIOp>(resize(body, stride, i64), body.constantInt(i64, pointee->size));
  } else { // rows or columns follow each other
    const bool isRowMajor = *layout == ocl::MatrixLayout::row_major;
    const int64_t length = isRowMajor ? matrix.getColumns() : matrix.getRows();
    place.stride = body.constantInt(i64, uint64_t(length) * (matrix.getElement().getIntOrFloatBitWidth() / 8));
  }
  const std::optional<MemoryOperands> access = memoryOperands(body, ins, std::min(first + 2, ins.args.size()));
  if (!access)
    return std::nullopt;
  place.access = *access;
  return place;
}

LogicalResult load(Body &body, const Instruction &ins) {
  const auto matrix = llvm::dyn_cast_if_present<ocl::MatrixType>(body.resultType(ins));
  if (!matrix)
    return body.mismatch(ins);
  const std::optional<Place> place = placeOf(body, ins, 1, matrix);
  if (!place)
    return failure();
  return body.define(ins, ocl::MatrixLoadOp::create(body.builder, body.loc, matrix, place->layout, place->pointer,
                                                    place->stride, place->access.isVolatile,
                                                    place->access.isNontemporal, place->alignment(body)));
}

LogicalResult store(Body &body, const Instruction &ins) {
  Value value = body.value(ins.args[1], ins);
  if (!value)
    return failure();
  if (!isMatrix(value))
    return body.mismatch(ins);
  const std::optional<Place> place = placeOf(body, ins, 2, llvm::cast<ocl::MatrixType>(value.getType()));
  if (!place)
    return failure();
  ocl::MatrixStoreOp::create(body.builder, body.loc, value, place->layout, place->pointer, place->stride,
                             place->access.isVolatile, place->access.isNontemporal, place->alignment(body));
  return success();
}

LogicalResult multiplyAdd(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 3))
    return failure();
  if (!llvm::all_of(in, isMatrix) || in[2].getType() != body.resultType(ins))
    return body.mismatch(ins);
  const auto flags = ocl::symbolizeMatrixFlags(ins.args.size() > 3 ? ins.args[3] : 0);
  if (!flags)
    return body.error(ins) << "has Cooperative Matrix Operands that do not exist";
  const auto accumulator = llvm::cast<ocl::MatrixType>(in[2].getType());
  // Signs of floating-point components mean nothing.
  const bool isFloat = llvm::isa<FloatType>(accumulator.getElement());
  if (isFloat && bitEnumContainsAny(*flags, ocl::MatrixFlags::saturates))
    return body.error(ins) << "saturates, and has floating-point components";
  auto product = ocl::MatrixMultiplyAddOp::create(body.builder, body.loc, in[0], in[1], in[2],
                                                  isFloat ? ocl::MatrixFlags::none : *flags);
  bool isValid = false;
  {
    ScopedDiagnosticHandler quiet(&body.module.context(), [](Diagnostic &) { return success(); });
    isValid = succeeded(product.verify());
  }
  return isValid ? body.define(ins, product) : body.mismatch(ins);
}

LogicalResult length(Body &body, const Instruction &ins) {
  Type type = body.module.type(ins.args[0], ins);
  if (!type)
    return failure();
  if (!llvm::isa<ocl::MatrixType>(type))
    return body.mismatch(ins);
  return body.define(ins, ocl::MatrixLengthOp::create(body.builder, body.loc, llvm::cast<ocl::MatrixType>(type)));
}

bool worksOnComponents(spv::Op op) {
  switch (op) {
  case spv::Op::SNegate:
  case spv::Op::FNegate:
  case spv::Op::IAdd:
  case spv::Op::FAdd:
  case spv::Op::ISub:
  case spv::Op::FSub:
  case spv::Op::IMul:
  case spv::Op::FMul:
  case spv::Op::UDiv:
  case spv::Op::SDiv:
  case spv::Op::FDiv:
  case spv::Op::MatrixTimesScalar:
  case spv::Op::ConvertFToU:
  case spv::Op::ConvertFToS:
  case spv::Op::ConvertSToF:
  case spv::Op::ConvertUToF:
  case spv::Op::UConvert:
  case spv::Op::SConvert:
  case spv::Op::FConvert:
  case spv::Op::Bitcast:
    return true;
  default:
    return false;
  }
}

/// OpMatrixTimesScalar, on a component.
LogicalResult timesScalar(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 2))
    return failure();
  if (in[0].getType() != in[1].getType())
    return body.mismatch(ins);
  if (llvm::isa<FloatType>(in[0].getType()))
    return body.define(ins, body.make<arith::MulFOp>(in[0], in[1], body.fastMath(ins)));
  if (llvm::isa<IntegerType>(in[0].getType()))
    return body.define(ins, body.make<arith::MulIOp>(in[0], in[1]));
  return body.mismatch(ins);
}
} // namespace

LogicalResult ModuleImporter::matrixType(const Instruction &ins, TypeInfo &info) {
  const TypeInfo *component = typeInfo(ins.args[0]);
  if (!component || !llvm::isa_and_nonnull<IntegerType, FloatType>(component->type) || component->type.isInteger(1))
    return error(ins) << "has a Component Type that is not an integer or floating-point type";
  if (integer(ins.args[1]) != uint64_t(spv::Scope::Subgroup))
    return error(ins) << "has a Scope that is not the constant Subgroup";
  const std::optional<uint64_t> rows = integer(ins.args[2]), columns = integer(ins.args[3]), use = integer(ins.args[4]);
  const auto isLength = [](std::optional<uint64_t> n) { return n && *n && *n <= uint64_t(ocl::MatrixType::MaxLength); };
  if (!isLength(rows) || !isLength(columns))
    return error(ins) << "has Rows or Columns that are not a constant of 1 to " << ocl::MatrixType::MaxLength;
  if (!use || *use > 2)
    return error(ins) << "has a Use that is not a constant, MatrixAKHR, MatrixBKHR or MatrixAccumulatorKHR";
  info.type = ocl::MatrixType::get(&context_, int64_t(*rows), int64_t(*columns), component->type,
                                   static_cast<ocl::MatrixUse>(*use));
  info.size = *rows * *columns * component->size, info.align = component->align;
  info.hasMatrix = true;
  return success();
}

bool isOfComponents(Body &body, const Instruction &ins) {
  if (!worksOnComponents(ins.op))
    return false;
  const Instruction *type = body.module.definition(ins.type);
  return type && type->op == spv::Op::TypeCooperativeMatrixKHR;
}

LogicalResult importOfComponents(Body &body, const Instruction &ins, Handler handler) {
  Type type = body.resultType(ins);
  Values in;
  if (!type || !body.operands(ins, in, ins.args.size()))
    return failure();
  const auto result = llvm::cast<ocl::MatrixType>(type);
  Values matrices;
  SmallVector<uint32_t> ids; // of `matrices`
  for (auto [id, operand] : llvm::zip_equal(ins.args, in)) {
    const auto matrix = llvm::dyn_cast<ocl::MatrixType>(operand.getType());
    if (matrix ? !matrix.hasShapeOf(result) : ins.op != spv::Op::MatrixTimesScalar)
      return body.mismatch(ins);
    if (matrix && !llvm::is_contained(ids, id))
      ids.push_back(id), matrices.push_back(operand);
  }
  if (matrices.empty())
    return body.mismatch(ins);
  auto map = ocl::MatrixMapOp::create(body.builder, body.loc, result, matrices);
  Block &block = map.getBody().emplaceBlock();
  OpBuilder::InsertionGuard guard(body.builder);
  body.builder.setInsertionPointToEnd(&block);
  for (auto [id, matrix] : llvm::zip_equal(ids, matrices))
    body.set(id, block.addArgument(llvm::cast<ocl::MatrixType>(matrix.getType()).getElement(), body.loc));
  Instruction ofComponents = ins;
  ofComponents.type = body.module.definition(ins.type)->args[0];
  const LogicalResult lifted = handler(body, ofComponents);
  for (auto [id, matrix] : llvm::zip_equal(ids, matrices))
    body.set(id, matrix);
  if (failed(lifted))
    return failure();
  ocl::MatrixYieldOp::create(body.builder, body.loc, body.known(ins.result));
  body.set(ins.result, map);
  return success();
}

void addMatrices(InstructionTable &table) {
  table.add(spv::Op::CooperativeMatrixLoadKHR, load);
  table.add(spv::Op::CooperativeMatrixStoreKHR, store);
  table.add(spv::Op::CooperativeMatrixMulAddKHR, multiplyAdd);
  table.add(spv::Op::CooperativeMatrixLengthKHR, length);
  table.add(spv::Op::MatrixTimesScalar, timesScalar);
}

} // namespace kiln::import
