// Replaces image formats and samplers that a variant fixes (ocl.constant_value on a kernel's argument) by constants,
// and loads the others from the image argument.
//
//   %f = ocl.image_format %a     ==>   %f = arith.constant 0x10b510d2 : i32   if the variant fixes %a: RGBA, 8 bits
//                                      %f = llvm.load (%a + 36) invariant     otherwise
//
// A variant fixes as well whether the image has texture objects (abi::FormatTextured), so one of the two ways to read
// or filter pixels is removed:
//
//   %t = llvm.load (%a + 48); arith.cmpi ne, %t, 0   ==>   arith.constant true or false
//
// An image's description is an argument and does not change while the kernel runs, so every load from it is invariant.
#include "base/abi/ImageAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/SpecializeImages.pass.inc"
namespace {

constexpr int32_t PixelBytesMember = 7, TextureMember = 9, FilterMember = 10; // of abi::Image

struct SpecializeImages : impl::SpecializeImagesBase<SpecializeImages> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    for (BlockArgument argument : function.getArguments()) {
      auto kind = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), ocl::ArgKindAttr);
      auto known = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), ocl::ArgConstantAttr);
      if (kind && kind.getValue() == "image")
        specializeLoads(argument, known);
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
  // Marks loads from the image argument as invariant. A fixed format fixes the size of a pixel as well, and comparisons
  // of the texture objects with 0.
  static void specializeLoads(Value image, IntegerAttr format) {
    SmallVector<Value> pointers{image};
    SmallVector<LLVM::LoadOp> sizes;
    SmallVector<std::pair<arith::CmpIOp, bool>> textureTests; // with whether there is an object
    auto addTests = [&](LLVM::LoadOp load, bool isThere) {
      for (Operation *test : load->getUsers())
        if (auto compare = dyn_cast<arith::CmpIOp>(test); compare && matchPattern(compare.getRhs(), m_Zero()))
          textureTests.emplace_back(compare, isThere);
    };
    while (!pointers.empty()) {
      Value pointer = pointers.pop_back_val();
      for (Operation *user : pointer.getUsers())
        if (auto load = dyn_cast<LLVM::LoadOp>(user)) {
          load.setInvariant(true);
          if (format && isMemberAddress(pointer.getDefiningOp<LLVM::GEPOp>(), PixelBytesMember) &&
              load.getType().isInteger(32))
            sizes.push_back(load);
          const bool hasTexture = format && uint32_t(format.getInt()) & abi::FormatTextured;
          if (format && load.getType().isInteger(64)) {
            if (isMemberAddress(pointer.getDefiningOp<LLVM::GEPOp>(), TextureMember))
              addTests(load, hasTexture && abi::isReadByTexture(formatOf(format)));
            if (isMemberAddress(pointer.getDefiningOp<LLVM::GEPOp>(), FilterMember))
              addTests(load, hasTexture && (abi::isFilteredByTexture(formatOf(format)) ||
                                            abi::isGatheredByTexture(formatOf(format))));
          }
        } else if (isa<LLVM::GEPOp>(user)) {
          pointers.push_back(user->getResult(0));
        }
    }
    for (LLVM::LoadOp load : sizes) {
      OpBuilder b(load);
      load.replaceAllUsesWith(intConstant(b, load.getLoc(), abi::pixelBytes(formatOf(format)), 32));
      load.erase();
    }
    for (auto [compare, isThere] : textureTests) {
      if (compare.getPredicate() != arith::CmpIPredicate::ne && compare.getPredicate() != arith::CmpIPredicate::eq)
        continue;
      OpBuilder b(compare);
      const bool holds = isThere == (compare.getPredicate() == arith::CmpIPredicate::ne);
      compare.replaceAllUsesWith(intConstant(b, compare.getLoc(), holds, 1));
      compare.erase();
    }
  }

  static uint32_t formatOf(IntegerAttr known) { return uint32_t(known.getInt()) & ~abi::FormatTextured; }

  // Returns true if the address is that of a member of abi::Image, in the form of the library's code.
  static bool isMemberAddress(LLVM::GEPOp address, int32_t member) {
    return address && isa<BlockArgument>(address.getBase()) && isa<LLVM::LLVMStructType>(address.getElemType()) &&
           address.getRawConstantIndices() == ArrayRef<int32_t>{0, member};
  }

  static Value formatOf(OpBuilder &b, ocl::ImageFormatOp op) {
    if (auto argument = dyn_cast<BlockArgument>(op.getImage()))
      if (auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
          function && argument.getOwner()->isEntryBlock())
        if (auto known = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), ocl::ArgConstantAttr))
          return intConstant(b, op.getLoc(), formatOf(known), 32);
    Value address = LLVM::GEPOp::create(b, op.getLoc(), op.getImage().getType(), b.getI8Type(), op.getImage(),
                                        ArrayRef<LLVM::GEPArg>{int32_t(offsetof(abi::Image, format))});
    auto load = LLVM::LoadOp::create(b, op.getLoc(), b.getI32Type(), address, 4);
    load.setInvariant(true);
    return load;
  }
};
} // namespace
} // namespace kiln
