// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(ocl-specialize-images))' | FileCheck %s

!image = !llvm.struct<(i64, i64, i64, i32, i32, i32, i32, i32, i32)>

// A variant fixes the format, and with it the size of a pixel, and the sampler.
// CHECK-LABEL: func.func @known
// CHECK: %[[SAMPLER:.*]] = arith.constant 18 : i32
// CHECK: %[[FORMAT:.*]] = arith.constant 280301778 : i32
// CHECK: %[[BYTES:.*]] = arith.constant 4 : i32
// CHECK: return %[[FORMAT]], %[[SAMPLER]], %[[BYTES]]
func.func @known(%a: !llvm.ptr {ocl.kind = "image", ocl.byval = !image, ocl.constant_value = 280301778 : i32},
                 %s: i32 {ocl.kind = "sampler", ocl.constant_value = 18 : i32}) -> (i32, i32, i32) attributes {ocl.kernel} {
  %f = ocl.image_format %a : !llvm.ptr
  %p = llvm.getelementptr inbounds %a[0, 7] : (!llvm.ptr) -> !llvm.ptr, !image
  %b = llvm.load %p : !llvm.ptr -> i32
  return %f, %s, %b : i32, i32, i32
}

// Otherwise both come from the launch's arguments. Loads from an image argument are invariant.
// CHECK-LABEL: func.func @unknown
// CHECK: %[[AT:.*]] = llvm.getelementptr %arg0[36]
// CHECK: %[[FORMAT:.*]] = llvm.load %[[AT]] invariant
// CHECK: llvm.load %{{.*}} invariant
// CHECK: llvm.load %arg2 : !llvm.ptr -> i32
// CHECK: return %[[FORMAT]], %arg1
func.func @unknown(%a: !llvm.ptr {ocl.kind = "image", ocl.byval = !image}, %s: i32 {ocl.kind = "sampler"},
                   %other: !llvm.ptr) -> (i32, i32) attributes {ocl.kernel} {
  %f = ocl.image_format %a : !llvm.ptr
  %p = llvm.getelementptr %a[24] : (!llvm.ptr) -> !llvm.ptr, i8
  %w = llvm.load %p : !llvm.ptr -> i32
  %o = llvm.load %other : !llvm.ptr -> i32
  return %f, %s : i32, i32
}

// In a function that is not a kernel the image may be any.
// CHECK-LABEL: func.func private @helper
// CHECK: llvm.load %{{.*}} invariant
func.func private @helper(%a: !llvm.ptr) -> i32 {
  %f = ocl.image_format %a : !llvm.ptr
  return %f : i32
}
