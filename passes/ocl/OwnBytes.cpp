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
// An id that is divided by an argument has two digits, and accesses at two distances are one more:
//
//   keys[l], keys[l + n]    l = 2 * i - (i & (n - 1)) = 2 n (i / n) + i % n, if n is a power of two
//
//   bytes of `keys`:  8 n (i / n) + 4 n (0 or 1) + 4 (i % n)
//
// An id that is one constant for all accesses, as in `if (get_local_id(0) == 0) sums[get_group_id(0)] = ...`, is no
// digit.
//
// Of an id that is compared with an argument around all accesses, only values below it count: rows of a matrix may be
// shorter than those of the launch (`if (x < width) to[y * width + x] = ...`).
//
// Legal because all writes of the argument have this form, and what differs between them are constants and one number
// that is the same for all work-items. A read of bytes that its own work-item alone writes is no race. A write is no
// part of a race if no access of the argument is another. Addresses are sums modulo 2^32 at least, and the bytes of all
// work-items are in less than 2^31, so that arithmetic that wraps around makes no two of them equal.
//
// Not handled: numbers from loops and memory, and kernels with an access whose object is not known, which may be of any
// argument.
#include "passes/ocl/OwnBytes.h"
#include "base/abi/Check.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/AddressSteps.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/IndexForm.h"
#include "passes/analysis/ObjectOf.h"
#include "llvm/ADT/MapVector.h"
#include <array>
#include <map>
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

/// Writes an id that is divided somewhere in the form as divisor * high + low everywhere. Nothing if the result is
/// long.
std::optional<IndexForm> divideIds(const IndexForm &form) {
  using Part = IndexFactor::Part;
  std::vector<IndexFactor> parts;
  for (const auto &[product, times] : form.products)
    for (const IndexFactor &factor : product)
      if (factor.part != Part::Whole)
        parts.push_back(factor);
  std::optional<IndexForm> divided = form;
  for (const IndexFactor &part : parts) {
    IndexFactor whole = part, high = part, low = part;
    whole.part = Part::Whole, whole.divisor = 0, whole.needsPowerOfTwo = false;
    high.part = Part::High, low.part = Part::Low;
    const IndexForm sum{{{{{.isArgument = true, .number = part.divisor}, high}, 1}, {{low}, 1}}};
    std::optional<IndexForm> next = IndexForm{};
    for (const auto &[product, times] : divided->products) {
      std::optional<IndexForm> value = constantForm(times);
      for (const IndexFactor &factor : product)
        value = multiply(value, factor == whole ? sum : IndexForm{{{{factor}, 1}}});
      next = add(next, value);
    }
    if (!next)
      return {};
    divided = next;
  }
  return divided;
}

/// The products without an id.
IndexForm takeUniform(IndexForm &form) {
  IndexForm uniform;
  for (auto place = form.products.begin(); place != form.products.end();) {
    const bool hasId = llvm::any_of(place->first, [](const IndexFactor &factor) { return factor.isId(); });
    if (!hasId)
      uniform.products.insert(*place);
    place = hasId ? std::next(place) : form.products.erase(place);
  }
  return uniform;
}

/// A digit of an address: an id or a part of one, and what one more of it adds to the address.
struct Digit {
  std::optional<IndexFactor> id; // nothing: it is 0 or 1, and accesses of each work-item have both
  IndexForm::Product factors;    // sizes and arguments
  int64_t times = 0;             // positive: ids that count down have different addresses as well

  /// A guess of the order of the digits' values: arguments are larger than sizes, and these than constants.
  std::pair<unsigned, int64_t> rank() const {
    constexpr unsigned OfArgument = 8, OfSize = 1;
    unsigned ofFactors = 0;
    for (const IndexFactor &factor : factors)
      ofFactors += factor.isArgument ? OfArgument : OfSize;
    return {ofFactors, times};
  }
};

/// Ids are less than the number, or at most the number, if it is in [0, Limit).
struct Bound {
  IndexForm form;
  bool isLess;
  bool operator==(const Bound &) const = default;
};

/// What the conditions of an access say about the ids of the work-items that execute it.
struct Guards {
  std::array<std::optional<int64_t>, 3> localIds; // those that are one constant
  std::map<IndexFactor, Bound> bounds;            // of ids

