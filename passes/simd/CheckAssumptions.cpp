// Checks what vector code derives from its assumptions (`check-assumptions`, KILN_CHECK_ASSUMPTIONS), for debugging.
//
//   %j = arith.divui %i, %n      ==>    %j = arith.divui %i0, %n                          // lane 0's
//                                       %each = arith.divui %i, splat %n                  // what each lane computes
//                                       %same = arith.cmpi eq, splat %j, %each
//                                       if %holds and not all of %same: report `lanes`
//
// Lanes are compared one operation at a time: the operands of %each were compared where they were computed. So a launch
// reports the first operation whose lanes differ. Inactive lanes may hold any value. A runtime check that fails
// although every lane is as assumed is not an error but costs time: the launch counts these as needless.
#include "base/abi/Assumptions.h"
#include "dialects/ocl/Ocl.h"
#include "passes/simd/Widener.h"
#include <cstddef>

using namespace mlir;

namespace kiln {
namespace {

// Adds one to a counter of the launch's report.
void count(OpBuilder &b, Location loc, Value report, size_t field) {
  Value address = LLVM::GEPOp::create(b, loc, report.getType(), b.getI8Type(), report, LLVM::GEPArg(int32_t(field)));
  Value one = arith::ConstantIntOp::create(b, loc, 1, 64);
  LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add, address, one, LLVM::AtomicOrdering::monotonic);
}

void put(OpBuilder &b, Location loc, Value report, size_t field, uint64_t number) {
  Value address = LLVM::GEPOp::create(b, loc, report.getType(), b.getI8Type(), report, LLVM::GEPArg(int32_t(field)));
  LLVM::StoreOp::create(b, loc, arith::ConstantIntOp::create(b, loc, int64_t(number), 64), address);
}

uint64_t lineOf(Location loc) {
  const auto location = loc->findInstanceOf<FileLineColLoc>();
  return location ? location.getLine() : 0;
}

} // namespace

void Widener::expect(Value holds, Assumption assumption) {
  Value broken = arith::XOrIOp::create(b, loc, holds, arith::ConstantIntOp::create(b, loc, 1, 1));
  auto branch = scf::IfOp::create(b, loc, broken, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value report = wg::AssumptionReportOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()));
  put(b, loc, report, offsetof(abi::AssumptionReport, kind), uint64_t(assumption));
  put(b, loc, report, offsetof(abi::AssumptionReport, line), lineOf(loc));
  count(b, loc, report, offsetof(abi::AssumptionReport, broken));
}

// `guards`: code relies on the assumption only where this is true; null: always.
void Widener::expectInLanes(Value holds, Value guards, Value mask, Assumption assumption) {
  Value wrong = any(andMask(mask, notMask(holds)));
  if (guards)
    wrong = arith::AndIOp::create(b, loc, wrong, guards);
  expect(arith::XOrIOp::create(b, loc, wrong, arith::ConstantIntOp::create(b, loc, 1, 1)), assumption);
}

void Widener::countNeedless(Value differs, Value guards, Value mask) {
  Value isNeedless = arith::OrIOp::create(b, loc, guards, any(andMask(mask, differs)));
  isNeedless = arith::XOrIOp::create(b, loc, isNeedless, arith::ConstantIntOp::create(b, loc, 1, 1));
  auto branch = scf::IfOp::create(b, loc, isNeedless, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value report = wg::AssumptionReportOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()));
  count(b, loc, report, offsetof(abi::AssumptionReport, needless));
}

