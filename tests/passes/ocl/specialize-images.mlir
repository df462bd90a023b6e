// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(ocl-specialize-images))' | FileCheck %s

!image = !llvm.struct<(i64, i64, i64, i32, i32, i32, i32, i32, i32, i64, i64)>

// A variant fixes the format, and with it the size of a pixel (passes/ocl/ImageLoads.cpp), and the sampler.
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

// A variant fixes whether the image has a texture object: bit 31. The format is without it.
// CHECK-LABEL: func.func @textured
// CHECK-DAG: %[[HAS:.*]] = arith.constant true
// CHECK-DAG: %[[FORMAT:.*]] = arith.constant 280301778 : i32
// CHECK: return %[[HAS]], %[[FORMAT]]
func.func @textured(%a: !llvm.ptr {ocl.kind = "image", ocl.byval = !image, ocl.constant_value = -1867181870 : i32})
    -> (i1, i32) attributes {ocl.kernel} {
  %f = ocl.image_format %a : !llvm.ptr
  %p = llvm.getelementptr inbounds %a[0, 9] : (!llvm.ptr) -> !llvm.ptr, !image
  %t = llvm.load %p : !llvm.ptr -> i64
  %zero = arith.constant 0 : i64
  %has = arith.cmpi ne, %t, %zero : i64
  return %has, %f : i1, i32
}

// CHECK-LABEL: func.func @without_texture
// CHECK: %[[HAS:.*]] = arith.constant true
// CHECK: return %[[HAS]]
func.func @without_texture(%a: !llvm.ptr {ocl.kind = "image", ocl.byval = !image, ocl.constant_value = 280301778 : i32})
    -> i1 attributes {ocl.kernel} {
  %p = llvm.getelementptr inbounds %a[0, 9] : (!llvm.ptr) -> !llvm.ptr, !image
  %t = llvm.load %p : !llvm.ptr -> i64
  %zero = arith.constant 0 : i64
  %no = arith.cmpi eq, %t, %zero : i64
  return %no : i1
}

// The texture unit filters 8-bit channels. It does not filter four halves, and gathers one channel only.
// CHECK-LABEL: func.func @filtered
// CHECK: %[[HAS:.*]] = arith.constant true
// CHECK: return %[[HAS]]
func.func @filtered(%a: !llvm.ptr {ocl.kind = "image", ocl.byval = !image, ocl.constant_value = -1867181870 : i32})
    -> i1 attributes {ocl.kernel} {
  %p = llvm.getelementptr inbounds %a[0, 10] : (!llvm.ptr) -> !llvm.ptr, !image
  %t = llvm.load %p : !llvm.ptr -> i64
  %zero = arith.constant 0 : i64
  %has = arith.cmpi ne, %t, %zero : i64
  return %has : i1
}

// CHECK-LABEL: func.func @unfiltered
// CHECK: %[[HAS:.*]] = arith.constant false
// CHECK: return %[[HAS]]
func.func @unfiltered(%a: !llvm.ptr {ocl.kind = "image", ocl.byval = !image, ocl.constant_value = -1867181859 : i32})
    -> i1 attributes {ocl.kernel} {
  %p = llvm.getelementptr inbounds %a[0, 10] : (!llvm.ptr) -> !llvm.ptr, !image
  %t = llvm.load %p : !llvm.ptr -> i64
  %zero = arith.constant 0 : i64
  %has = arith.cmpi ne, %t, %zero : i64
  return %has : i1
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
