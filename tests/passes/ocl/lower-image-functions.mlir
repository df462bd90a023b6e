// RUN: kiln-opt "--ocl-set-target=target=nvptx,sub_group_size=32,features=[textures]" --ocl-lower-to-library --symbol-dce %s | FileCheck %s
// RUN: kiln-opt %cpu_8 --ocl-lower-to-library --symbol-dce %s | FileCheck %s --check-prefix=CPU

// Copies of image functions (passes/ocl/ImageFunctions.cpp): reads with the same sampler and number of coordinates call
// one copy. The coordinates may differ.
// CHECK-LABEL: func.func @reads
// CHECK: call @[[PLANE:ocl_read_image_float_textured_[0-9]+]](
// CHECK: call @[[PLANE]](
// CHECK: call @[[LINE:ocl_read_image_float_textured_[0-9]+]](
func.func @reads(%i: !llvm.ptr {ocl.kind = "image"}, %c: vector<4xi32>)
    -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) attributes {ocl.kernel} {
  %sampler = arith.constant 2 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %zero = arith.constant dense<0> : vector<4xi32>
  %f = ocl.image_format %i : !llvm.ptr
  %p = ocl.read_image_float %i, %f, %sampler, %two, %c : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xf32>
  %q = ocl.read_image_float %i, %f, %sampler, %two, %zero : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xf32>
  %r = ocl.read_image_float %i, %f, %sampler, %one, %c : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xf32>
  return %p, %q, %r : vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// A fixed format (RGBA of floats, without a texture object) and sampler are known as well.
// CHECK-LABEL: func.func @fixed
// CHECK: call @[[FIXED:ocl_read_image_float_textured_[0-9]+]](
func.func @fixed(%i: !llvm.ptr {ocl.kind = "image", ocl.constant_value = 280350942 : i32},
                 %s: i32 {ocl.kind = "sampler", ocl.constant_value = 2 : i32}, %c: vector<4xi32>)
    -> vector<4xf32> attributes {ocl.kernel} {
  %two = arith.constant 2 : i32
  %f = ocl.image_format %i : !llvm.ptr
  %p = ocl.read_image_float %i, %f, %s, %two, %c : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xf32>
  return %p : vector<4xf32>
}

// On a GPU, a copy with several calls that does not know the format stays a function; it has no filter.
// CHECK: func.func private @[[PLANE]]({{.*}}attributes {{{.*}}ocl.inline_if_constant
// CHECK-NOT: llvm.nvvm.tex.unified.2d.v4f32.f32
// CHECK: func.func private @[[LINE]](
// CHECK-NOT: ocl.inline_if_constant
// CHECK: func.func private @[[FIXED]](
// CHECK-NOT: {{cf.switch|llvm.nvvm.tex}}
// CHECK: call @{{.*decodeUnits.*}}(%c280350942_i32,
// CHECK: return
// CPU: func.func private @ocl_read_image_float_{{[0-9]+}}(
// CPU-NOT: ocl.inline_if_constant
// CPU: return
