// Checks accesses of images whose coordinates OpenCL C requires to be in the image (KILN_CHECK=memory): writes, and
// reads through a sampler without an addressing mode, or without a sampler.
//
//   %p = ocl.read_image_int %i, %f, %s, %n, %c     ==>   %in = ocl.check_image read %i sampler %s shape 2 at %x, %y
//                                                        %q = ocl.read_image_int %i, %f, %s, %n, %c
//                                                        %p = arith.select %in, %q, 0
//
//   ocl.write_image_int %i, %f, %n, %c, %p         ==>   %in = ocl.check_image write %i sampler 0 shape 2 at %x, %y
//                                                        %x = arith.select %in, %x, -1
//                                                        ocl.write_image_int %i, %f, %n, (%x, %y), %p
//
// The functions of dialects/library clamp the coordinates of such reads and leave out such writes, with or without the
// check, so no branch is needed. `ocl-check-accesses` lowers the check, when images are arguments of kernels.
//
// Samplers that are no constant are checked when the kernel runs.
#include "base/abi/ImageAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/Pass.h"
#include "passes/analysis/Constants.h"

using namespace mlir;

namespace kiln {
#include "passes/CheckImages.pass.inc"
namespace {

struct CheckImages : impl::CheckImagesBase<CheckImages> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto read = dyn_cast<ocl::ReadImageFloatOp>(op))
        checkRead(read);
      else if (auto read = dyn_cast<ocl::ReadImageIntOp>(op))
        checkRead(read);
      else if (auto read = dyn_cast<ocl::SampleImageFloatOp>(op))
        checkRead(read);
      else if (auto read = dyn_cast<ocl::SampleImageIntOp>(op))
        checkRead(read);
      else if (auto write = dyn_cast<ocl::WriteImageFloatOp>(op))
        checkWrite(write);
      else if (auto write = dyn_cast<ocl::WriteImageIntOp>(op))
        checkWrite(write);
    });
  }

private:
  template <typename Read> static void checkRead(Read read) {
    const auto shape = constantOf(read.getShape()), sampler = constantOf(read.getSampler());
    if (!shape || (sampler && (*sampler & abi::SamplerModeMask) != abi::AddressNone))
      return;
    ImplicitLocOpBuilder b(read.getLoc(), read);
    const Value inside = check(b, ocl::AccessKind::read, read.getImage(), read.getSampler(),
                               unsigned(*shape) & abi::ShapeDims, read.getCoordinates());
    b.setInsertionPointAfter(read);
    const Value zero = arith::ConstantOp::create(b, b.getZeroAttr(read.getPixel().getType()));
    auto pixel = arith::SelectOp::create(b, inside, read.getPixel(), zero);
    read.getPixel().replaceAllUsesExcept(pixel, pixel);
  }

  template <typename Write> static void checkWrite(Write write) {
    const auto shape = constantOf(write.getShape());
    if (!shape)
      return;
    ImplicitLocOpBuilder b(write.getLoc(), write);
    const Value inside = check(b, ocl::AccessKind::write, write.getImage(), intConstant(b, 0, 32), unsigned(*shape),
                               write.getCoordinates());
    Value x = b.createOrFold<vector::ExtractOp>(write.getCoordinates(), 0);
    x = arith::SelectOp::create(b, inside, x, intConstant(b, -1, 32));
    write.getCoordinatesMutable().assign(vector::InsertOp::create(b, x, write.getCoordinates(), 0));
  }

  static Value check(ImplicitLocOpBuilder &b, ocl::AccessKind access, Value image, Value sampler, unsigned shape,
                     Value coordinates) {
    const unsigned count = (shape & abi::ShapeDims) + (shape & abi::ShapeLayers ? 1 : 0);
    SmallVector<Value> scalars;
    for (unsigned i = 0; i < count; ++i)
      scalars.push_back(b.createOrFold<vector::ExtractOp>(coordinates, int64_t(i)));
    return ocl::CheckImageOp::create(b, b.getI1Type(), access, image, sampler, shape, scalars);
  }
};
} // namespace
} // namespace kiln
