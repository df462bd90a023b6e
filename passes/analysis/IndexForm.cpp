#include "passes/analysis/IndexForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/Constants.h"
#include <algorithm>
#include <cstdlib>

using namespace mlir;

namespace kiln {
namespace {

constexpr int64_t MostConstant = int64_t(1) << 30;
constexpr size_t MostProducts = 16, MostFactors = 4;
constexpr unsigned MostDepth = 12;

std::optional<IndexForm> factor(IndexFactor factor) { return IndexForm{{{{factor}, 1}}}; }

/// Returns false if the product's number becomes too large.
bool addProduct(IndexForm &form, const IndexForm::Product &product, int64_t times) {
  const auto place = form.products.try_emplace(product, 0).first;
  place->second += times;
  if (std::abs(place->second) >= MostConstant)
    return false;
  if (place->second == 0)
    form.products.erase(place);
  return form.products.size() <= MostProducts;
}

std::optional<IndexFactor> onlyFactor(const std::optional<IndexForm> &form) {
  const bool isFactor = form && form->products.size() == 1 && form->products.begin()->second == 1 &&
                        form->products.begin()->first.size() == 1;
  return isFactor ? std::optional(form->products.begin()->first.front()) : std::nullopt;
}

/// Returns true if the number is an id or an argument in another width, and thus equal to it if that is below 2^31.
/// Others are equal to their forms modulo 2^32 only.
bool isExact(Value number) {
  while (Operation *op = number.getDefiningOp()) {
    if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
      return isa<ocl::QueryOp>(op);
    number = op->getOperand(0);
  }
  return true;
}

std::optional<IndexForm> partOf(const std::optional<IndexForm> &number, const std::optional<IndexForm> &divisor,
                                IndexFactor::Part part, bool needsPowerOfTwo) {
  auto id = onlyFactor(number);
  const auto by = onlyFactor(divisor);
  if (!id || !id->isId() || id->part != IndexFactor::Part::Whole || !by || !by->isArgument)
    return {};
  id->part = part, id->divisor = by->number, id->needsPowerOfTwo = needsPowerOfTwo;
  return factor(*id);
}

std::optional<IndexForm> indexForm(Value number, unsigned depth) {
  if (const auto constant = constantOf(number))
    return constantForm(*constant);
  auto type = dyn_cast<IntegerType>(number.getType());
  if (!type || type.getWidth() < 32 || depth == MostDepth)
    return {};
  if (auto argument = dyn_cast<BlockArgument>(number)) {
    const bool isOfKernel =
        argument.getOwner()->isEntryBlock() && isa<func::FuncOp>(argument.getOwner()->getParentOp());
    return isOfKernel ? factor({.isArgument = true, .number = argument.getArgNumber()}) : std::nullopt;
  }
  Operation *op = number.getDefiningOp();
  if (auto query = dyn_cast<ocl::QueryOp>(op)) {
    const auto dim = constantOf(query.getDim());
    const bool isKnown = dim && *dim >= 0 && *dim < 3 && query.getKind() != ocl::Query::global_offset;
    return isKnown ? factor({.kind = query.getKind(), .number = unsigned(*dim)}) : std::nullopt;
  }
  const auto of = [&](unsigned operand) { return indexForm(op->getOperand(operand), depth + 1); };
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return of(0);
  if (isa<arith::AddIOp>(op))
    return add(of(0), of(1));
  if (isa<arith::SubIOp>(op))
    return add(of(0), multiply(of(1), constantForm(-1)));
  if (isa<arith::MulIOp>(op))
    return multiply(of(0), of(1));
  using Part = IndexFactor::Part;
  const bool isLow = isa<arith::RemUIOp, arith::RemSIOp>(op);
  if (isLow || isa<arith::DivUIOp, arith::DivSIOp>(op)) {
    const bool areExact = isExact(op->getOperand(0)) && isExact(op->getOperand(1));
    return areExact ? partOf(of(0), of(1), isLow ? Part::Low : Part::High, false) : std::nullopt;
  }
  if (isa<arith::AndIOp>(op)) { // i & (n - 1), in any order
    for (unsigned mask : {1, 0})
      if (auto low = partOf(of(1 - mask), add(of(mask), constantForm(1)), Part::Low, true))
        return low;
    return {};
  }
  const auto shift = isa<arith::ShLIOp>(op) ? constantOf(op->getOperand(1)) : std::nullopt;
  return shift && *shift >= 0 && *shift < 30 ? multiply(of(0), constantForm(int64_t(1) << *shift)) : std::nullopt;
}

} // namespace

std::optional<IndexForm> constantForm(int64_t number) {
  IndexForm form;
  const bool isSmall = number > -MostConstant && number < MostConstant;
  return isSmall && addProduct(form, {}, number) ? std::optional(form) : std::nullopt;
}

std::optional<IndexForm> add(std::optional<IndexForm> a, const std::optional<IndexForm> &b) {
  if (!a || !b)
    return {};
  for (const auto &[product, times] : b->products)
    if (!addProduct(*a, product, times))
      return {};
  return a;
}

std::optional<IndexForm> multiply(const std::optional<IndexForm> &a, const std::optional<IndexForm> &b) {
  if (!a || !b)
    return {};
  IndexForm result;
  for (const auto &[left, leftTimes] : a->products)
    for (const auto &[right, rightTimes] : b->products) {
      IndexForm::Product product = left;
      product.insert(product.end(), right.begin(), right.end());
      llvm::sort(product);
      const int64_t times = leftTimes * rightTimes; // below 2^60
      if (product.size() > MostFactors || std::abs(times) >= MostConstant || !addProduct(result, product, times))
        return {};
    }
  return result;
}

std::optional<IndexForm> indexForm(Value number) { return indexForm(number, 0); }

} // namespace kiln
