#include "passes/simd/emit/CheckAssumptions.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/simd/emit/LaneAccesses.h"
#include "passes/simd/emit/LaneValues.h"
#include "passes/simd/emit/LaunchReport.h"
#include <cstddef>

using namespace mlir;

namespace kiln {
namespace {

void expect(VectorBuilder &b, Value holds, Assumption assumption) {
  Value broken = arith::XOrIOp::create(b, holds, intConstant(b, 1, 1));
  auto branch = scf::IfOp::create(b, broken, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  LaunchReport report(b);
  report.put(offsetof(abi::AssumptionReport, kind), uint64_t(assumption));
  report.putLine(offsetof(abi::AssumptionReport, line));
  report.count(offsetof(abi::AssumptionReport, broken));
}

// `guards`: code relies on the assumption only where this is true; null: always.
void expectInLanes(VectorBuilder &b, Value holds, Value guards, Value mask, Assumption assumption) {
  Value wrong = b.any(b.andMask(mask, b.notMask(holds)));
  if (guards)
    wrong = arith::AndIOp::create(b, wrong, guards);
  expect(b, arith::XOrIOp::create(b, wrong, intConstant(b, 1, 1)), assumption);
}

void countNeedless(VectorBuilder &b, Value differs, Value guards, Value mask) {
  Value isNeedless = arith::OrIOp::create(b, guards, b.any(b.andMask(mask, differs)));
  isNeedless = arith::XOrIOp::create(b, isNeedless, intConstant(b, 1, 1));
  auto branch = scf::IfOp::create(b, isNeedless, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  LaunchReport(b).count(offsetof(abi::AssumptionReport, needless));
}

// Compares each active lane's value with the next one's, if that is active as well.
void expectOrder(VectorBuilder &b, Value lanes, const StrideInfo &info, Value guards, Value mask) {
  if (info.stride == 0)
    return;
  SmallVector<int64_t> next(b.lanes());
  SmallVector<Attribute> hasNext(b.lanes());
  for (unsigned lane = 0; lane < b.lanes(); ++lane) {
    next[lane] = std::min(lane + 1, b.lanes() - 1);
    hasNext[lane] = b.getBoolAttr(lane + 1 < b.lanes());
  }
  Value pairs = b.constant(b.getI1Type(), hasNext);
  if (mask)
    pairs = b.andMask(mask, b.andMask(b.shuffle(mask, mask, next), pairs));
  Value successor = b.shuffle(lanes, lanes, next);
  auto compare = [&](arith::CmpIPredicate rises, arith::CmpIPredicate falls, Assumption assumption) {
    Value inOrder = arith::CmpIOp::create(b, info.stride > 0 ? rises : falls, lanes, successor);
    expectInLanes(b, inOrder, guards, pairs, assumption);
  };
  if (info.noSignedWrap)
    compare(arith::CmpIPredicate::slt, arith::CmpIPredicate::sgt, Assumption::NoSignedWrap);
  if (info.noUnsignedWrap)
    compare(arith::CmpIPredicate::ult, arith::CmpIPredicate::ugt, Assumption::NoUnsignedWrap);
}

} // namespace

void expectStrides(VectorBody &body, Operation *op, Value mask) {
  VectorBuilder &b = body.builder();
  if (op->getNumResults() != 1 || op->getNumRegions())
    return;
  Value result = op->getResult(0);
  const bool isAddress = isa<LLVM::LLVMPointerType>(result.getType());
  if (!isAddress && !isa<IntegerType>(result.getType()))
    return;
  if (body.shapes().isKnownUnequal(op)) {
    Value never = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, widenCopy(body, op), b.splat(body.lane0(result)));
    return expectInLanes(b, never, {}, mask, Assumption::Maximum);
  }
  const LaneShape known = body.shape(result);
  if (!known.isStrided() || known.isUniform())
    return;
  const auto [guards, passed] = body.checks().checkGuards(known);
  const StrideInfo info = *known.strideInfo(passed);
  auto asNumber = [&](Value value, Type number) -> Value { // LLVM 22 mixes up comparisons of vectors of addresses
    return isAddress ? LLVM::PtrToIntOp::create(b, number, value).getResult() : value;
  };
  Value scalar = asNumber(body.lane0(result), b.getI64Type());
  Value derived = info.stride == 0 ? b.splat(scalar) : b.stepVector(scalar, info.stride);
  const bool isLeaf = isa<ocl::QueryOp, ocl::LinearQueryOp, ocl::CheckAccessOp, wg::AddressOp, LLVM::AllocaOp>(op);
  Value each = isLeaf || op->getNumOperands() == 0 ? derived : asNumber(widenCopy(body, op), b.wide(b.getI64Type()));
  if (each != derived) {
    Value same = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, derived, each);
    expectInLanes(b, same, guards, mask, Assumption::Lanes);
    if (guards)
      countNeedless(b, b.notMask(same), guards, mask);
  }
  if (isAddress)
    return;
  expectOrder(b, each, info, guards, mask);
  const unsigned bits = result.getType().getIntOrFloatBitWidth();
  if (bits > 64 || known.max() >= llvm::maxUIntN(bits))
    return;
  Value max = b.splat(arith::ConstantOp::create(b, b.getIntegerAttr(result.getType(), APInt(bits, known.max()))));
  expectInLanes(b, arith::CmpIOp::create(b, arith::CmpIPredicate::ule, each, max), {}, mask, Assumption::Maximum);
}

void expectEndLanes(VectorBody &body, Value condition, const EndLaneResult &result) {
  VectorBuilder &b = body.builder();
  Value lanes = body.vectors(condition)[0];
  auto isNot = [&](Value flag) { return arith::XOrIOp::create(b, flag, intConstant(b, 1, 1)).getResult(); };
  expect(b, arith::OrIOp::create(b, isNot(result.all), b.all(lanes)), Assumption::LaneOrder);
  if (result.any)
    expect(b, isNot(arith::XOrIOp::create(b, result.any, b.any(lanes))), Assumption::LaneOrder);
}

void expectLoaded(VectorBody &body, Value loaded, const MemoryAccess &access, Assumption assumption) {
  VectorBuilder &b = body.builder();
  if (!access.type.isIntOrFloat())
    return;
  auto asBits = [&](Value lanes) -> Value {
    auto bits = cast<VectorType>(lanes.getType()).clone(b.getIntegerType(access.type.getIntOrFloatBitWidth()));
    return lanes.getType() == bits ? lanes : LLVM::BitcastOp::create(b, bits, lanes).getResult();
  };
  Value each = gather(body, access, {})[0];
  expectInLanes(b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, asBits(loaded), asBits(each)), {}, access.mask,
                assumption);
}

} // namespace kiln
