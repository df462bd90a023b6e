// RUN: kiln-opt %s --ocl-align-variables | FileCheck %s

// A copy requires more than its constant has.
// CHECK: llvm.mlir.global internal constant @zeros{{.*}}alignment = 128
llvm.mlir.global internal constant @zeros(dense<0> : tensor<256xi8>) {addr_space = 2 : i32, alignment = 1 : i64} : !llvm.array<256 x i8>
func.func @copied(%n: i64) {
  %one = arith.constant 1 : i32
  %to = llvm.alloca %one x !llvm.array<64 x i32> {alignment = 128 : i64} : (i32) -> !llvm.ptr
  %from = llvm.mlir.addressof @zeros : !llvm.ptr<2>
  "llvm.intr.memcpy"(%to, %from, %n) <{isVolatile = false}> {ocl.copy_align = array<i64: 128, 128>} : (!llvm.ptr, !llvm.ptr<2>, i64) -> ()
  return
}

// Vectors in an array of bytes, after address arithmetic and a cast; without the attribute, an access has its type's
// alignment.
// CHECK: llvm.mlir.global internal @shared{{.*}}alignment = 16
// CHECK-LABEL: func.func @bytes
// CHECK: llvm.alloca %{{.*}} x !llvm.array<32 x i8> {alignment = 4
llvm.mlir.global internal @shared() {addr_space = 3 : i32, alignment = 1 : i64} : !llvm.array<256 x i8>
func.func @bytes(%i: i64, %x: i32) -> vector<4xf32> {
  %one = arith.constant 1 : i32
  %own = llvm.alloca %one x !llvm.array<32 x i8> {alignment = 1 : i64} : (i32) -> !llvm.ptr
  %generic = llvm.addrspacecast %own : !llvm.ptr to !llvm.ptr<4>
  llvm.store %x, %generic : i32, !llvm.ptr<4>
  %base = llvm.mlir.addressof @shared : !llvm.ptr<3>
  %at = llvm.getelementptr %base[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
  %v = llvm.load %at {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  return %v : vector<4xf32>
}

// Left alone: variables with a larger alignment, and alignments above a page.
// CHECK-LABEL: func.func @enough
// CHECK: llvm.alloca %{{.*}} x i32 {alignment = 64
// CHECK: llvm.alloca %{{.*}} x i32 {alignment = 4
func.func @enough(%x: i32) {
  %one = arith.constant 1 : i32
  %a = llvm.alloca %one x i32 {alignment = 64 : i64} : (i32) -> !llvm.ptr
  %b = llvm.alloca %one x i32 {alignment = 4 : i64} : (i32) -> !llvm.ptr
  llvm.store %x, %a {alignment = 4 : i64} : i32, !llvm.ptr
  llvm.store %x, %b {alignment = 1048576 : i64} : i32, !llvm.ptr
  return
}
