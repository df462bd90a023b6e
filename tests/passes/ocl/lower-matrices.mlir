// RUN: kiln-opt %s -split-input-file -verify-diagnostics --ocl-lower-matrices | FileCheck %s

// Where the components are: passes/ocl/MatrixFragment.cpp.
// In a sub-group of 16 work-items, a row of 16 components is a value of each of them: row r, column `lane`.
// CHECK-LABEL: @multiply
// CHECK-COUNT-16: llvm.load {{.*}} -> f32
// All shuffles come first: component (r, k) of a 16 x 8 matrix is in work-item (8 r + k) % 16.
// CHECK-COUNT-128: ocl.shuffle sub_group
// CHECK-NOT: ocl.shuffle
// CHECK-COUNT-128: arith.mulf {{.*}} fastmath<contract>
// CHECK: ^bb1(%{{.*}}: f32, %{{.*}}: f32
// CHECK-COUNT-16: llvm.store
// CHECK-NOT: ocl.matrix
module attributes {ocl.target = #ocl.target<cpu, machine_width = 16, register_bits = 512, vector_registers = 32>} {
  func.func @multiply(%p: !llvm.ptr<1>, %s: i64, %x: f32) attributes {ocl.kernel} {
    %a = ocl.matrix_load column_major %p, %s : !llvm.ptr<1> -> !ocl.matrix<16x8xf32, a>
    %b = ocl.matrix_load row_major %p, %s : !llvm.ptr<1> -> !ocl.matrix<8x16xf32, b>
    %c = ocl.matrix_fill %x : f32 -> !ocl.matrix<16x16xf32, accumulator>
    %d = ocl.matrix_multiply_add %a, %b, %c none : !ocl.matrix<16x8xf32, a>, !ocl.matrix<8x16xf32, b>, !ocl.matrix<16x16xf32, accumulator>
    cf.br ^store(%d : !ocl.matrix<16x16xf32, accumulator>)
  ^store(%e: !ocl.matrix<16x16xf32, accumulator>):
    ocl.matrix_store %e, row_major %p, %s : !ocl.matrix<16x16xf32, accumulator>, !llvm.ptr<1>
    return
  }
}

// -----

// Functions take and return components. In memory a matrix is an array of all components, of which a work-item uses the first.
// CHECK-LABEL: func.func private @twice(%arg0: i32, %arg1: f32, %arg2: f32, %arg3: f32, %arg4: f32
// CHECK-SAME: -> (f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK-LABEL: @calls
// CHECK: llvm.alloca %{{.*}} x !llvm.array<2 x array<256 x f32>>
// CHECK: llvm.getelementptr %{{.*}}[0, 7] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<256 x f32>
// CHECK: %{{.*}}:8 = call @twice(%{{.*}}) : (i32, f32, f32, f32, f32, f32, f32, f32, f32) -> (f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK: arith.constant 8 : i32
module attributes {ocl.target = #ocl.target<nvptx, chip = "sm_90", sub_group_size = 32>} {
  func.func private @twice(%m: !ocl.matrix<16x16xf32, accumulator>, %n: i32) -> !ocl.matrix<16x16xf32, accumulator> {
    %r = ocl.matrix_map %m : (!ocl.matrix<16x16xf32, accumulator>) -> !ocl.matrix<16x16xf32, accumulator> {
    ^bb0(%x: f32):
      %y = arith.addf %x, %x : f32
      ocl.matrix_yield %y : f32
    }
    return %r : !ocl.matrix<16x16xf32, accumulator>
  }
  func.func @calls(%p: !llvm.ptr<1>, %x: f32) attributes {ocl.kernel} {
    %one = arith.constant 1 : i32
    %v = llvm.alloca %one x !llvm.array<2 x !ocl.matrix<16x16xf32, accumulator>> : (i32) -> !llvm.ptr
    %c = ocl.matrix_fill %x : f32 -> !ocl.matrix<16x16xf32, accumulator>
    %q = llvm.getelementptr %v[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<2 x !ocl.matrix<16x16xf32, accumulator>>
    llvm.store %c, %q : !ocl.matrix<16x16xf32, accumulator>, !llvm.ptr
    %m = llvm.load %q : !llvm.ptr -> !ocl.matrix<16x16xf32, accumulator>
    %r = func.call @twice(%m, %one) : (!ocl.matrix<16x16xf32, accumulator>, i32) -> !ocl.matrix<16x16xf32, accumulator>
    %n = ocl.matrix_length !ocl.matrix<16x16xf32, accumulator> : i32
    %e = ocl.matrix_extract %r[%n] : !ocl.matrix<16x16xf32, accumulator> -> f32
    llvm.store %e, %p : f32, !llvm.ptr<1>
    return
  }
}

// -----

module attributes {ocl.target = #ocl.target<cpu, machine_width = 16, register_bits = 512, vector_registers = 32>} {
  func.func @odd(%p: !llvm.ptr<1>, %s: i64) attributes {ocl.kernel} {
    // expected-error @+1 {{uses a matrix of type '!ocl.matrix<3x5xf32, a>', which no multiplication of the device has: 16x16x16 half * half + float}}
    %a = ocl.matrix_load row_major %p, %s : !llvm.ptr<1> -> !ocl.matrix<3x5xf32, a>
    return
  }
}

// -----

module attributes {ocl.target = #ocl.target<cpu, machine_width = 16, register_bits = 512, vector_registers = 32>} {
  func.func @product(%a: !ocl.matrix<16x16xi8, a>, %b: !ocl.matrix<16x16xi8, b>, %c: !ocl.matrix<16x16xf32, accumulator>, %x: f32) {
    %f = ocl.matrix_fill %x : f32 -> !ocl.matrix<16x16xf32, a>
    %g = ocl.matrix_fill %x : f32 -> !ocl.matrix<16x8xf32, a>
    return
  }
  // expected-error @+1 {{uses matrices, and kernels call it that require sub-groups of 8 and of 32 work-items}}
  func.func private @shared(%a: !ocl.matrix<16x16xf32, a>) {
    return
  }
  func.func @k8(%x: f32) attributes {ocl.kernel, ocl.reqd_sub_group_size = 8 : i64} {
    %f = ocl.matrix_fill %x : f32 -> !ocl.matrix<16x16xf32, a>
    func.call @shared(%f) : (!ocl.matrix<16x16xf32, a>) -> ()
    return
  }
  func.func @k32(%x: f32) attributes {ocl.kernel, ocl.reqd_sub_group_size = 32 : i64} {
    %f = ocl.matrix_fill %x : f32 -> !ocl.matrix<16x16xf32, a>
    func.call @shared(%f) : (!ocl.matrix<16x16xf32, a>) -> ()
    return
  }
}
