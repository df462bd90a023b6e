// Finds accesses that are no part of a race, because no two work-items of the launch share their bytes:
//
//   a[i] = b[i] + c[i]                        i = get_global_id(0)
//   p[2 * i] = p[2 * i + 1]
//   to[(16 * group_id(0) + y) * height + 16 * group_id(1) + x]    x, y = get_local_id(0), get_local_id(1)
//
// The compiler finds the form of the addresses, and the code decides for the launch, with the values of the arguments
// and the sizes:
//
//   bytes of `to`:  4 height * 16 group_id(0) + 4 height * y + 4 * 16 group_id(1) + 4 x
//
//   %own = 4 >= 4 bytes                                         x:            4 local_size(0) bytes
//        & 64 >= 4 local_size(0)                                group_id(1):  64 (num_groups(1) - 1) + 4 local_size(0)
//        & 4 height >= 64 (num_groups(1) - 1) + 4 local_size(0) y:            ...
//        & ...
//
// Each id is a digit of a number whose place is worth more than all lower digits together, so different ids have
// different addresses. Ids that are not in the form must have one value. The order of the digits is a guess from the
// form; with a wrong one the accesses are noted.
//
// Legal because all writes of the argument have this form, and what differs between them are constants. A read of bytes
// that its own work-item alone writes is no race. A write is no part of a race if no access of the argument is another.
// Addresses are sums modulo 2^32 at least, and the bytes of all work-items are in less than 2^31, so that arithmetic
// that wraps around makes no two of them equal.
//
// Not handled: rows that are shorter than the launch (x < width), numbers from loops and memory, and kernels with an
// access whose object is not known, which may be of any argument.
#include "passes/ocl/OwnBytes.h"
#include "base/abi/Check.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/analysis/AddressSteps.h"
#include "passes/analysis/IndexForm.h"
#include "passes/analysis/ObjectOf.h"
#include "llvm/ADT/MapVector.h"
#include <tuple>

using namespace mlir;

namespace kiln {
namespace {

constexpr int64_t MostBytes = int64_t(1) << 30; // of an access
constexpr int64_t Limit = int64_t(1) << 31;     // of the bytes that all work-items access

std::optional<IndexForm> offsetForm(Value pointer, Value argument, const DataLayout &layout) {
  std::optional<IndexForm> sum = IndexForm{};
  while (sum && pointer != argument) {
    auto gep = pointer.getDefiningOp<LLVM::GEPOp>();
    const auto steps = gep ? addressSteps(gep, layout) : std::nullopt;
    if (!steps)
      return {};
    for (const AddressStep &step : *steps)
      sum =
          add(sum, step.number ? multiply(indexForm(step.number), constantForm(step.bytes)) : constantForm(step.bytes));
    pointer = gep.getBase();
  }
  return sum;
}

/// A digit of an address: an id, and what one more of it adds to the address.
struct Digit {
  IndexFactor id;
  IndexForm::Product factors; // sizes and arguments
  int64_t times = 0;          // positive: ids that count down have different addresses as well

  /// A guess of the order of the digits' values: arguments are larger than sizes, and these than constants.
  std::pair<unsigned, int64_t> rank() const {
    constexpr unsigned OfArgument = 8, OfSize = 1;
    unsigned ofFactors = 0;
    for (const IndexFactor &factor : factors)
      ofFactors += factor.isArgument ? OfArgument : OfSize;
    return {ofFactors, times};
  }
};

/// The accesses of an argument.
class ArgumentAccesses {
public:
  void add(const PointerAccess &access, std::optional<IndexForm> at) {
    const Placed placed{&access, at ? at->constant() : 0, std::move(at)};
    all_.push_back(placed);
    if (placed.form)
      all_.back().form->products.erase(IndexForm::Product());
    if (access.kind == ocl::AccessKind::read || !writesAlike_)
      return;
    const auto &form = all_.back().form;
    writesAlike_ = form && access.kind == ocl::AccessKind::write && isShort(access) && (!form_ || *form_ == *form);
    form_ = form;
    begin_ = std::min(begin_, placed.begin), end_ = std::max(end_, placed.end());
  }

