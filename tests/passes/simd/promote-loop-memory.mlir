// RUN: kiln-opt %s %cpu_8 --wg-vectorize | FileCheck %s

// passes/simd/prepare/PromoteLoopMemory.
//
// A sum in a field of a structure per work-item: the field is loaded before the loop and stored after it, both only if
// the loop has an iteration.
// CHECK-LABEL: func.func @sum_in_field
// CHECK: lanes 8
// CHECK: scf.if
// CHECK-COUNT-3: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xf32>
// CHECK: scf.while
// CHECK-NOT: ptr<1>
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK-NOT: ptr<1>
// CHECK: scf.yield
// CHECK-COUNT-8: llvm.store {{.*}} : f32, !llvm.ptr<1>
func.func @sum_in_field(%s: !llvm.ptr<1>, %t: !llvm.ptr<3>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %end = scf.while (%k = %none) : (i64) -> i64 {
      %more = arith.cmpi slt, %k, %n : i64
      scf.condition(%more) %k : i64
    } do {
    ^bb0(%k: i64):
      %p = llvm.getelementptr %t[%k] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<3> -> f32
      %q = llvm.getelementptr %s[%g, 1] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, !llvm.struct<(f32, f32, f32)>
      %old = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %new = arith.addf %old, %v : f32
      llvm.store %new, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
      %next = arith.addi %k, %one : i64
      scf.yield %next : i64
    }
    wg.yield
  }
  return
}

// A loop that has iterations needs no branch, and a load of an address that does not change moves before it, too.
// CHECK-LABEL: func.func @scaled
// CHECK: lanes 8
// CHECK-NOT: scf.if
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xf32>
// CHECK-COUNT-3: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xf32>
// CHECK: scf.while
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: llvm.load
// CHECK: scf.yield
// CHECK-COUNT-8: llvm.store {{.*}} : f32, !llvm.ptr<1>
func.func @scaled(%s: !llvm.ptr<1>, %t: !llvm.ptr<3>, %f: !llvm.ptr<3>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 100 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %l = ocl.query local_id[%zero] : i64
    %end = scf.while (%k = %none) : (i64) -> i64 {
      %more = arith.cmpi slt, %k, %n : i64
      scf.condition(%more) %k : i64
    } do {
    ^bb0(%k: i64):
      %p = llvm.getelementptr %t[%k] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<3> -> f32
      %r = llvm.getelementptr %f[%l] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %by = llvm.load %r {alignment = 4 : i64} : !llvm.ptr<3> -> f32
      %w = arith.mulf %v, %by : f32
      %q = llvm.getelementptr %s[%g, 1] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, !llvm.struct<(f32, f32, f32)>
      %old = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %new = arith.addf %old, %w : f32
      llvm.store %new, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
      %next = arith.addi %k, %one : i64
      scf.yield %next : i64
    }
    wg.yield
  }
  return
}

// Another buffer in global memory may be the same buffer.
// CHECK-LABEL: func.func @other_buffer
// CHECK: lanes
// CHECK: scf.while
// CHECK: llvm.store {{.*}} !llvm.ptr<1>
// CHECK: scf.yield
// CHECK: wg.yield
func.func @other_buffer(%s: !llvm.ptr<1>, %t: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %end = scf.while (%k = %none) : (i64) -> i64 {
      %more = arith.cmpi slt, %k, %n : i64
      scf.condition(%more) %k : i64
    } do {
    ^bb0(%k: i64):
      %p = llvm.getelementptr %t[%k] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %q = llvm.getelementptr %s[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %old = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %new = arith.addf %old, %v : f32
      llvm.store %new, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
      %next = arith.addi %k, %one : i64
      scf.yield %next : i64
    }
    wg.yield
  }
  return
}

// A store of some iterations only stays where it is: another work-item may store to the address.
// CHECK-LABEL: func.func @conditional_store
// CHECK: lanes
// CHECK: scf.while
// CHECK: scf.if
// CHECK: llvm.store {{.*}} !llvm.ptr<1>
// CHECK: scf.yield
// CHECK-NOT: llvm.store
// CHECK: wg.yield
func.func @conditional_store(%s: !llvm.ptr<1>, %t: !llvm.ptr<3>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %nothing = arith.constant 0.0 : f32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %end = scf.while (%k = %none) : (i64) -> i64 {
      %more = arith.cmpi slt, %k, %n : i64
      scf.condition(%more) %k : i64
    } do {
    ^bb0(%k: i64):
      %p = llvm.getelementptr %t[%k] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<3> -> f32
      %is = arith.cmpf ogt, %v, %nothing : f32
      scf.if %is {
        %q = llvm.getelementptr %s[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %old = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> f32
        %new = arith.addf %old, %v : f32
        llvm.store %new, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
      }
      %next = arith.addi %k, %one : i64
      scf.yield %next : i64
    }
    wg.yield
  }
  return
}

