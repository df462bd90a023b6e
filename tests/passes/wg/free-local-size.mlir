// RUN: kiln-opt %s --wg-lower-parallel | FileCheck %s

// A kernel that queries global ids only: the runtime may choose another local size.
// CHECK-LABEL: llvm.func @unseen.group
// CHECK-SAME: plan.depends_on_local_size = 0 : i64
// CHECK-SAME: plan.prefers_tiles = 0 : i64
func.func @unseen(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    llvm.store %g, %p : i64, !llvm.ptr<1>
    wg.yield
  }
  return
}

// CHECK-LABEL: llvm.func @asks.group
// CHECK-SAME: plan.depends_on_local_size = 1 : i64
func.func @asks(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %g = ocl.query group_id[%zero] : i64
    llvm.store %g, %a : i64, !llvm.ptr<1>
    wg.yield
  }
  return
}

// CHECK-LABEL: llvm.func @has_local_memory.group
// CHECK-SAME: plan.depends_on_local_size = 1 : i64
func.func @has_local_memory(%a: !llvm.ptr<3>) attributes {ocl.kernel} {
  wg.parallel {
    wg.yield
  }
  return
}

// A barrier between two regions.
// CHECK-LABEL: llvm.func @meets.group
// CHECK-SAME: plan.depends_on_local_size = 1 : i64
func.func @meets() attributes {ocl.kernel} {
  wg.parallel {
    wg.yield
  }
  wg.parallel {
    wg.yield
  }
  return
}

// A single atomic operation does not wait; in a loop it may, so groups keep their size.
// CHECK-LABEL: llvm.func @counts.group
// CHECK-SAME: plan.depends_on_local_size = 0 : i64
func.func @counts(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  wg.parallel {
    %old = ocl.atomic_rmw add %a, %one relaxed device : !llvm.ptr<1>, i32
    wg.yield
  }
  return
}

// CHECK-LABEL: llvm.func @waits.group
// CHECK-SAME: plan.depends_on_local_size = 1 : i64
func.func @waits(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    cf.br ^loop
  ^loop:
    %now = ocl.atomic_load %a acquire device : !llvm.ptr<1> -> i32
    %again = arith.cmpi eq, %now, %zero : i32
    cf.cond_br %again, ^loop, ^end
  ^end:
    wg.yield
  }
  return
}

// A loop that loads from memory: tiles are preferred to rows.
// CHECK-LABEL: llvm.func @reads_in_a_loop.group
// CHECK-SAME: plan.depends_on_local_size = 0 : i64
// CHECK-SAME: plan.prefers_tiles = 1 : i64
func.func @reads_in_a_loop(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %g = ocl.query global_id[%zero] : i64
    cf.br ^loop(%g : i64)
  ^loop(%i: i64):
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    %next = llvm.load %p : !llvm.ptr<1> -> i64
    %again = arith.cmpi ne, %next, %g : i64
    cf.cond_br %again, ^loop(%next : i64), ^end
  ^end:
    wg.yield
  }
  return
}

// What vector bodies have of the wg dialect does not depend on the local size.
// CHECK-LABEL: llvm.func @permutes.group
// CHECK-SAME: plan.depends_on_local_size = 0 : i64
func.func @permutes(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    wg.yield
  } lanes 8 {
    %index = llvm.load %a : !llvm.ptr<1> -> vector<8xi32>
    %permuted = wg.permute %index of %index, %index : vector<8xi32>
    %distinct = wg.distinct_arguments
    %stored = arith.select %distinct, %permuted, %index : vector<8xi32>
    llvm.store %stored, %a : vector<8xi32>, !llvm.ptr<1>
    wg.yield
  }
  return
}
