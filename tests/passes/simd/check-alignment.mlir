// RUN: kiln-opt %s --wg-check-alignment | FileCheck %s

// The address, the alignment and the line go to the report, and the access stays.
// CHECK-LABEL: func.func @vector
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[P:.*]] : !llvm.ptr<1> to i64
// CHECK: %[[MASK:.*]] = arith.constant 15 : i64
// CHECK: %[[REST:.*]] = arith.andi %[[ADDRESS]], %[[MASK]]
// CHECK: %[[MISALIGNED:.*]] = arith.cmpi ne, %[[REST]]
// CHECK: scf.if %[[MISALIGNED]]
// CHECK: wg.assumption_report
// CHECK: llvm.store %[[ADDRESS]]
// CHECK: llvm.atomicrmw add
// CHECK: llvm.load %[[P]] {alignment = 16 : i64}
func.func @vector(%a: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    %v = llvm.load %a {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    llvm.store %v, %out {alignment = 1 : i64} : vector<4xf32>, !llvm.ptr<1>
    wg.yield
  }
  return
}

// An access without the attribute has its type's alignment.
// CHECK-LABEL: func.func @natural
// CHECK: arith.constant 3 : i64
// CHECK: scf.if
// CHECK: llvm.store %{{.*}}, %arg0 : i32
func.func @natural(%a: !llvm.ptr<1>, %x: i32) attributes {ocl.kernel} {
  wg.parallel {
    llvm.store %x, %a : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Both sides of a copy; atomic operations.
// CHECK-LABEL: func.func @others
// CHECK: llvm.ptrtoint %arg0
// CHECK: arith.constant 63 : i64
// CHECK: llvm.ptrtoint %arg1
// CHECK: arith.constant 7 : i64
// CHECK: llvm.intr.memcpy
// CHECK: llvm.ptrtoint %arg0
// CHECK: arith.constant 3 : i64
// CHECK: ocl.atomic_rmw
func.func @others(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %x: i32) attributes {ocl.kernel} {
  %size = arith.constant 256 : i64
  wg.parallel {
    "llvm.intr.memcpy"(%a, %b, %size) <{isVolatile = false}> {ocl.copy_align = array<i64: 64, 8>} : (!llvm.ptr<1>, !llvm.ptr<1>, i64) -> ()
    %old = ocl.atomic_rmw add %a, %x relaxed device : !llvm.ptr<1>, i32
    wg.yield
  }
  return
}

// Left alone: bytes, the start of a variable, and functions that are not kernels.
// CHECK-LABEL: func.func @aligned
// CHECK-NOT: scf.if
// CHECK-LABEL: func.func @called
// CHECK-NOT: scf.if
func.func @aligned(%a: !llvm.ptr<1>, %x: i8) attributes {ocl.kernel} {
  wg.parallel {
    %one = arith.constant 1 : i32
    %own = llvm.alloca %one x vector<4xf32> {alignment = 16 : i64} : (i32) -> !llvm.ptr
    %v = llvm.load %own {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
    llvm.store %v, %own {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
    llvm.store %x, %a : i8, !llvm.ptr<1>
    wg.yield
  }
  return
}
func.func @called(%a: !llvm.ptr<1>, %x: i32) {
  llvm.store %x, %a : i32, !llvm.ptr<1>
  return
}
