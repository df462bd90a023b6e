#include "passes/ocl/ImageLoads.h"
#include "base/abi/ImageAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::ocl {
namespace {

constexpr int32_t PixelBytesMember = 7, TextureMember = 9, FilterMember = 10; // of abi::Image

// Returns true if the address is that of a member of abi::Image, in the form of the library's code.
bool isMemberAddress(LLVM::GEPOp address, int32_t member) {
  return address && isa<BlockArgument>(address.getBase()) && isa<LLVM::LLVMStructType>(address.getElemType()) &&
         address.getRawConstantIndices() == ArrayRef<int32_t>{0, member};
}

void replaceComparison(arith::CmpIOp compare, bool isThere) {
  if (compare.getPredicate() != arith::CmpIPredicate::ne && compare.getPredicate() != arith::CmpIPredicate::eq)
    return;
  OpBuilder b(compare);
  const bool holds = isThere == (compare.getPredicate() == arith::CmpIPredicate::ne);
  compare.replaceAllUsesWith(intConstant(b, compare.getLoc(), holds, 1));
  compare.erase();
}

void replaceComparisonsWithZero(LLVM::LoadOp texture, bool isThere) {
  for (Operation *test : llvm::make_early_inc_range(texture->getUsers()))
    if (auto compare = dyn_cast<arith::CmpIOp>(test); compare && matchPattern(compare.getRhs(), m_Zero()))
      replaceComparison(compare, isThere);
}

// Replaces a load of the size of a pixel, and comparisons of a loaded texture object with 0, by constants.
void specializeLoad(LLVM::LoadOp load, LLVM::GEPOp address, IntegerAttr known) {
  const uint32_t format = imageFormatOf(known);
  const bool hasTexture = uint32_t(known.getInt()) & abi::FormatTextured;
  if (load.getType().isInteger(32) && isMemberAddress(address, PixelBytesMember)) {
    OpBuilder b(load);
    load.replaceAllUsesWith(intConstant(b, load.getLoc(), abi::pixelBytes(format), 32));
    load.erase();
  } else if (load.getType().isInteger(64) && isMemberAddress(address, TextureMember)) {
    replaceComparisonsWithZero(load, hasTexture && abi::isReadByTexture(format));
  } else if (load.getType().isInteger(64) && isMemberAddress(address, FilterMember)) {
    replaceComparisonsWithZero(load,
                               hasTexture && (abi::isFilteredByTexture(format) || abi::isGatheredByTexture(format)));
  }
}

} // namespace

IntegerAttr fixedValue(Value argument) {
  auto block = dyn_cast<BlockArgument>(argument);
  auto function = block ? dyn_cast<func::FuncOp>(block.getOwner()->getParentOp()) : func::FuncOp();
  if (!function || !block.getOwner()->isEntryBlock())
    return {};
  return function.getArgAttrOfType<IntegerAttr>(block.getArgNumber(), ArgConstantAttr);
}

uint32_t imageFormatOf(IntegerAttr known) { return uint32_t(known.getInt()) & ~abi::FormatTextured; }

void specializeImageLoads(BlockArgument image, IntegerAttr known) {
  SmallVector<Value> pointers{image};
  while (!pointers.empty()) {
    Value pointer = pointers.pop_back_val();
    for (Operation *user : llvm::make_early_inc_range(pointer.getUsers()))
      if (auto load = dyn_cast<LLVM::LoadOp>(user)) {
        load.setInvariant(true);
        if (known)
          specializeLoad(load, pointer.getDefiningOp<LLVM::GEPOp>(), known);
      } else if (isa<LLVM::GEPOp>(user)) {
        pointers.push_back(user->getResult(0));
      }
  }
}

} // namespace kiln::ocl
