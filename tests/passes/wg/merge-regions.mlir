// RUN: kiln-opt %s --ocl-set-target=local-size=64,1,1 --wg-merge-regions | FileCheck %s --check-prefixes=CHECK,ROW
// RUN: kiln-opt %s --ocl-set-target=local-size=8,8,1 --wg-merge-regions | FileCheck %s --check-prefixes=CHECK,ANY
// RUN: kiln-opt %s --wg-merge-regions | FileCheck %s --check-prefixes=CHECK,ANY

// Accesses to private memory and to slots do not prevent a merge, and the slot is erased. Group values move before the
// region.
// CHECK-LABEL: func.func @own
// CHECK-NOT: wg.slot
// CHECK: %[[TWO:.*]] = arith.addi %arg1, %arg1
// CHECK: wg.parallel
// CHECK: %[[ID:.*]] = ocl.query local_id
// CHECK: llvm.store %[[ID]]
// CHECK-NOT: wg.parallel
// CHECK: return
func.func @own(%a: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %s = wg.slot : <i64>
  wg.parallel {
    %i = ocl.query local_id[%zero] : i64
    wg.store %i, %s : <i64>
    wg.yield
  }
  %two = arith.addi %n, %n : i64
  wg.parallel {
    %i = wg.load %s : <i64>
    %p = llvm.getelementptr %a[%two] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    llvm.store %i, %p : i64, !llvm.ptr<1>
    wg.yield
  }
  return
}

llvm.mlir.global internal @tile() {addr_space = 3 : i32} : !llvm.array<65 x f32>

// Later work-items read at higher addresses than earlier ones have written. With several rows the order is unknown.
// CHECK-LABEL: func.func @reads_next
// CHECK: wg.parallel
// ROW-NOT: wg.parallel
// ANY: wg.parallel
// CHECK: return
func.func @reads_next() attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  %s = wg.slot : <f32>
  wg.parallel {
    %i = ocl.query local_id[%zero] : i64
    %next = arith.addi %i, %one : i64
    %p = llvm.getelementptr %tile[0, %next] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, !llvm.array<65 x f32>
    %x = llvm.load %p : !llvm.ptr<3> -> f32
    wg.store %x, %s : <f32>
    wg.yield
  }
  wg.parallel {
    %i = ocl.query local_id[%zero] : i64
    %x = wg.load %s : <f32>
    %p = llvm.getelementptr %tile[0, %i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, !llvm.array<65 x f32>
    llvm.store %x, %p : f32, !llvm.ptr<3>
    wg.yield
  }
  return
}

// The previous work-item would have written already.
// CHECK-LABEL: func.func @reads_previous
// CHECK: wg.parallel
// CHECK: wg.parallel
// CHECK: return
func.func @reads_previous() attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  %s = wg.slot : <f32>
  wg.parallel {
    %i = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %tile[0, %i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, !llvm.array<65 x f32>
    %x = llvm.load %p : !llvm.ptr<3> -> f32
    wg.store %x, %s : <f32>
    wg.yield
  }
  wg.parallel {
    %i = ocl.query local_id[%zero] : i64
    %next = arith.addi %i, %one : i64
    %x = wg.load %s : <f32>
    %p = llvm.getelementptr %tile[0, %next] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, !llvm.array<65 x f32>
    llvm.store %x, %p : f32, !llvm.ptr<3>
    wg.yield
  }
  return
}

// All access one address; and a table is read that others have written.
// CHECK-LABEL: func.func @flag
// CHECK-COUNT-2: wg.parallel
// CHECK: return
func.func @flag(%flag: !llvm.ptr<3>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %s = wg.slot : <i32>
  wg.parallel {
    %x = llvm.load %flag : !llvm.ptr<3> -> i32
    wg.store %x, %s : <i32>
    wg.yield
  }
  wg.parallel {
    %x = wg.load %s : <i32>
    llvm.store %x, %flag : i32, !llvm.ptr<3>
    wg.yield
  }
  return
}
// CHECK-LABEL: func.func @table
// CHECK-COUNT-2: wg.parallel
// CHECK: return
func.func @table(%table: !llvm.ptr<3>, %a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %i = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %table[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
    llvm.store %i, %p : i64, !llvm.ptr<3>
    wg.yield
  }
  wg.parallel {
    %i = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    %j = llvm.load %p : !llvm.ptr<1> -> i64
    %q = llvm.getelementptr %table[%j] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
    %x = llvm.load %q : !llvm.ptr<3> -> i64
    llvm.store %x, %p : i64, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Two objects in local memory do not alias; two pointers to global memory may.
// CHECK-LABEL: func.func @objects
// CHECK: wg.parallel
// ROW-NOT: wg.parallel
// ANY: wg.parallel
// CHECK: return
func.func @objects(%a: !llvm.ptr<3>, %b: !llvm.ptr<3>) attributes {ocl.kernel} {
  %none = arith.constant 0 : i64
  wg.parallel {
    llvm.store %none, %a : i64, !llvm.ptr<3>
    wg.yield
  }
  wg.parallel {
    llvm.store %none, %b : i64, !llvm.ptr<3>
    wg.yield
  }
  return
}
// CHECK-LABEL: func.func @buffers
// CHECK-COUNT-2: wg.parallel
// CHECK: return
func.func @buffers(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %none = arith.constant 0 : i64
  wg.parallel {
    llvm.store %none, %a : i64, !llvm.ptr<1>
    wg.yield
  }
  wg.parallel {
    llvm.store %none, %b : i64, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Adjacent work-items' pairs overlap, and access groups may reorder their loads; disjoint pairs belong to one work-item
// each.
// CHECK-LABEL: func.func @pairs
// CHECK: wg.parallel
// ROW-NOT: wg.parallel
// ANY: wg.parallel
// CHECK-LABEL: func.func @overlapping_pairs
// CHECK-COUNT-2: wg.parallel
// CHECK: return
func.func @pairs(%a: !llvm.ptr<3>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i32
  wg.parallel {
    %i = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
    llvm.store %none, %p : i32, !llvm.ptr<3>
    wg.yield
  }
  wg.parallel {
    %i = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
    %q = llvm.getelementptr %p[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    llvm.store %none, %q : i32, !llvm.ptr<3>
    wg.yield
  }
  return
}
func.func @overlapping_pairs(%a: !llvm.ptr<3>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i32
  wg.parallel {
    %i = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
    %q = llvm.getelementptr %p[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    llvm.store %none, %q : i32, !llvm.ptr<3>
    wg.yield
  }
  wg.parallel {
    %i = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
    llvm.store %none, %p : i32, !llvm.ptr<3>
    wg.yield
  }
  return
}

// An atomic operation may be observed at any time, and a mask selects work-items.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: wg.parallel
// CHECK: return
func.func @others(%a: !llvm.ptr<3>) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %yes = arith.constant true
  %s = wg.slot : <i32>
  %m = wg.slot : <i1>
  wg.parallel {
    wg.store %yes, %m : <i1>
    wg.yield
  }
  wg.parallel mask %m : !wg.slot<i1> {
    wg.store %one, %s : <i32>
    wg.yield
  }
  wg.parallel {
    %x = llvm.load volatile %a : !llvm.ptr<3> -> i32
    wg.store %x, %s : <i32>
    wg.yield
  }
  wg.parallel {
    %x = wg.load %s : <i32>
    llvm.store %x, %a : i32, !llvm.ptr<3>
    wg.yield
  }
  return
}
