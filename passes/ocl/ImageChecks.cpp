// Lowers checks of images in kernels.
//
//   %in = ocl.check_image read %i sampler %s shape 2 at %x, %y   ==>   %w = llvm.load (%i + 24)
//                                                                      %h = llvm.load (%i + 28)
//                                                                      %within = %x < %w && %y < %h
//                                                                      %none = (%s & 7) == 0
//                                                                      scf.if %none && !%within { report }
//                                                                      %in = !%none || %within
//
// Integers are compared as unsigned. A coordinate that is a float is compared with 0 and the size, as OpenCL C 3.2
// takes it for CLK_FILTER_NEAREST; normalized ones are multiplied by the size. So a filtered read that is less than
// half a pixel from the edge is accepted.
#include "passes/ocl/ImageChecks.h"
#include "base/abi/ImageAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include <cstddef>

using namespace mlir;

namespace kiln {
namespace {

Value sizeAt(ImplicitLocOpBuilder &b, Value image, size_t field) {
  Value address = LLVM::GEPOp::create(b, image.getType(), b.getI8Type(), image, LLVM::GEPArg(int32_t(field)));
  auto load = LLVM::LoadOp::create(b, b.getI32Type(), address, /*alignment=*/4);
  load.setInvariant(true);
  return load;
}

/// Returns the offset of the member of abi::Image that limits a coordinate.
size_t limitOf(unsigned coordinate, unsigned shape) {
  if (coordinate == (shape & abi::ShapeDims) || coordinate == 2)
    return offsetof(abi::Image, slices);
  return coordinate == 0 ? offsetof(abi::Image, width) : offsetof(abi::Image, height);
}

Value isWithin(ImplicitLocOpBuilder &b, Value coordinate, Value size, Value isNormalized) {
  if (coordinate.getType().isInteger())
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, coordinate, size);
  const Value limit = arith::UIToFPOp::create(b, b.getF32Type(), size);
  const Value scaled = b.createOrFold<arith::SelectOp>(
      isNormalized, arith::MulFOp::create(b, coordinate, limit).getResult(), coordinate);
  const Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  return arith::AndIOp::create(b, arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, scaled, zero),
                               arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, scaled, limit));
}

/// Returns true if none of the bits is set in the sampler.
Value hasNone(ImplicitLocOpBuilder &b, Value sampler, uint32_t bits) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                       b.createOrFold<arith::AndIOp>(sampler, intConstant(b, bits, 32)),
                                       intConstant(b, 0, 32));
}

Value negation(ImplicitLocOpBuilder &b, Value flag) {
  return b.createOrFold<arith::XOrIOp>(flag, intConstant(b, 1, 1));
}

void lower(ocl::CheckImageOp check, func::FuncOp kernel, ReportOutside report) {
  ImplicitLocOpBuilder b(check.getLoc(), check);
  const Value image = check.getImage(), sampler = check.getSampler();
  const unsigned shape = check.getShape();
  const bool hasIntegers = check.getCoordinates().front().getType().isInteger();
  // A sampler for integers has no normalized coordinates.
  const Value isNone = hasNone(b, sampler, abi::SamplerModeMask | (hasIntegers ? abi::SamplerNormalized : 0));
  const Value isNormalized = negation(b, hasNone(b, sampler, abi::SamplerNormalized));
  Value within = intConstant(b, 1, 1);
  for (auto [index, coordinate] : llvm::enumerate(check.getCoordinates()))
    within = b.createOrFold<arith::AndIOp>(
        within, isWithin(b, coordinate, sizeAt(b, image, limitOf(unsigned(index), shape)), isNormalized));
  const Value wrong = b.createOrFold<arith::AndIOp>(isNone, negation(b, within));
  check.replaceAllUsesWith(negation(b, wrong));

  CheckedObject object{.access = uint8_t(check.getAccess()), .space = ocl::Global, .shape = uint8_t(shape)};
  if (auto argument = dyn_cast<BlockArgument>(image); argument && argument.getOwner() == &kernel.getBody().front()) {
    object.argument = int32_t(argument.getArgNumber());
    if (auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), ocl::ArgNameAttr))
      object.name = name.getValue();
  }
  auto branch = scf::IfOp::create(b, wrong, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  std::array<Value, 3> coordinates;
  for (unsigned i = 0; i < 3; ++i) {
    const Value coordinate = i < check.getCoordinates().size() ? check.getCoordinates()[i] : Value();
    if (!coordinate)
      coordinates[i] = arith::ConstantOp::create(b, b.getF64FloatAttr(0));
    else if (hasIntegers)
      coordinates[i] = arith::SIToFPOp::create(b, b.getF64Type(), coordinate);
    else
      coordinates[i] = arith::ExtFOp::create(b, b.getF64Type(), coordinate);
  }
  report(b, object, image, coordinates);
  check.erase();
}

SmallVector<ocl::CheckImageOp> checksOf(func::FuncOp function) {
  SmallVector<ocl::CheckImageOp> checks;
  function.walk([&](ocl::CheckImageOp check) { checks.push_back(check); });
  return checks;
}

} // namespace

unsigned lowerImageChecks(func::FuncOp kernel, ReportOutside report) {
  const auto checks = checksOf(kernel);
  for (ocl::CheckImageOp check : checks)
    lower(check, kernel, report);
  return unsigned(checks.size());
}

void removeImageChecks(func::FuncOp function) {
  for (ocl::CheckImageOp check : checksOf(function)) {
    OpBuilder b(check);
    check.replaceAllUsesWith(intConstant(b, check.getLoc(), 1, 1));
    check.erase();
  }
}

} // namespace kiln