  /// Nothing if not all writes have one form.
  std::optional<IndexForm> formOfWrites() const { return writesAlike_ ? form_ : std::nullopt; }
  int64_t bytesOfWrites() const { return end_ - begin_; }
  /// The accesses that are no part of a race, if no two work-items write the same bytes.
  SmallVector<OpOperand *> own() const {
    const auto isInWrites = [&](const Placed &access) {
      return access.form == form_ && isShort(*access.access) && access.begin >= begin_ && access.end() <= end_;
    };
    const bool areAllInWrites = llvm::all_of(all_, isInWrites);
    SmallVector<OpOperand *> own;
    for (const Placed &access : all_)
      if (areAllInWrites || (access.access->kind == ocl::AccessKind::read && isInWrites(access)))
        own.push_back(access.access->pointer);
    return own;
  }

private:
  struct Placed {
    const PointerAccess *access;
    int64_t begin;
    std::optional<IndexForm> form; // without the constant
    int64_t end() const { return begin + int64_t(access->bytes); }
  };
  static bool isShort(const PointerAccess &access) { return !access.size && access.bytes < uint64_t(MostBytes); }

  std::optional<IndexForm> form_;
  int64_t begin_ = INT64_MAX, end_ = INT64_MIN; // of the writes
  bool writesAlike_ = true;
  SmallVector<Placed> all_;
};

std::optional<SmallVector<Digit>> digitsOf(const IndexForm &form) {
  SmallVector<Digit> digits;
  for (const auto &[product, times] : form.products) {
    Digit digit{{}, {}, std::abs(times)};
    unsigned ids = 0;
    for (const IndexFactor &factor : product)
      if (factor.isId())
        digit.id = factor, ++ids;
      else
        digit.factors.push_back(factor);
    if (ids > 1)
      return {};
    if (ids)
      digits.push_back(digit);
  }
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return std::tuple(a.rank(), a.id, a.factors) < std::tuple(b.rank(), b.id, b.factors);
  });
  return digits;
}

/// Emits the decision about a launch.
class Decision {
public:
  explicit Decision(func::FuncOp kernel)
      : kernel_(kernel), b_(kernel.getLoc(), &kernel.front(), kernel.front().begin()) {}

