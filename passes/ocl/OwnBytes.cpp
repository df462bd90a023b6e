// Finds arguments whose bytes no two work-items share:
//
//   a[i] = b[i] + c[i]                          i = get_global_id(0)       bytes 4 i to 4 i + 4 of a
//   p[2 * i] = p[2 * i + 1]                                                bytes 8 i to 8 i + 8 of p
//
// All accesses of such an argument are at scale * i + constant, with one scale, and their bytes are in scale bytes. So
// two work-items access different ones, and no access is part of a race, however large the buffer is.
//
// Legal because i differs between the work-items of a launch of one dimension. Arithmetic on i that wraps around makes
// two equal only after 2^32 / scale work-items; the tracker handles fewer than 2^32.
//
// Not handled: indices from group and local ids, rows (y * width + x), offsets that are not constant, and kernels with
// an access whose object is not known, which may be of any argument.
#include "passes/ocl/OwnBytes.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/analysis/AddressSteps.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/ObjectOf.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr int64_t Most = int64_t(1) << 30; // of a scale or a constant

/// scale * get_global_id(0) + constant
struct Linear {
  int64_t scale = 0, constant = 0;
  std::optional<Linear> checked() const {
    return std::abs(scale) < Most && std::abs(constant) < Most ? std::optional(*this) : std::nullopt;
  }
};

std::optional<Linear> operator+(std::optional<Linear> a, std::optional<Linear> b) {
  return a && b ? Linear{a->scale + b->scale, a->constant + b->constant}.checked() : std::nullopt;
}
std::optional<Linear> operator*(std::optional<Linear> a, std::optional<int64_t> factor) {
  if (!a || !factor || std::abs(*factor) >= Most)
    return {};
  return Linear{a->scale * *factor, a->constant * *factor}.checked();
}

std::optional<Linear> linearOf(Value number, unsigned depth = 0) {
  constexpr unsigned MaxDepth = 8;
  if (const auto constant = constantOf(number))
    return Linear{0, *constant}.checked();
  Operation *op = number.getDefiningOp();
  if (!op || depth == MaxDepth)
    return {};
  if (auto query = dyn_cast<ocl::QueryOp>(op)) {
    const auto dim = constantOf(query.getDim());
    return query.getKind() == ocl::Query::global_id && dim && *dim == 0 ? std::optional(Linear{1, 0}) : std::nullopt;
  }
  auto of = [&](unsigned operand) { return linearOf(op->getOperand(operand), depth + 1); };
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return number.getType().getIntOrFloatBitWidth() >= 32 ? of(0) : std::nullopt;
  if (isa<arith::AddIOp>(op))
    return of(0) + of(1);
  if (isa<arith::MulIOp>(op))
    return of(0) * constantOf(op->getOperand(1));
  const auto shift = isa<arith::ShLIOp>(op) ? constantOf(op->getOperand(1)) : std::nullopt;
  return shift && *shift >= 0 && *shift < 30 ? of(0) * (int64_t(1) << *shift) : std::nullopt;
}

std::optional<Linear> offsetOf(Value pointer, Value argument, const DataLayout &layout) {
  std::optional<Linear> sum = Linear{};
  while (pointer != argument) {
    auto gep = pointer.getDefiningOp<LLVM::GEPOp>();
    const auto steps = gep ? addressSteps(gep, layout) : std::nullopt;
    if (!steps)
      return {};
    for (const AddressStep &step : *steps)
      sum = sum + (step.number ? linearOf(step.number) * step.bytes : Linear{0, step.bytes}.checked());
    pointer = gep.getBase();
  }
  return sum;
}

/// The bytes of an argument that one work-item accesses.
struct Window {
  bool isOwn = true;
  int64_t scale = 0, begin = INT64_MAX, end = INT64_MIN;

  void add(const PointerAccess &access, std::optional<Linear> at) {
    isOwn &= at && at->scale != 0 && (!scale || at->scale == scale) && access.kind != ocl::AccessKind::atomic &&
             !access.size && access.bytes < uint64_t(Most);
    if (!isOwn)
      return;
    scale = at->scale;
    begin = std::min(begin, at->constant), end = std::max(end, at->constant + int64_t(access.bytes));
    isOwn = end - begin <= std::abs(scale);
  }
};

} // namespace

llvm::DenseSet<BlockArgument> argumentsOfOwnBytes(func::FuncOp kernel, ArrayRef<PointerAccess> accesses,
                                                  const DataLayout &layout) {
  llvm::MapVector<BlockArgument, Window> windows;
  for (const PointerAccess &access : accesses) {
    const Object object = objectOf(access.pointer->get(), layout);
    if (object.kind == Object::Unknown)
      return {};
    if (object.kind == Object::Argument)
      windows[cast<BlockArgument>(object.base)].add(access, offsetOf(access.pointer->get(), object.base, layout));
  }
  llvm::DenseSet<BlockArgument> own;
  for (const auto &[argument, window] : windows)
    if (window.isOwn && cast<LLVM::LLVMPointerType>(argument.getType()).getAddressSpace() == ocl::Global)
      own.insert(argument);
  return own;
}

} // namespace kiln