  /// Leaves what both say.
  void intersect(const Guards &other) {
    for (unsigned dim = 0; dim < localIds.size(); ++dim)
      if (localIds[dim] != other.localIds[dim])
        localIds[dim].reset();
    std::erase_if(bounds, [&](const auto &bound) {
      const auto found = other.bounds.find(bound.first);
      return found == other.bounds.end() || !(found->second == bound.second);
    });
  }
};

/// The id that a number is, maybe in another width.
std::optional<IndexFactor> idOf(Value number) {
  Operation *op = number.getDefiningOp();
  while (op && isa<arith::TruncIOp, arith::ExtUIOp, arith::ExtSIOp>(op)) {
    if (!op->getResult(0).getType().isInteger(32) && !op->getResult(0).getType().isInteger(64))
      return {};
    op = op->getOperand(0).getDefiningOp();
  }
  const auto form = isa_and_nonnull<ocl::QueryOp>(op) ? indexForm(op->getResult(0)) : std::nullopt;
  if (!form || form->products.size() != 1 || form->products.begin()->first.size() != 1)
    return {};
  const IndexFactor factor = form->products.begin()->first.front();
  return factor.isId() ? std::optional(factor) : std::nullopt;
}

/// A sum of arguments by constants that has no overflow in 64 bits, and is equal to the number if it is in [0, Limit).
std::optional<IndexForm> boundForm(Value number) {
  constexpr int64_t MostTimes = int64_t(1) << 20;
  while (number.getDefiningOp<arith::ExtUIOp>() || number.getDefiningOp<arith::ExtSIOp>())
    number = number.getDefiningOp()->getOperand(0);
  const bool isSimple = number.getType().isInteger(32) || isa<BlockArgument>(number) || constantOf(number);
  const auto form = isSimple ? indexForm(number) : std::nullopt;
  const auto fits = [&](const auto &product) {
    return product.first.size() <= 1 && std::abs(product.second) < MostTimes &&
           llvm::all_of(product.first, [](const IndexFactor &factor) { return factor.isArgument; });
  };
  return form && llvm::all_of(form->products, fits) ? form : std::nullopt;
}

void addGuard(Value condition, bool value, Guards &guards) {
  using Predicate = arith::CmpIPredicate;
  Operation *op = condition.getDefiningOp();
  if (op && (value ? isa<arith::AndIOp>(op) : isa<arith::OrIOp>(op)))
    for (Value part : op->getOperands())
      addGuard(part, value, guards);
  auto comparison = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!comparison)
    return;
  const Predicate predicate = value ? comparison.getPredicate() : arith::invertPredicate(comparison.getPredicate());
  const auto id = idOf(comparison.getLhs());
  if (!id)
    return;
  const auto constant = constantOf(comparison.getRhs());
  if (predicate == Predicate::eq && constant && id->kind == ocl::Query::local_id)
    guards.localIds[id->number] = constant;
  const bool isLess = predicate == Predicate::slt || predicate == Predicate::ult;
  if (!isLess && predicate != Predicate::sle && predicate != Predicate::ule)
    return;
  if (const auto form = boundForm(comparison.getRhs()))
    guards.bounds[*id] = {*form, isLess};
}

Guards guardsOf(Operation *op) {
  constexpr unsigned MostConditions = 32;
  Guards guards;
  Block *block = op->getBlock();
  for (unsigned i = 0; i < MostConditions; ++i) {
    if (Block *before = block->getSinglePredecessor()) {
      auto branch = dyn_cast<cf::CondBranchOp>(before->getTerminator());
      if (branch && branch.getTrueDest() != branch.getFalseDest())
        addGuard(branch.getCondition(), branch.getTrueDest() == block, guards);
      block = before;
      continue;
    }
    Operation *around = block->getParentOp();
    if (isa<func::FuncOp>(around))
      break;
    if (auto branch = dyn_cast<scf::IfOp>(around))
      addGuard(branch.getCondition(), block == branch.thenBlock(), guards);
    block = around->getBlock();
  }
  return guards;
}

/// The accesses of an argument.
class ArgumentAccesses {
public:
  void add(const PointerAccess &access, std::optional<IndexForm> at) {
    Placed placed{&access, 0, {}, {}};
    if (at) {
      placed.begin = at->constant();
      at->products.erase(IndexForm::Product());
      placed.form = divideIds(*at);
    }
    if (placed.form)
      placed.uniform = takeUniform(*placed.form);
    const Guards guards = guardsOf(access.pointer->getOwner());
    if (all_.empty())
      guards_ = guards;
    guards_.intersect(guards);
    all_.push_back(placed);
    if (access.kind == ocl::AccessKind::read || !writesAlike_)
      return;
    writesAlike_ =
        placed.form && access.kind == ocl::AccessKind::write && isShort(access) && (!form_ || *form_ == *placed.form);
    if (!llvm::is_contained(uniforms_, placed.uniform))
      uniforms_.push_back(placed.uniform);
    form_ = placed.form;
    begin_ = std::min(begin_, placed.begin), end_ = std::max(end_, placed.end());
  }

