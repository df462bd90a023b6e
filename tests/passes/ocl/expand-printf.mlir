// RUN: kiln-opt %s --ocl-expand-printf --split-input-file --verify-diagnostics | FileCheck %s

// One record: a header of 16 bytes with the indices of the format and of the signature, and each argument at a multiple
// of 8.
// CHECK-LABEL: module @record
// CHECK-SAME: attributes {ocl.printf_signatures = [array<i8: 0, 4, 1, 1, 4, 3, 2, 8, 1>], ocl.printf_strings = ["%d %v3hlf %p"]}
module @record {
  llvm.mlir.global internal constant @f(dense<[37, 100, 32, 37, 118, 51, 104, 108, 102, 32, 37, 112, 0, 65]> : tensor<14xi8>) {addr_space = 2 : i32} : !llvm.array<14 x i8>
  // CHECK-LABEL: @prints
  func.func @prints(%x: i32, %v: vector<3xf32>, %p: !llvm.ptr<1>) -> i32 {
    // CHECK: %[[FORMAT:.*]] = arith.constant 1 : i64
    // CHECK: %[[P:.*]] = llvm.ptrtoint %arg2
    // CHECK: %[[B:.*]] = ocl.printf_buffer : <1>
    // CHECK: %[[SIZE:.*]] = arith.constant 48 : i64
    // CHECK: %[[OLD:.*]] = ocl.atomic_rmw add %{{.*}}, %[[SIZE]] relaxed device : <1>, i64
    // CHECK: %[[CAPACITY:.*]] = llvm.load
    // CHECK: %[[LAST:.*]] = arith.subi %[[CAPACITY]]
    // CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[OLD]], %[[LAST]] : i64
    // CHECK: %[[AT:.*]] = arith.select %[[FITS]], %[[OLD]], %[[CAPACITY]]
    // CHECK: %[[HEAD:.*]] = arith.constant 48 : i64
    // CHECK: llvm.store %[[HEAD]]
    // CHECK: llvm.getelementptr %{{.*}}[8]
    // CHECK: llvm.store %[[FORMAT]]
    // CHECK: llvm.getelementptr %{{.*}}[16]
    // CHECK: llvm.store %arg0, %{{.*}} {alignment = 8 : i64} : i32
    // CHECK: llvm.getelementptr %{{.*}}[24]
    // CHECK: llvm.store %arg1, %{{.*}} {alignment = 8 : i64} : vector<3xf32>
    // CHECK: llvm.getelementptr %{{.*}}[40]
    // CHECK: llvm.store %[[P]]
    // CHECK: %[[R:.*]] = arith.select %[[FITS]], %c0_i32, %c-1_i32 : i32
    // CHECK: return %[[R]]
    %f = llvm.mlir.addressof @f : !llvm.ptr<2>
    %r = ocl.printf %f(%x, %v, %p) : !llvm.ptr<2>, i32, vector<3xf32>, !llvm.ptr<1>
    return %r : i32
  }
}

// -----

// The message of a trap has a bit in its signature: 2^63 + 16 as a signed number.
module @trap {
  llvm.mlir.global internal constant @f(dense<[97, 0]> : tensor<2xi8>) {addr_space = 2 : i32} : !llvm.array<2 x i8>
  // CHECK-LABEL: @traps
  // CHECK: %[[HEAD:.*]] = arith.constant -9223372036854775792 : i64
  // CHECK: llvm.store %[[HEAD]]
  func.func @traps() {
    %f = llvm.mlir.addressof @f : !llvm.ptr<2>
    %r = ocl.printf %f() {ocl.trap_message} : !llvm.ptr<2>
    return
  }
}

// -----

// Equal literals and equal signatures share an index; a format may start inside a literal.
// CHECK-LABEL: module @tables
// CHECK-SAME: attributes {ocl.printf_signatures = [array<i8>, array<i8: 3, 8, 1>], ocl.printf_strings = ["bc", "bc%s"]}
module @tables {
  llvm.mlir.global internal constant @a(dense<[97, 98, 99, 0]> : tensor<4xi8>) {addr_space = 2 : i32} : !llvm.array<4 x i8>
  llvm.mlir.global internal constant @b(dense<[98, 99, 0]> : tensor<3xi8>) {addr_space = 2 : i32} : !llvm.array<3 x i8>
  llvm.mlir.global internal constant @c(dense<[98, 99, 37, 115]> : tensor<4xi8>) {addr_space = 2 : i32} : !llvm.array<4 x i8>
  func.func @prints() {
    %a = llvm.mlir.addressof @a : !llvm.ptr<2>
    %i = llvm.getelementptr %a[0, 1] : (!llvm.ptr<2>) -> !llvm.ptr<2>, !llvm.array<4 x i8>
    %b = llvm.mlir.addressof @b : !llvm.ptr<2>
    %c = llvm.mlir.addressof @c : !llvm.ptr<2>
    %0 = ocl.printf %i() : !llvm.ptr<2>
    %1 = ocl.printf %b() : !llvm.ptr<2>
    %2 = ocl.printf %c(%b) : !llvm.ptr<2>, !llvm.ptr<2>
    return
  }
}

// -----

// A literal that a branch selects is compared at run time; a pointer that may point to no literal gets index 0.
// CHECK-LABEL: module @choices
// CHECK-SAME: ocl.printf_strings = ["%s", "y", "n"]
module @choices {
  llvm.mlir.global internal constant @f(dense<[37, 115, 0]> : tensor<3xi8>) {addr_space = 2 : i32} : !llvm.array<3 x i8>
  llvm.mlir.global internal constant @y(dense<[121, 0]> : tensor<2xi8>) {addr_space = 2 : i32} : !llvm.array<2 x i8>
  llvm.mlir.global internal constant @n(dense<[110, 0]> : tensor<2xi8>) {addr_space = 2 : i32} : !llvm.array<2 x i8>
  // CHECK-LABEL: @prints
  func.func @prints(%c: i1, %d: i1, %p: !llvm.ptr<2>) {
    %f = llvm.mlir.addressof @f : !llvm.ptr<2>
    %y = llvm.mlir.addressof @y : !llvm.ptr<2>
    cf.cond_br %c, ^more, ^end(%y : !llvm.ptr<2>)
  ^more:
    %n = llvm.mlir.addressof @n : !llvm.ptr<2>
    %s = arith.select %d, %n, %p : !llvm.ptr<2>
    cf.br ^end(%s : !llvm.ptr<2>)
  ^end(%t: !llvm.ptr<2>):
    // CHECK: ^bb2(%[[T:[0-9]+]]: !llvm.ptr<2>)
    // CHECK: %[[NONE:.*]] = arith.constant 0 : i64
    // CHECK: llvm.icmp "eq" %[[T]], %{{.*}} : !llvm.ptr<2>
    // CHECK: %[[ONE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NONE]] : i64
    // CHECK: llvm.icmp "eq" %[[T]], %{{.*}} : !llvm.ptr<2>
    // CHECK: %[[BOTH:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ONE]] : i64
    // CHECK: llvm.store %[[BOTH]]
    %0 = ocl.printf %f(%t) : !llvm.ptr<2>, !llvm.ptr<2>
    return
  }
}

// -----

func.func @unknown_format(%f: !llvm.ptr<2>) {
  // expected-error @+1 {{printf has a format that is not a string literal}}
  %0 = ocl.printf %f() : !llvm.ptr<2>
  return
}
