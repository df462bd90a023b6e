// RUN: kiln-opt %s --ocl-infer-address-spaces | FileCheck %s

// The address space is inferred through address arithmetic.
// CHECK-LABEL: @through_arithmetic
// CHECK-NOT: !llvm.ptr<4>
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i32
func.func @through_arithmetic(%i: i64) -> i32 {
  %one = arith.constant 1 : i32
  %p = llvm.alloca %one x !llvm.array<4 x i32> : (i32) -> !llvm.ptr
  %g = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<4>
  %e = llvm.getelementptr %g[%i] : (!llvm.ptr<4>, i64) -> !llvm.ptr<4>, i32
  %v = llvm.load %e : !llvm.ptr<4> -> i32
  return %v : i32
}

// A pointer that control flow selects may be in either space: it stays generic.
// CHECK-LABEL: @chosen
// CHECK: llvm.load %{{.*}} : !llvm.ptr<4> -> i32
func.func @chosen(%c: i1, %a: !llvm.ptr<1>, %b: !llvm.ptr<3>) -> i32 {
  %ga = llvm.addrspacecast %a : !llvm.ptr<1> to !llvm.ptr<4>
  %gb = llvm.addrspacecast %b : !llvm.ptr<3> to !llvm.ptr<4>
  %g = arith.select %c, %ga, %gb : !llvm.ptr<4>
  %v = llvm.load %g : !llvm.ptr<4> -> i32
  return %v : i32
}

// A pointer that is stored is generic in memory.
// CHECK-LABEL: @stored
// CHECK: llvm.store %{{.*}}, %{{.*}} : !llvm.ptr<4>, !llvm.ptr<1>
func.func @stored(%a: !llvm.ptr<3>, %to: !llvm.ptr<1>) {
  %g = llvm.addrspacecast %a : !llvm.ptr<3> to !llvm.ptr<4>
  llvm.store %g, %to : !llvm.ptr<4>, !llvm.ptr<1>
  return
}

// An address-space query of a pointer whose space is known is folded; another one stays.
// CHECK-LABEL: @asked
// CHECK-DAG: %[[YES:.*]] = arith.constant true
// CHECK-DAG: %[[NO:.*]] = arith.constant false
// CHECK: %[[OPEN:.*]] = ocl.is_addrspace local %{{.*}} : <4>
// CHECK: return %[[YES]], %[[NO]], %[[OPEN]]
func.func @asked(%a: !llvm.ptr<3>, %u: !llvm.ptr<4>, %i: i64) -> (i1, i1, i1) {
  %g = llvm.addrspacecast %a : !llvm.ptr<3> to !llvm.ptr<4>
  %e = llvm.getelementptr %g[%i] : (!llvm.ptr<4>, i64) -> !llvm.ptr<4>, i32
  %yes = ocl.is_addrspace local %g : !llvm.ptr<4>
  %no = ocl.is_addrspace private %e : !llvm.ptr<4>
  %open = ocl.is_addrspace local %u : !llvm.ptr<4>
  return %yes, %no, %open : i1, i1, i1
}

// A cast to generic and back is the pointer itself, and is erased once.
// CHECK-LABEL: @there_and_back
// CHECK-NOT: llvm.addrspacecast
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
func.func @there_and_back(%a: !llvm.ptr<3>) -> i32 {
  %g = llvm.addrspacecast %a : !llvm.ptr<3> to !llvm.ptr<4>
  %b = llvm.addrspacecast %g : !llvm.ptr<4> to !llvm.ptr<3>
  %h = llvm.addrspacecast %b : !llvm.ptr<3> to !llvm.ptr<4>
  %v = llvm.load %h : !llvm.ptr<4> -> i32
  return %v : i32
}

// A memcpy of a whole variable uses the named pointer: mem2reg would drop the copy otherwise.
// CHECK-LABEL: @copied
// CHECK: %[[V:.*]] = llvm.alloca
// CHECK: "llvm.intr.memcpy"(%arg0, %[[V]], %{{.*}}) {{.*}} : (!llvm.ptr<1>, !llvm.ptr, i64) -> ()
// CHECK: "llvm.intr.memcpy"(%[[V]], %arg0, %{{.*}}) {{.*}} : (!llvm.ptr, !llvm.ptr<1>, i64) -> ()
func.func @copied(%a: !llvm.ptr<1>, %x: i32) {
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i64
  %v = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  llvm.store %x, %v : i32, !llvm.ptr
  %g = llvm.addrspacecast %v : !llvm.ptr to !llvm.ptr<4>
  "llvm.intr.memcpy"(%a, %g, %four) <{isVolatile = false}> : (!llvm.ptr<1>, !llvm.ptr<4>, i64) -> ()
  "llvm.intr.memcpy"(%g, %a, %four) <{isVolatile = false}> : (!llvm.ptr<4>, !llvm.ptr<1>, i64) -> ()
  return
}
