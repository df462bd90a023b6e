// Replaces image formats and samplers that a variant fixes (ocl.constant_value on a kernel's argument) by constants,
// and loads the others from the image argument.
//
//   %f = ocl.image_format %a     ==>   %f = arith.constant 0x10b510d2 : i32   if the variant fixes %a: RGBA, 8 bits
//                                      %f = llvm.load (%a + 36) invariant     otherwise
//
// Other loads from the image argument: ImageLoads.h.
#include "base/abi/ImageAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pass.h"
#include "passes/ocl/ImageLoads.h"

using namespace mlir;

namespace kiln {
#include "passes/SpecializeImages.pass.inc"
namespace {

struct SpecializeImages : impl::SpecializeImagesBase<SpecializeImages> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    for (BlockArgument argument : function.getArguments()) {
      auto kind = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), ocl::ArgKindAttr);
      IntegerAttr known = ocl::fixedValue(argument);
      if (kind && kind.getValue() == "image")
        ocl::specializeImageLoads(argument, known);
      if (kind && kind.getValue() == "sampler" && known && !argument.use_empty()) {
        auto b = OpBuilder::atBlockBegin(argument.getOwner());
        argument.replaceAllUsesWith(arith::ConstantOp::create(b, function.getLoc(), known));
      }
    }
    function.walk([](ocl::ImageFormatOp op) {
      OpBuilder b(op);
      op.replaceAllUsesWith(formatOf(b, op));
      op.erase();
    });
  }

private:
  static Value formatOf(OpBuilder &b, ocl::ImageFormatOp op) {
    if (IntegerAttr known = ocl::fixedValue(op.getImage()))
      return intConstant(b, op.getLoc(), ocl::imageFormatOf(known), 32);
    Value address = LLVM::GEPOp::create(b, op.getLoc(), op.getImage().getType(), b.getI8Type(), op.getImage(),
                                        ArrayRef<LLVM::GEPArg>{int32_t(offsetof(abi::Image, format))});
    auto load = LLVM::LoadOp::create(b, op.getLoc(), b.getI32Type(), address, 4);
    load.setInvariant(true);
    return load;
  }
};
} // namespace
} // namespace kiln