  Value emit(const IndexForm &form, ArrayRef<Digit> digits, int64_t bytes, unsigned argument) {
    Value own = intConstant(b_, 1, 1), extent = number(bytes);
    const auto require = [&](Value condition) { own = arith::AndIOp::create(b_, own, condition); };
    for (const auto &[product, times] : form.products)
      for (const IndexFactor &factor : product)
        if (!factor.isArgument && factor.kind == ocl::Query::local_size)
          require(hasEqualGroups(factor.number));
    for (const Digit &digit : digits) {
      Value place = number(digit.times);
      for (const IndexFactor &factor : digit.factors)
        place = limited(arith::MulIOp::create(b_, place, valueOf(factor)));
      const Value count = countOf(digit.id), one = number(1);
      require(arith::OrIOp::create(b_, compare(arith::CmpIPredicate::ule, count, one),
                                   compare(arith::CmpIPredicate::uge, place, extent)));
      extent = limited(
          arith::AddIOp::create(b_, extent, arith::MulIOp::create(b_, place, arith::SubIOp::create(b_, count, one))));
    }
    require(compare(arith::CmpIPredicate::ult, extent, number(Limit)));
    for (unsigned dim = 0; dim < 3; ++dim) {
      const auto has = [&](ocl::Query kind) {
        return llvm::any_of(digits, [&](const Digit &digit) { return digit.id == IndexFactor{false, kind, dim}; });
      };
      const bool hasLocal = has(ocl::Query::local_id), hasGroup = has(ocl::Query::group_id);
      if (!has(ocl::Query::global_id) && !(hasLocal && hasGroup))
        require(compare(arith::CmpIPredicate::eq,
                        query(hasLocal   ? ocl::Query::num_groups
                              : hasGroup ? ocl::Query::enqueued_local_size
                                         : ocl::Query::global_size,
                              dim),
                        number(1)));
    }
    // The launch sets the bit if another argument has the same memory.
    const Value overlaps = arith::AndIOp::create(b_, ocl::ArgumentTrackedOp::create(b_, b_.getI64Type(), argument),
                                                 number(abi::CheckTracksOwn));
    return arith::OrIOp::create(b_, compare(arith::CmpIPredicate::ne, overlaps, number(0)),
                                arith::XOrIOp::create(b_, own, intConstant(b_, 1, 1)));
  }

private:
  Value number(int64_t value) { return intConstant(b_, value, 64); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) { return arith::CmpIOp::create(b_, predicate, a, b); }
  // Products of two limited numbers and their sums do not wrap around.
  Value limited(Value value) { return arith::MinUIOp::create(b_, value, number(Limit)); }
  Value query(ocl::Query kind, unsigned dim) {
    return ocl::QueryOp::create(b_, b_.getI64Type(), kind, intConstant(b_, dim, 32));
  }
  Value valueOf(const IndexFactor &factor) {
    if (!factor.isArgument)
      return limited(query(factor.kind, factor.number));
    Value argument = kernel_.getArgument(factor.number);
    if (argument.getType() != b_.getI64Type())
      argument = arith::ExtUIOp::create(b_, b_.getI64Type(), argument);
    return limited(argument);
  }
  Value countOf(const IndexFactor &id) {
    return limited(query(id.kind == ocl::Query::global_id  ? ocl::Query::global_size
                         : id.kind == ocl::Query::local_id ? ocl::Query::enqueued_local_size
                                                           : ocl::Query::num_groups,
                         id.number));
  }
  /// The last group is as large as the others, so the size is the same for all work-items.
  Value hasEqualGroups(unsigned dim) {
    const Value items =
        arith::MulIOp::create(b_, query(ocl::Query::num_groups, dim), query(ocl::Query::enqueued_local_size, dim));
    return compare(arith::CmpIPredicate::eq, items, query(ocl::Query::global_size, dim));
  }

  func::FuncOp kernel_;
  ImplicitLocOpBuilder b_;
};

} // namespace

llvm::DenseMap<OpOperand *, Value> sharedInSomeLaunches(func::FuncOp kernel, ArrayRef<PointerAccess> accesses,
                                                        const DataLayout &layout) {
  llvm::DenseMap<OpOperand *, Value> shared;
  llvm::MapVector<BlockArgument, ArgumentAccesses> arguments;
  for (const PointerAccess &access : accesses) {
    const Object object = objectOf(access.pointer->get(), layout);
    if (object.kind == Object::Unknown)
      return shared;
    if (object.kind == Object::Argument &&
        cast<LLVM::LLVMPointerType>(object.base.getType()).getAddressSpace() == ocl::Global)
      arguments[cast<BlockArgument>(object.base)].add(access, offsetForm(access.pointer->get(), object.base, layout));
  }
  for (const auto &[argument, of] : arguments) {
    const auto form = of.formOfWrites();
    const SmallVector<OpOperand *> ownOfArgument = form ? of.own() : SmallVector<OpOperand *>();
    const auto digits = ownOfArgument.empty() ? std::nullopt : digitsOf(*form);
    if (!digits)
      continue;
    const Value isShared = Decision(kernel).emit(*form, *digits, of.bytesOfWrites(), argument.getArgNumber());
    for (OpOperand *pointer : ownOfArgument)
      shared[pointer] = isShared;
  }
  return shared;
}

} // namespace kiln