// Compares the lanes that the widener derives from lane 0's result with the lanes' own results.
void Widener::expectStrides(Operation *op, Value mask) {
  if (op->getNumResults() != 1 || op->getNumRegions())
    return;
  Value result = op->getResult(0);
  const bool isAddress = isa<LLVM::LLVMPointerType>(result.getType());
  if (!isAddress && !isa<IntegerType>(result.getType()))
    return;
  if (shapes_.isKnownUnequal(op)) {
    Value never = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, widenCopy(op), splat(lane0(result)));
    return expectInLanes(never, {}, mask, Assumption::Maximum);
  }
  const LaneShape known = shape(result);
  if (!known.isStrided() || known.isUniform())
    return;
  const auto [guards, passed] = checkGuards(known);
  const StrideInfo info = *known.strideInfo(passed);
  auto asNumber = [&](Value value, Type number) -> Value { // LLVM 22 mixes up comparisons of vectors of addresses
    return isAddress ? LLVM::PtrToIntOp::create(b, loc, number, value).getResult() : value;
  };
  Value scalar = asNumber(lane0(result), b.getI64Type());
  Value derived = info.stride == 0 ? splat(scalar) : stepVector(scalar, info.stride);
  const bool isLeaf = isa<ocl::QueryOp, ocl::LinearQueryOp, wg::AddressOp, LLVM::AllocaOp>(op);
  Value each = isLeaf || op->getNumOperands() == 0 ? derived : asNumber(widenCopy(op), wide(b.getI64Type()));
  if (each != derived) {
    Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, derived, each);
    expectInLanes(same, guards, mask, Assumption::Lanes);
    if (guards)
      countNeedless(notMask(same), guards, mask);
  }
  if (isAddress)
    return;
  expectOrder(each, info, guards, mask);
  const unsigned bits = result.getType().getIntOrFloatBitWidth();
  if (bits > 64 || known.max() >= llvm::maxUIntN(bits))
    return;
  Value max = splat(arith::ConstantOp::create(b, loc, b.getIntegerAttr(result.getType(), APInt(bits, known.max()))));
  expectInLanes(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, each, max), {}, mask, Assumption::Maximum);
}

// Compares each active lane's value with the next one's, if that is active as well.
void Widener::expectOrder(Value lanes, const StrideInfo &info, Value guards, Value mask) {
  if (info.stride == 0)
    return;
  SmallVector<int64_t> next(lanes_);
  SmallVector<Attribute> hasNext(lanes_);
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    next[lane] = std::min(lane + 1, lanes_ - 1);
    hasNext[lane] = b.getBoolAttr(lane + 1 < lanes_);
  }
  Value pairs = constant(b.getI1Type(), hasNext);
  if (mask)
    pairs = andMask(mask, andMask(shuffle(mask, mask, next), pairs));
  Value successor = shuffle(lanes, lanes, next);
  auto compare = [&](arith::CmpIPredicate rises, arith::CmpIPredicate falls, Assumption assumption) {
    Value inOrder = arith::CmpIOp::create(b, loc, info.stride > 0 ? rises : falls, lanes, successor);
    expectInLanes(inOrder, guards, pairs, assumption);
  };
  if (info.noSignedWrap)
    compare(arith::CmpIPredicate::slt, arith::CmpIPredicate::sgt, Assumption::NoSignedWrap);
  if (info.noUnsignedWrap)
    compare(arith::CmpIPredicate::ult, arith::CmpIPredicate::ugt, Assumption::NoUnsignedWrap);
}

// Compares the end lanes' result with the vector of conditions. All lanes are active here.
void Widener::expectEndLanes(Value condition, const EndLaneResult &result) {
  Value lanes = vectors(condition)[0];
  auto isNot = [&](Value flag) {
    return arith::XOrIOp::create(b, loc, flag, arith::ConstantIntOp::create(b, loc, 1, 1)).getResult();
  };
  expect(arith::OrIOp::create(b, loc, isNot(result.all), all(lanes)), Assumption::LaneOrder);
  if (result.any)
    expect(isNot(arith::XOrIOp::create(b, loc, result.any, any(lanes))), Assumption::LaneOrder);
}

// `loaded` was read earlier in the program, or by a wider access. Compares it with what each lane reads here.
void Widener::expectLoaded(Value loaded, Value pointer, Type type, unsigned alignment, Value mask,
                           Assumption assumption) {
  if (!type.isIntOrFloat())
    return;
  auto asBits = [&](Value lanes) -> Value {
    auto bits = cast<VectorType>(lanes.getType()).clone(b.getIntegerType(type.getIntOrFloatBitWidth()));
    return lanes.getType() == bits ? lanes : LLVM::BitcastOp::create(b, loc, bits, lanes).getResult();
  };
  Value each = gather(pointer, {}, type, alignment, mask)[0];
  expectInLanes(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, asBits(loaded), asBits(each)), {}, mask,
                assumption);
}

} // namespace kiln
