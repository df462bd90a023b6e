// RUN: kiln-opt %s --ocl-lay-out-program-variables --split-input-file | FileCheck %s

// Variables with an initial value first, then by alignment; the image ends with the last nonzero byte.
// CHECK: module @layout attributes {ocl.program_variables = {alignment = 16 : i64, image = array<i8: 1, 2, 3, 0, 0, 0, 0, 0, 7>, largest = 64 : i64, relocations = array<i64>, size = 88 : i64}}
// CHECK-NOT: llvm.mlir.global
module @layout {
  llvm.mlir.global internal @small(7 : i8) {addr_space = 1 : i32} : i8
  llvm.mlir.global internal @zeros(#llvm.zero) {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<16 x i32>
  llvm.mlir.global internal @null(0 : i64) {addr_space = 1 : i32} : i64
  llvm.mlir.global internal @bytes(dense<[1, 2, 3, 0, 0, 0, 0, 0]> : tensor<8xi8>) {addr_space = 1 : i32, alignment = 8 : i64} : !llvm.array<8 x i8>
  // CHECK-LABEL: @addresses
  func.func @addresses() attributes {ocl.kernel} {
    // CHECK: %[[B:.*]] = ocl.program_variables : !llvm.ptr<1>
    // CHECK-NEXT: llvm.load %[[B]]
    %a = llvm.mlir.addressof @bytes : !llvm.ptr<1>
    %x = llvm.load %a : !llvm.ptr<1> -> i8
    // CHECK: %[[B:.*]] = ocl.program_variables : !llvm.ptr<1>
    // CHECK: %[[D:.*]] = arith.constant 80 : i64
    // CHECK: %[[P:.*]] = llvm.getelementptr inbounds %[[B]][%[[D]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    // CHECK: llvm.store %{{.*}}, %[[P]]
    %b = llvm.mlir.addressof @null : !llvm.ptr<1>
    llvm.store %x, %b : i8, !llvm.ptr<1>
    return
  }
}

// -----

// All forms of initial values.
// CHECK: module @values
// CHECK-SAME: image = array<i8: 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, -128, 63, 9, 0, 9, 0, 65, 66, 5, 6>
module @values {
  llvm.mlir.global internal @v() {addr_space = 1 : i32} : !llvm.struct<(i32, i8, f32, array<2 x i16>, array<2 x i8>, struct<packed (i8, array<1 x i16>)>)> {
    %0 = llvm.mlir.undef : !llvm.struct<(i32, i8, f32, array<2 x i16>, array<2 x i8>, struct<packed (i8, array<1 x i16>)>)>
    %i = llvm.mlir.constant(16909060 : i32) : i32
    %f = llvm.mlir.constant(1.0 : f32) : f32
    %s = llvm.mlir.constant(dense<9> : tensor<2xi16>) : !llvm.array<2 x i16>
    %t = llvm.mlir.constant("AB") : !llvm.array<2 x i8>
    %wrong = llvm.mlir.constant(77 : i32) : i32
    %c = llvm.mlir.constant(5 : i8) : i8
    %h = llvm.mlir.constant(6 : i16) : i16
    %1 = llvm.insertvalue %wrong, %0[0] : !llvm.struct<(i32, i8, f32, array<2 x i16>, array<2 x i8>, struct<packed (i8, array<1 x i16>)>)>
    %2 = llvm.insertvalue %i, %1[0] : !llvm.struct<(i32, i8, f32, array<2 x i16>, array<2 x i8>, struct<packed (i8, array<1 x i16>)>)>
    %3 = llvm.insertvalue %f, %2[2] : !llvm.struct<(i32, i8, f32, array<2 x i16>, array<2 x i8>, struct<packed (i8, array<1 x i16>)>)>
    %4 = llvm.insertvalue %s, %3[3] : !llvm.struct<(i32, i8, f32, array<2 x i16>, array<2 x i8>, struct<packed (i8, array<1 x i16>)>)>
    %5 = llvm.insertvalue %t, %4[4] : !llvm.struct<(i32, i8, f32, array<2 x i16>, array<2 x i8>, struct<packed (i8, array<1 x i16>)>)>
    %6 = llvm.insertvalue %c, %5[5, 0] : !llvm.struct<(i32, i8, f32, array<2 x i16>, array<2 x i8>, struct<packed (i8, array<1 x i16>)>)>
    %7 = llvm.insertvalue %h, %6[5, 1, 0] : !llvm.struct<(i32, i8, f32, array<2 x i16>, array<2 x i8>, struct<packed (i8, array<1 x i16>)>)>
    llvm.return %7 : !llvm.struct<(i32, i8, f32, array<2 x i16>, array<2 x i8>, struct<packed (i8, array<1 x i16>)>)>
  }
  // The last byte is nonzero, so that the image keeps it.
  llvm.mlir.global internal @w(dense<[0, 0]> : vector<2xi8>) {addr_space = 1 : i32} : vector<2xi8>
}

// -----

// Addresses of variables, of elements, of constants, in integers, past an end. A constant whose address is taken in the
// block, and one that contains an address, are in the block; the others stay in the code.
// CHECK: module @pointers attributes
// CHECK-SAME: relocations = array<i64: 0, 52, 8, 56, 16, 60, 24, 48, 32, 0, 40, 64>, size = 68 : i64
// CHECK-NOT: llvm.mlir.global internal constant @table
// CHECK: llvm.mlir.global internal constant @plain
// CHECK: llvm.mlir.global internal constant @refers
// CHECK-NOT: llvm.mlir.global
module @pointers {
  llvm.mlir.global internal @list() {addr_space = 1 : i32} : !llvm.array<4 x ptr<1>> {
    %0 = llvm.mlir.undef : !llvm.array<4 x ptr<1>>
    %a = llvm.mlir.addressof @numbers : !llvm.ptr<1>
    %second = llvm.getelementptr inbounds %a[0, 1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, !llvm.array<3 x i32>
    %end = llvm.getelementptr inbounds %a[0, 3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, !llvm.array<3 x i32>
    %index = llvm.mlir.constant(2 : i64) : i64
    %third = llvm.getelementptr inbounds %a[%index] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %1 = llvm.insertvalue %second, %0[0] : !llvm.array<4 x ptr<1>>
    %2 = llvm.insertvalue %third, %1[1] : !llvm.array<4 x ptr<1>>
    %3 = llvm.insertvalue %end, %2[2] : !llvm.array<4 x ptr<1>>
    %4 = llvm.insertvalue %a, %3[3] : !llvm.array<4 x ptr<1>>
    llvm.return %4 : !llvm.array<4 x ptr<1>>
  }
  llvm.mlir.global internal @integer() {addr_space = 1 : i32} : i64 {
    %a = llvm.mlir.addressof @numbers : !llvm.ptr<1>
    %i = llvm.ptrtoint %a : !llvm.ptr<1> to i64
    %c = llvm.mlir.constant(16 : i64) : i64
    %s = arith.addi %i, %c : i64
    llvm.return %s : i64
  }
  llvm.mlir.global internal constant @table() {addr_space = 2 : i32} : !llvm.ptr<4> {
    %a = llvm.mlir.addressof @list : !llvm.ptr<1>
    %g = llvm.addrspacecast %a : !llvm.ptr<1> to !llvm.ptr<4>
    llvm.return %g : !llvm.ptr<4>
  }
  llvm.mlir.global internal @numbers(dense<[1, 2, 3]> : tensor<3xi32>) {addr_space = 1 : i32} : !llvm.array<3 x i32>
  llvm.mlir.global internal @zero(0 : i32) {addr_space = 1 : i32} : i32
  llvm.mlir.global internal @last(0 : i32) {addr_space = 1 : i32} : i32
  llvm.mlir.global internal constant @plain(4 : i32) {addr_space = 2 : i32} : i32
  llvm.mlir.global internal constant @refers() {addr_space = 2 : i32} : !llvm.ptr<2> {
    %a = llvm.mlir.addressof @plain : !llvm.ptr<2>
    llvm.return %a : !llvm.ptr<2>
  }
  // CHECK-LABEL: @uses
  func.func @uses(%to: !llvm.ptr<1>) attributes {ocl.kernel} {
    // CHECK: %[[B:.*]] = ocl.program_variables : !llvm.ptr<2>
    // CHECK: %[[P:.*]] = llvm.getelementptr inbounds %[[B]]
    // CHECK: llvm.load %[[P]] : !llvm.ptr<2> -> !llvm.ptr<4>
    %t = llvm.mlir.addressof @table : !llvm.ptr<2>
    %p = llvm.load %t : !llvm.ptr<2> -> !llvm.ptr<4>
    // CHECK: llvm.mlir.addressof @plain
    %c = llvm.mlir.addressof @plain : !llvm.ptr<2>
    %v = llvm.load %c : !llvm.ptr<2> -> i32
    llvm.store %p, %to : !llvm.ptr<4>, !llvm.ptr<1>
    llvm.store %v, %to : i32, !llvm.ptr<1>
    return
  }
}

// -----

// Programs without variables have no block, whatever their constants contain.
// CHECK-LABEL: module @nothing {
// CHECK: llvm.mlir.global internal constant @c
module @nothing {
  llvm.mlir.global internal constant @c(4 : i32) {addr_space = 2 : i32} : i32
  llvm.mlir.global internal @l() {addr_space = 3 : i32} : i32
}

// -----

// On AMD GPUs, variables in local and private memory may have address 0, so null is another value.
// CHECK: module @nulls attributes
// CHECK-SAME: image = array<i8: 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1>
module @nulls attributes {llvm.target_triple = "amdgcn-amd-amdhsa"} {
  llvm.mlir.global internal @pointers(#llvm.zero) {addr_space = 1 : i32} : !llvm.struct<(ptr<1>, array<2 x ptr<3>>)>
}

// -----

// On NVIDIA GPUs, private pointers are generic.
// CHECK: module @nulls_of_local attributes
// CHECK-SAME: image = array<i8: 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1>
module @nulls_of_local attributes {llvm.target_triple = "nvptx64-nvidia-cuda"} {
  llvm.mlir.global internal @pointers(#llvm.zero) {addr_space = 1 : i32} : !llvm.struct<(ptr, ptr<3>)>
}
