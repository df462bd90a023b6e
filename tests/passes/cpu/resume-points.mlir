// RUN: kiln-opt %s --ocl-to-wg --split-input-file --verify-diagnostics | FileCheck %s

// A loop around a barrier with two entries needs no structure. A value that lives across the barrier goes through a
// slot; uniform values are computed once before the loop.
// CHECK-LABEL: @irreducible
// CHECK-DAG: %[[RUNNING:.*]] = wg.slot : <i1>
// CHECK-DAG: %[[POINT:.*]] = wg.slot : <i32>
// CHECK-DAG: %[[KEPT:.*]] = wg.slot : <i64>
// CHECK: ocl.query local_size
// CHECK: wg.parallel {
// CHECK: wg.store %{{.*}}, %[[POINT]]
// CHECK: wg.store %{{.*}}, %[[RUNNING]]
// CHECK: scf.while
// CHECK: wg.parallel {
// CHECK: wg.load %[[RUNNING]]
// CHECK: wg.load %[[POINT]]
// CHECK: cf.switch
// CHECK: wg.store %{{.*}}, %[[KEPT]]
// CHECK: wg.store %{{.*}}, %[[POINT]]
// CHECK-NEXT: wg.yield
// CHECK: wg.load %[[KEPT]]
// CHECK: wg.store %{{.*}}, %[[RUNNING]]
// CHECK-NEXT: wg.yield
// CHECK: wg.any %[[RUNNING]]
func.func @irreducible(%p: !llvm.ptr<1>, %c: i1) attributes {ocl.kernel} {
  %z = arith.constant 0 : i32
  %i = ocl.query global_id[%z] : i64
  %s = ocl.query local_size[%z] : i64
  cf.cond_br %c, ^a, ^b
^a:
  ocl.barrier work_group local
  cf.br ^b
^b:
  %a = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
  llvm.store %s, %a : i64, !llvm.ptr<1>
  %v = llvm.load volatile %p : !llvm.ptr<1> -> i1
  cf.cond_br %v, ^a, ^end
^end:
  return
}

// -----

// A private variable is a slot, whose address each block computes. A value that no block after a barrier uses stays a
// value.
// CHECK-LABEL: @variable
// CHECK-DAG: %[[ARRAY:.*]] = wg.slot : <!llvm.array<4 x i32>>
// CHECK-NOT: wg.slot : <i64>
// CHECK: cf.switch
// CHECK: wg.address %[[ARRAY]]
// CHECK: wg.address %[[ARRAY]]
func.func @variable(%c: i1) attributes {ocl.kernel} {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %p = llvm.alloca %one x !llvm.array<4 x i32> {alignment = 4 : i64} : (i32) -> !llvm.ptr
  %i = ocl.query local_id[%z] : i64
  %t = arith.trunci %i : i64 to i32
  cf.br ^next
^next:
  %e = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.store %t, %e : i32, !llvm.ptr
  ocl.barrier work_group local
  llvm.store %z, %p : i32, !llvm.ptr
  cf.cond_br %c, ^end, ^other
^other:
  cf.br ^end
^end:
  return
}

// -----

// A barrier with device scope keeps its fence.
// CHECK-LABEL: @fences
// CHECK: ocl.fence acq_rel device global
// CHECK: wg.store
// CHECK-NEXT: wg.yield
func.func @fences(%c: i1) attributes {ocl.kernel} {
  cf.cond_br %c, ^a, ^end
^a:
  ocl.barrier work_group global device
  cf.br ^end
^end:
  return
}

// -----

// Sub-groups may execute different numbers of sub-group barriers between two work-group barriers.
func.func @sub_groups(%c: i1) attributes {ocl.kernel} {
  cf.cond_br %c, ^a, ^end
^a:
  // expected-error @+1 {{is a collective or a sub-group barrier, which a kernel of this size cannot contain}}
  ocl.barrier sub_group local
  cf.br ^end
^end:
  return
}
