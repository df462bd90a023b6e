// What a variant fixes of images and samplers, and loads from an image's description, abi::Image.
//
// The description is an argument and does not change while the kernel runs, so every load from it is invariant. A
// variant fixes the format and with it the size of a pixel, and whether the image has texture objects
// (abi::FormatTextured), so one of the two ways to read or filter pixels is removed:
//
//   %t = llvm.load (%a + 48); arith.cmpi ne, %t, 0   ==>   arith.constant true or false
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace kiln::ocl {

/// Marks the loads from the image argument as invariant. If a variant fixes the image (`known`: its
/// ocl.constant_value), replaces the loads and comparisons whose results are known then.
void specializeImageLoads(mlir::BlockArgument image, mlir::IntegerAttr known);

/// Returns the ocl.constant_value of an image or sampler that is a kernel's argument; null if there is none.
mlir::IntegerAttr fixedValue(mlir::Value argument);

/// The format in an image's ocl.constant_value.
uint32_t imageFormatOf(mlir::IntegerAttr known);

} // namespace kiln::ocl