// A sum in memory that a row in global memory may overlap: a version for distinct arguments, in which the sum is a value
// and the rows are access groups, and the loop as it is. The check is made once, around the outer loop.
// CHECK-LABEL: func.func @row_sums
// CHECK: lanes
// CHECK: %[[DISTINCT:.*]] = wg.distinct_arguments
// CHECK: scf.if %[[DISTINCT]]
// CHECK: scf.while
// CHECK: scf.if
// CHECK: llvm.load {{.*}} -> vector<{{[0-9]+}}xf32>
// CHECK: scf.while
// CHECK-COUNT-8: llvm.load {{.*}} : !llvm.ptr<1> -> vector<{{[0-9]+}}xf32>
// CHECK-NOT: llvm.store
// CHECK: scf.yield
// CHECK: llvm.store {{.*}} : vector<{{[0-9]+}}xf32>, !llvm.ptr<1>
// CHECK: } else {
// CHECK-NOT: wg.distinct_arguments
// CHECK: scf.while
// CHECK: scf.while
// CHECK-COUNT-8: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK: llvm.store {{.*}} : vector<{{[0-9]+}}xf32>, !llvm.ptr<1>
// CHECK-LABEL: func.func @loaded_pointer
func.func @row_sums(%s: !llvm.ptr<1>, %t: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %row = arith.muli %g, %n : i64
    %q = llvm.getelementptr %s[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %all = scf.while (%m = %none) : (i64) -> i64 {
      %outer = arith.cmpi slt, %m, %n : i64
      scf.condition(%outer) %m : i64
    } do {
    ^bb0(%m: i64):
      %end = scf.while (%k = %none) : (i64) -> i64 {
        %more = arith.cmpi slt, %k, %n : i64
        scf.condition(%more) %k : i64
      } do {
      ^bb0(%k: i64):
        %at = arith.addi %row, %k : i64
        %p = llvm.getelementptr %t[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
        %old = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> f32
        %new = arith.addf %old, %v : f32
        llvm.store %new, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
        %next = arith.addi %k, %one : i64
        scf.yield %next : i64
      }
      %following = arith.addi %m, %one : i64
      scf.yield %following : i64
    }
    wg.yield
  }
  return
}

// A pointer from memory may point into any object.
// CHECK-NOT: wg.distinct_arguments
// CHECK-LABEL: func.func @local_arguments
func.func @loaded_pointer(%s: !llvm.ptr<1>, %pointers: !llvm.ptr<2>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %t = llvm.load %pointers {alignment = 8 : i64} : !llvm.ptr<2> -> !llvm.ptr<1>
    %q = llvm.getelementptr %s[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %end = scf.while (%k = %none) : (i64) -> i64 {
      %more = arith.cmpi slt, %k, %n : i64
      scf.condition(%more) %k : i64
    } do {
    ^bb0(%k: i64):
      %p = llvm.getelementptr %t[%k] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %old = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %new = arith.addf %old, %v : f32
      llvm.store %new, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
      %next = arith.addi %k, %one : i64
      scf.yield %next : i64
    }
    wg.yield
  }
  return
}

// Two arguments in local memory never overlap: one version.
// CHECK: lanes
// CHECK-NOT: wg.distinct_arguments
// CHECK: scf.while
// CHECK-NOT: llvm.store
// CHECK: scf.yield
// CHECK: llvm.store
func.func @local_arguments(%s: !llvm.ptr<3>, %t: !llvm.ptr<3>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query local_id[%zero] : i64
    %q = llvm.getelementptr %s[%g] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %end = scf.while (%k = %none) : (i64) -> i64 {
      %more = arith.cmpi slt, %k, %n : i64
      scf.condition(%more) %k : i64
    } do {
    ^bb0(%k: i64):
      %p = llvm.getelementptr %t[%k] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<3> -> f32
      %old = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<3> -> f32
      %new = arith.addf %old, %v : f32
      llvm.store %new, %q {alignment = 4 : i64} : f32, !llvm.ptr<3>
      %next = arith.addi %k, %one : i64
      scf.yield %next : i64
    }
    wg.yield
  }
  return
}

// An element of a private array that the array's other accesses keep in memory.
// CHECK-LABEL: func.func @private_element
// CHECK: lanes 16
// CHECK: scf.while {{.*}}vector<16xf32>
// CHECK-NOT: llvm.load
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK-NOT: llvm.store
// CHECK: scf.yield
// CHECK: llvm.store {{.*}} : vector<16xf32>, !llvm.ptr
func.func @private_element(%s: !llvm.ptr<1>, %at: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %many = arith.constant 100 : i64
  %number = arith.constant 1 : i32
  wg.parallel {
    %t = llvm.alloca %number x !llvm.array<4 x f32> : (i32) -> !llvm.ptr
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %s[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %e = llvm.getelementptr %t[0, %at] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
    llvm.store %v, %e {alignment = 4 : i64} : f32, !llvm.ptr
    %end = scf.while (%k = %none) : (i64) -> i64 {
      %more = arith.cmpi slt, %k, %many : i64
      scf.condition(%more) %k : i64
    } do {
    ^bb0(%k: i64):
      %old = llvm.load %e {alignment = 4 : i64} : !llvm.ptr -> f32
      %new = arith.mulf %old, %old : f32
      llvm.store %new, %e {alignment = 4 : i64} : f32, !llvm.ptr
      %next = arith.addi %k, %one : i64
      scf.yield %next : i64
    }
    %f = llvm.getelementptr %t[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<4 x f32>
    %w = llvm.load %f {alignment = 4 : i64} : !llvm.ptr -> f32
    llvm.store %w, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
