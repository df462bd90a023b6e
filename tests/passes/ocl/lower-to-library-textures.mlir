// RUN: kiln-opt "--ocl-set-target=target=nvptx,sub_group_size=32,features=[textures]" --ocl-lower-to-library %s | FileCheck %s
// RUN: kiln-opt %cpu_8 --ocl-lower-to-library %s | FileCheck %s --check-prefix=PLAIN

// Reads call the functions that use texture objects.
// CHECK-LABEL: func.func @plane
// CHECK: call @ocl_read_image_float_textured_{{[0-9]+}}(
// CHECK: call @ocl_sample_image_int_textured_{{[0-9]+}}(
// PLAIN-LABEL: func.func @plane
// PLAIN: call @ocl_read_image_float_{{[0-9]+}}(
// PLAIN: call @ocl_sample_image_int_{{[0-9]+}}(
func.func @plane(%i: !llvm.ptr, %f: i32, %s: i32, %c: vector<4xi32>, %u: vector<4xf32>)
    -> (vector<4xf32>, vector<4xi32>) attributes {ocl.kernel} {
  %plane = arith.constant 2 : i32
  %p = ocl.read_image_float %i, %f, %s, %plane, %c : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xf32>
  %q = ocl.sample_image_int %i, %f, %s, %plane, %u : (!llvm.ptr, i32, i32, i32, vector<4xf32>) -> vector<4xi32>
  return %p, %q : vector<4xf32>, vector<4xi32>
}

// So do those of arrays and of 3D images; writes do not.
// CHECK-LABEL: func.func @others
// CHECK: call @ocl_read_image_float_textured_{{[0-9]+}}(
// CHECK: call @ocl_write_image_float_{{[0-9]+}}(
func.func @others(%i: !llvm.ptr, %f: i32, %s: i32, %c: vector<4xi32>) attributes {ocl.kernel} {
  %plane = arith.constant 2 : i32
  %array = arith.constant 6 : i32
  %p = ocl.read_image_float %i, %f, %s, %array, %c : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xf32>
  ocl.write_image_float %i, %f, %plane, %c, %p : (!llvm.ptr, i32, i32, vector<4xi32>, vector<4xf32>) -> ()
  return
}

// The texture is used if there is one.
// CHECK-LABEL: func.func private @ocl_read_image_float_textured_{{[0-9]+}}(
// CHECK: llvm.nvvm.tex.unified.2d.v4f32.s32
// PLAIN-NOT: llvm.nvvm.tex
