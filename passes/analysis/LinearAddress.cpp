#include "passes/analysis/LinearAddress.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/analysis/AddressSteps.h"
#include "passes/analysis/Constants.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MaxDepth = 12;
constexpr int64_t MaxBytes = 1 << 24;

// The number of lowest bits that are known to be zero.
unsigned zerosOf(Value value) {
  if (auto number = constantOf(value))
    return *number ? unsigned(llvm::countr_zero(uint64_t(*number))) : 64;
  if (auto shift = value.getDefiningOp<arith::ShLIOp>())
    if (auto by = constantOf(shift.getRhs()); by && *by >= 0 && *by < 64)
      return unsigned(*by);
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    if (constantOf(product.getRhs()))
      return zerosOf(product.getRhs());
  return 0;
}

bool hasNsw(Operation *op) {
  auto flags = cast<arith::ArithIntegerOverflowFlagsInterface>(op).getOverflowAttr().getValue();
  return bitEnumContainsAll(flags, arith::IntegerOverflowFlags::nsw);
}

} // namespace

LinearAddress::LinearAddress(Value pointer, const DataLayout &layout) {
  for (unsigned depth = 0; depth < MaxDepth; ++depth) {
    auto gep = pointer.getDefiningOp<LLVM::GEPOp>();
    const auto steps = gep ? addressSteps(gep, layout) : std::nullopt;
    if (!steps)
      break;
    for (const AddressStep &step : *steps)
      if (step.number)
        add(step.number, step.bytes, 0);
      else
        constant += step.bytes;
    pointer = gep.getBase();
  }
  base = pointer;
  llvm::erase_if(terms, [](const Term &term) { return term.bytes == 0; });
  llvm::sort(terms, [](const Term &a, const Term &b) {
    return a.number.getAsOpaquePointer() < b.number.getAsOpaquePointer();
  });
}

void LinearAddress::add(Value number, int64_t bytes, unsigned depth) {
  const bool isNarrow = number.getType().getIntOrFloatBitWidth() < 64; // a sum that wraps around is not linear
  Operation *op = depth < MaxDepth && std::abs(bytes) < MaxBytes ? number.getDefiningOp() : nullptr;
  if (auto known = constantOf(number); known && std::abs(*known) < MaxBytes) {
    constant += *known * bytes;
    return;
  }
  if (op && isa<arith::AddIOp, arith::SubIOp>(op) && (!isNarrow || hasNsw(op))) {
    add(op->getOperand(0), bytes, depth + 1);
    return add(op->getOperand(1), isa<arith::SubIOp>(op) ? -bytes : bytes, depth + 1);
  }
  if (op && isa<arith::MulIOp>(op) && (!isNarrow || hasNsw(op)))
    if (auto by = constantOf(op->getOperand(1)); by && std::abs(*by) < MaxBytes)
      return add(op->getOperand(0), bytes * *by, depth + 1);
  // If the constant only sets bits that are zero, no carry reaches the sign.
  const auto split = [&](Value narrow, unsigned valueBits) {
    auto sum = narrow.getDefiningOp<arith::AddIOp>();
    const auto by = sum ? constantOf(sum.getRhs()) : std::nullopt;
    if (!by || *by <= 0 || llvm::Log2_64(uint64_t(*by)) >= std::min(zerosOf(sum.getLhs()), valueBits))
      return narrow;
    constant += *by * bytes;
    return sum.getLhs();
  };
  if (auto extension = dyn_cast_or_null<arith::ExtSIOp>(op)) {
    const Value narrow = extension.getIn();
    return add(split(narrow, narrow.getType().getIntOrFloatBitWidth() - 1), bytes, depth + 1);
  }
  if (auto extension = dyn_cast_or_null<arith::ExtUIOp>(op))
    return addTerm(split(extension.getIn(), 64), false, bytes);
  addTerm(number, true, bytes);
}

void LinearAddress::addTerm(Value number, bool isSigned, int64_t bytes) {
  for (Term &term : terms)
    if (term.number == number && term.isSigned == isSigned) {
      term.bytes += bytes;
      return;
    }
  terms.push_back({number, isSigned, bytes});
}

} // namespace kiln
