// RUN: kiln-opt %s --ocl-check-images | FileCheck %s
// RUN: kiln-opt %s --ocl-check-images --ocl-check-accesses | FileCheck %s --check-prefixes=LOWERED,CPU
// RUN: kiln-opt %s --ocl-set-target=target=nvptx,sub_group_size=32 --ocl-check-images --ocl-check-accesses | FileCheck %s --check-prefixes=LOWERED,GPU

// A read without an addressing mode returns zero outside. Its layer is clamped.
// CHECK-LABEL: func.func @read
// CHECK: %[[X:.*]] = vector.extract %arg1[0]
// CHECK: %[[Y:.*]] = vector.extract %arg1[1]
// CHECK: %[[IN:.*]] = ocl.check_image read %arg0 sampler %{{.*}} shape 2 at %[[X]], %[[Y]] : !llvm.ptr, i32, i32
// CHECK: %[[P:.*]] = ocl.read_image_int
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<4xi32>
// CHECK: %[[R:.*]] = arith.select %[[IN]], %[[P]], %[[ZERO]]
// CHECK: return %[[R]]
// LOWERED-LABEL: func.func @read
// LOWERED-NOT: ocl.check_image
func.func @read(%image: !llvm.ptr, %at: vector<4xi32>) -> vector<4xi32> {
  %none = arith.constant 0 : i32
  %shape = arith.constant 6 : i32
  %format = ocl.image_format %image : !llvm.ptr
  %p = ocl.read_image_int %image, %format, %none, %shape, %at : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xi32>
  return %p : vector<4xi32>
}

// CHECK-LABEL: func.func @with_addressing_mode
// CHECK-NOT: ocl.check_image
func.func @with_addressing_mode(%image: !llvm.ptr, %at: vector<4xi32>) -> vector<4xi32> {
  %clamp = arith.constant 2 : i32
  %shape = arith.constant 2 : i32
  %format = ocl.image_format %image : !llvm.ptr
  %p = ocl.read_image_int %image, %format, %clamp, %shape, %at : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xi32>
  return %p : vector<4xi32>
}

// A write gets the coordinate -1 outside; the layer counts.
// CHECK-LABEL: func.func @write
// CHECK: %[[IN:.*]] = ocl.check_image write %arg0 sampler %{{.*}} shape 5 at %[[X:.*]], %{{.*}} : !llvm.ptr, i32, i32
// CHECK: %[[NEW:.*]] = arith.select %[[IN]], %{{.*}}, %{{.*}} : i32
// CHECK: %[[AT:.*]] = vector.insert %[[NEW]], %arg1 [0]
// CHECK: ocl.write_image_int %arg0, %{{.*}}, %{{.*}}, %[[AT]], %arg2
// LOWERED-LABEL: func.func @write
// LOWERED: %[[WIDTH:.*]] = llvm.load %{{.*}} invariant
// LOWERED: arith.cmpi ult, %{{.*}}, %[[WIDTH]]
// LOWERED: scf.if
// CPU: llvm.call
// GPU: %[[BITS:.*]] = arith.bitcast %{{.*}} : f64 to i64
// GPU: ocl.report_finding {{.*}} of(%[[BITS]],
func.func @write(%image: !llvm.ptr {ocl.kind = "image", ocl.name = "to"}, %at: vector<4xi32>, %pixel: vector<4xi32>) attributes {ocl.kernel} {
  %shape = arith.constant 5 : i32
  %format = ocl.image_format %image : !llvm.ptr
  ocl.write_image_int %image, %format, %shape, %at, %pixel : (!llvm.ptr, i32, i32, vector<4xi32>, vector<4xi32>) -> ()
  return
}
