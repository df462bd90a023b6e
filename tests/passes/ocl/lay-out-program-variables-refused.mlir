// RUN: kiln-opt %s --ocl-lay-out-program-variables --split-input-file --verify-diagnostics

llvm.mlir.global internal @l() {addr_space = 3 : i32} : i32
// expected-error @below {{variable 'p' is initialised with the address of 'l', which is not in global memory}}
llvm.mlir.global internal @p() {addr_space = 1 : i32} : !llvm.ptr<3> {
  %a = llvm.mlir.addressof @l : !llvm.ptr<3>
  llvm.return %a : !llvm.ptr<3>
}

// -----

llvm.mlir.global internal @a(1 : i32) {addr_space = 1 : i32} : i32
// expected-error @below {{variable 'half' has an initial value that is not a constant}}
llvm.mlir.global internal @half() {addr_space = 1 : i32} : i32 {
  %a = llvm.mlir.addressof @a : !llvm.ptr<1>
  %i = llvm.ptrtoint %a : !llvm.ptr<1> to i32
  llvm.return %i : i32
}

// -----

// expected-error @below {{variable 'e' has no initial value}}
llvm.mlir.global external @e() {addr_space = 1 : i32} : i32

// -----

// expected-error @below {{variable 'big' has an initial value of 300000000 bytes}}
llvm.mlir.global internal @big(dense<1> : tensor<300000000xi8>) {addr_space = 1 : i32} : !llvm.array<300000000 x i8>

// -----

// expected-error @below {{the variables in global memory have}}
module {
  llvm.mlir.global internal @huge(#llvm.zero) {addr_space = 1 : i32} : !llvm.array<70368744177664 x i8>
  llvm.mlir.global internal @more(#llvm.zero) {addr_space = 1 : i32} : i8
}