  /// Nothing if not all writes have one form.
  std::optional<IndexForm> formOfWrites() const { return writesAlike_ && uniforms_.size() <= 2 ? form_ : std::nullopt; }
  ArrayRef<IndexForm> uniforms() const { return uniforms_; }
  /// Of all accesses.
  const Guards &guards() const { return guards_; }
  /// The distance of the writes that are at two; empty if there is one. Nothing if the form is long.
  std::optional<IndexForm> distance() const {
    return uniforms_.size() == 2 ? kiln::add(uniforms_[0], multiply(uniforms_[1], constantForm(-1))) : IndexForm{};
  }
  int64_t bytesOfWrites() const { return end_ - begin_; }
  /// The accesses that are no part of a race, if no two work-items write the same bytes.
  SmallVector<OpOperand *> own() const {
    const auto isInWrites = [&](const Placed &access) {
      return access.form == form_ && llvm::is_contained(uniforms_, access.uniform) && isShort(*access.access) &&
             access.begin >= begin_ && access.end() <= end_;
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
    std::optional<IndexForm> form; // the products with an id
    IndexForm uniform;             // the others, without the constant
    int64_t end() const { return begin + int64_t(access->bytes); }
  };
  static bool isShort(const PointerAccess &access) { return !access.size && access.bytes < uint64_t(MostBytes); }

  std::optional<IndexForm> form_;
  SmallVector<IndexForm> uniforms_;             // of the writes
  Guards guards_;                               // of all accesses
  int64_t begin_ = INT64_MAX, end_ = INT64_MIN; // of the writes
  bool writesAlike_ = true;
  SmallVector<Placed> all_;
};

std::optional<SmallVector<Digit>> digitsOf(const IndexForm &form, const IndexForm &distance) {
  SmallVector<Digit> digits;
  if (distance.products.size() > 1)
    return {};
  for (const auto &[product, times] : distance.products)
    digits.push_back({{}, product, std::abs(times)});
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

  /// `forms`: of all numbers that the addresses are sums of. `guards`: of the accesses.
  Value emit(ArrayRef<IndexForm> forms, ArrayRef<Digit> digits, int64_t bytes, const Guards &guards,
             unsigned argument) {
    Value own = intConstant(b_, 1, 1), extent = number(bytes);
    const auto require = [&](Value condition) { own = arith::AndIOp::create(b_, own, condition); };
    for (const IndexForm &form : forms)
      for (const auto &[product, times] : form.products)
        for (const IndexFactor &factor : product)
          if (!factor.isArgument && factor.kind == ocl::Query::local_size)
            require(hasEqualGroups(factor.number));
    for (const Digit &digit : digits) {
      if (digit.id && digit.id->part != IndexFactor::Part::Whole)
        require(isDividedById(*digit.id));
      Value place = number(digit.times);
      for (const IndexFactor &factor : digit.factors)
        place = limited(arith::MulIOp::create(b_, place, valueOf(factor)));
      Value count = digit.id ? countOf(*digit.id) : number(2);
      const Value one = number(1);
      if (const auto bound = digit.id ? guards.bounds.find(*digit.id) : guards.bounds.end();
          bound != guards.bounds.end())
        count = arith::MinUIOp::create(b_, count, boundOf(*digit.id, bound->second, count));
      require(arith::OrIOp::create(b_, compare(arith::CmpIPredicate::ule, count, one),
                                   compare(arith::CmpIPredicate::uge, place, extent)));
      extent = limited(
          arith::AddIOp::create(b_, extent, arith::MulIOp::create(b_, place, arith::SubIOp::create(b_, count, one))));
    }
    require(compare(arith::CmpIPredicate::ult, extent, number(Limit)));
    for (unsigned dim = 0; dim < 3; ++dim) {
      const auto has = [&](ocl::Query kind) {
        return llvm::any_of(digits, [&](const Digit &digit) {
          return digit.id && digit.id->kind == kind && digit.id->number == dim && hasAllOf(*digit.id, digits);
        });
      };
      const bool hasLocal = has(ocl::Query::local_id) || guards.localIds[dim], hasGroup = has(ocl::Query::group_id);
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
  /// Returns true if this digit, or it and another one, say what the id is.
  static bool hasAllOf(const IndexFactor &id, ArrayRef<Digit> digits) {
    using Part = IndexFactor::Part;
    return id.part == Part::Whole || (id.part == Part::Low && llvm::any_of(digits, [&](const Digit &other) {
                                        return other.id && other.id->kind == id.kind && other.id->number == id.number &&
                                               other.id->part == Part::High && other.id->divisor == id.divisor;
                                      }));
  }
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
  /// A number that is not less than that of the ids below the bound.
  Value boundOf(const IndexFactor &id, const Bound &of, Value count) {
    Value bound = number(0), isRight = compare(arith::CmpIPredicate::ult, count, number(Limit));
    for (const auto &[product, times] : of.form.products) {
      Value term = number(times);
      for (const IndexFactor &factor : product) {
        Value argument = kernel_.getArgument(factor.number);
        if (argument.getType() != b_.getI64Type())
          argument = arith::ExtSIOp::create(b_, b_.getI64Type(), argument);
        else
          isRight = arith::AndIOp::create(b_, isRight, compare(arith::CmpIPredicate::ult, argument, number(Limit)));
        term = arith::MulIOp::create(b_, term, argument);
      }
      bound = arith::AddIOp::create(b_, bound, term);
    }
    isRight = arith::AndIOp::create(b_, isRight, compare(arith::CmpIPredicate::ult, bound, number(Limit)));
    if (id.kind == ocl::Query::global_id) // ids are below 2^31, so that a signed comparison is as an unsigned one
      isRight = arith::AndIOp::create(
          b_, isRight, compare(arith::CmpIPredicate::eq, query(ocl::Query::global_offset, id.number), number(0)));
    const Value most = arith::AddIOp::create(b_, bound, number(of.isLess ? 0 : 1));
    return arith::SelectOp::create(b_, isRight, most, number(Limit));
  }
  Value countOf(const IndexFactor &id) {
    const Value count = countOfWhole(id);
    if (id.part == IndexFactor::Part::Whole)
      return count;
    const Value divisor = divisorOf(id);
    if (id.part == IndexFactor::Part::Low)
      return arith::MinUIOp::create(b_, count, divisor);
    const Value last = arith::SubIOp::create(b_, arith::AddIOp::create(b_, count, divisor), number(1));
    return arith::DivUIOp::create(b_, last, arith::MaxUIOp::create(b_, divisor, number(1)));
  }
  Value divisorOf(const IndexFactor &id) { return valueOf({.isArgument = true, .number = id.divisor}); }
  /// The parts of the id are what it is modulo the divisor and divided by it, as signed or unsigned numbers.
  Value isDividedById(const IndexFactor &id) {
    const Value divisor = divisorOf(id), one = number(1);
    Value all = arith::AndIOp::create(b_, compare(arith::CmpIPredicate::uge, divisor, one),
                                      compare(arith::CmpIPredicate::ult, divisor, number(Limit)));
    if (id.needsPowerOfTwo) {
      const Value others = arith::AndIOp::create(b_, divisor, arith::SubIOp::create(b_, divisor, one));
      all = arith::AndIOp::create(b_, all, compare(arith::CmpIPredicate::eq, others, number(0)));
    }
    all = arith::AndIOp::create(b_, all, compare(arith::CmpIPredicate::ult, countOfWhole(id), number(Limit)));
    if (id.kind == ocl::Query::global_id) // ids begin at 0, so that the number of those divided is known
      all = arith::AndIOp::create(
          b_, all, compare(arith::CmpIPredicate::eq, query(ocl::Query::global_offset, id.number), number(0)));
    return all;
  }
  Value countOfWhole(const IndexFactor &id) {
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
    const auto distance = ownOfArgument.empty() ? std::nullopt : of.distance();
    const auto digits = distance ? digitsOf(*form, *distance) : std::nullopt;
    if (!digits)
      continue;
    SmallVector<IndexForm> forms(of.uniforms());
    forms.push_back(*form);
    const Value isShared =
        Decision(kernel).emit(forms, *digits, of.bytesOfWrites(), of.guards(), argument.getArgNumber());
    for (OpOperand *pointer : ownOfArgument)
      shared[pointer] = isShared;
  }
  return shared;
}

} // namespace kiln
