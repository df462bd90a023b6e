// An instruction multiplies 16 x k by k x 8 components; a matrix with more columns takes several. The fragments are
// those of the PTX manual, "Matrix Fragments for mma.m16n8k16" and k32: `group` is lane / 4, `place` is lane % 4.
#include "passes/ocl/MmaSync.h"
#include "dialects/ocl/CallIntrinsic.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr int64_t Lanes = 32, Rows = 16, TileColumns = 8;

bool isByte(Type type) { return type.isInteger(8); }
bool isFactor(Type type) { return type.isF16() || isByte(type); }
bool isDepth(int64_t k, Type type) { return k == 16 || (k == 32 && isByte(type)); }

// Components of a register of 32 bits are adjacent along k.
int64_t perRegister(Type type) { return isByte(type) ? 4 : 2; }

// Registers alternate between rows r and r + 8, and then go on along k.
Component ofA(int64_t slot, int64_t lane, Type type) {
  const int64_t each = perRegister(type), index = slot / each;
  return {lane / 4 + index % 2 * 8, lane % 4 * each + slot % each + index / 2 * 4 * each};
}

Component ofB(int64_t slot, int64_t lane, Type type) {
  const int64_t each = perRegister(type), index = slot / each;
  return {lane % 4 * each + slot % each + index * 4 * each, lane / 4};
}

Component ofAccumulator(int64_t slot, int64_t lane) { return {lane / 4 + slot / 2 * 8, lane % 4 * 2 + slot % 2}; }

// Joins the components of each register: two halves to a vector, four bytes to an integer.
SmallVector<Value> registersOf(OpBuilder &b, Location loc, ValueRange components) {
  const Type type = components[0].getType();
  const auto each = unsigned(perRegister(type));
  SmallVector<Value> registers;
  for (unsigned first = 0; first < components.size(); first += each) {
    Value joined = vector::FromElementsOp::create(b, loc, VectorType::get(each, type), components.slice(first, each));
    registers.push_back(isByte(type) ? LLVM::BitcastOp::create(b, loc, b.getI32Type(), joined).getResult() : joined);
  }
  return registers;
}

// "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", "llvm.nvvm.mma.m16n8k32.row.col.s8.u8"
std::string nameOf(ocl::MatrixMultiplyAddOp op) {
  const ocl::MatrixType a = op.getA().getType();
  std::string name = "llvm.nvvm.mma.m16n8k" + std::to_string(a.getColumns()) + ".row.col.";
  if (a.getElement().isF16())
    return name + (op.getType().getElement().isF16() ? "f16.f16" : "f32.f32");
  const auto sign = [&](ocl::MatrixFlags flag) { return bitEnumContainsAny(op.getFlags(), flag) ? "s8" : "u8"; };
  const std::string first = sign(ocl::MatrixFlags::a_signed), second = sign(ocl::MatrixFlags::b_signed);
  return name + first + (first == second ? "" : "." + second);
}

} // namespace

bool hasMmaSync(ocl::TargetAttr target) {
  llvm::StringRef chip = target.getChip();
  unsigned version = 0;
  return target.getKind() == ocl::TargetKind::nvptx && chip.consume_front("sm_") && !chip.consumeInteger(10, version) &&
         version >= 80;
}

std::optional<MatrixFragment> mmaFragment(ocl::MatrixType type) {
  const Type element = type.getElement();
  const int64_t rows = type.getRows(), columns = type.getColumns(), all = type.getComponents();
  std::vector<Component> places;
  const auto add = [&](int64_t slots, int64_t firstColumn, llvm::function_ref<Component(int64_t, int64_t)> at) {
    for (int64_t slot = 0; slot < slots; ++slot)
      for (int64_t lane = 0; lane < Lanes; ++lane) {
        const Component component = at(slot, lane);
        places.push_back({component.row, component.column + firstColumn});
      }
  };
  switch (type.getUse()) {
  case ocl::MatrixUse::a:
    if (!isFactor(element) || rows != Rows || !isDepth(columns, element))
      return {};
    add(all / Lanes, 0, [&](int64_t slot, int64_t lane) { return ofA(slot, lane, element); });
    break;
  case ocl::MatrixUse::b:
    if (!isFactor(element) || !isDepth(rows, element) || columns % TileColumns)
      return {};
    for (int64_t first = 0; first < columns; first += TileColumns)
      add(rows * TileColumns / Lanes, first, [&](int64_t slot, int64_t lane) { return ofB(slot, lane, element); });
    break;
  case ocl::MatrixUse::accumulator:
    if (!(element.isF16() || element.isF32() || element.isInteger(32)) || rows != Rows || columns % TileColumns)
      return {};
    for (int64_t first = 0; first < columns; first += TileColumns)
      add(Rows * TileColumns / Lanes, first, ofAccumulator);
    break;
  }
  return MatrixFragment(type, Lanes, std::move(places));
}

bool isMma(ocl::MatrixMultiplyAddOp op) {
  const ocl::MatrixType a = op.getA().getType(), b = op.getB().getType(), c = op.getC().getType();
  if (a.getElement() != b.getElement() || !mmaFragment(a) || !mmaFragment(b) || !mmaFragment(c))
    return false;
  return isByte(a.getElement()) == c.getElement().isInteger(32);
}

SmallVector<Value> multiplyByMma(OpBuilder &b, ocl::MatrixMultiplyAddOp op, ValueRange ofA, ValueRange ofB,
                                 ValueRange ofC) {
  const Location loc = op.getLoc();
  const Type element = op.getType().getElement();
  const int64_t tiles = op.getType().getColumns() / TileColumns;
  const size_t slotsOfB = ofB.size() / size_t(tiles), slotsOfC = ofC.size() / size_t(tiles);
  const bool isPacked = element.isF16();
  const Type part = isPacked ? Type(VectorType::get(2, element)) : element;
  const Type result =
      LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(slotsOfC / (isPacked ? 2 : 1), part));
  const SmallVector<Value> registersOfA = registersOf(b, loc, ofA);
  SmallVector<Value> components;
  for (size_t tile = 0; tile < size_t(tiles); ++tile) {
    const ValueRange c = ofC.slice(tile * slotsOfC, slotsOfC);
    SmallVector<Value> operands(registersOfA);
    operands.append(registersOf(b, loc, ofB.slice(tile * slotsOfB, slotsOfB)));
    operands.append(isPacked ? registersOf(b, loc, c) : llvm::to_vector(c));
    Value made = callIntrinsic(b, loc, nameOf(op), result, operands);
    for (int64_t i = 0; i < int64_t(slotsOfC); ++i)
      if (isPacked)
        components.push_back(vector::ExtractOp::create(
            b, loc, LLVM::ExtractValueOp::create(b, loc, made, ArrayRef<int64_t>{i / 2}).getResult(),
            ArrayRef<int64_t>{i % 2}));
      else
        components.push_back(LLVM::ExtractValueOp::create(b, loc, made, ArrayRef<int64_t>{i}));
  }
  return components;
}

} // namespace kiln
