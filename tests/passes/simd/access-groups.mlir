// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 | FileCheck %s

// Two adjacent loads from an address that varies by lane are a group of two. A store in between splits the group.
// CHECK-LABEL: func.func @pairs
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<2xi32>
// CHECK-NOT: llvm.load {{.*}} -> vector<2xi32>
// CHECK: return
func.func @pairs(%a: !llvm.ptr<1>, %at: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %q = llvm.getelementptr %at[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    %i = llvm.load %q {alignment = 8 : i64} : !llvm.ptr<1> -> i64
    %j = arith.addi %i, %one : i64
    %p0 = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %p1 = llvm.getelementptr %a[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %x = llvm.load %p1 {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %y = llvm.load %p0 {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %s0 = arith.muli %x, %y : i32
    %s1 = arith.muli %s0, %y : i32
    %s2 = arith.muli %s1, %s1 : i32
    %s3 = arith.muli %s2, %s2 : i32
    %s4 = arith.muli %s3, %s3 : i32
    %r = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %s4, %r {alignment = 4 : i64} : i32, !llvm.ptr<1>
    %x2 = llvm.load %p1 {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    llvm.store %x2, %r {alignment = 4 : i64} : i32, !llvm.ptr<1>
    %y2 = llvm.load %p0 {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %z = arith.addi %x2, %y2 : i32
    llvm.store %z, %r {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Fields of a struct whose address varies by lane, named by the indices of their addresses: a group of
// four.
// CHECK-LABEL: func.func @named_fields
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK: return
func.func @named_fields(%s: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %i = arith.muli %g, %n : i64
    %p = llvm.getelementptr %s[%i, 1] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, !llvm.struct<(i8, struct<(i8, f32, array<3 x f32>)>)>
    %a = llvm.getelementptr %p[0, 1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, !llvm.struct<(i8, f32, array<3 x f32>)>
    %b = llvm.getelementptr %p[0, 2, 0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, !llvm.struct<(i8, f32, array<3 x f32>)>
    %c = llvm.getelementptr %s[%i, 1, 2, 1] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, !llvm.struct<(i8, struct<(i8, f32, array<3 x f32>)>)>
    %d = llvm.getelementptr %p[0, 2, 2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, !llvm.struct<(i8, f32, array<3 x f32>)>
    %x = llvm.load %a {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %y = llvm.load %b {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %z = llvm.load %c {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %w = llvm.load %d {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %xy = arith.mulf %x, %y : f32
    %zw = arith.mulf %z, %w : f32
    %all = arith.addf %xy, %zw : f32
    %two = arith.mulf %all, %all : f32
    %q = llvm.getelementptr %s[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %two, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Fields of a struct per work-item, loaded through one pointer and stored through another: groups on both sides, under
// an alias check that equal pointers pass.
// CHECK-LABEL: func.func @fields
// CHECK: %[[WAY:.*]] = arith.subi
// CHECK: arith.cmpi sge, %[[WAY]], %{{.*}} : i64
// CHECK: arith.cmpi sle, %[[WAY]], %{{.*}} : i64
// CHECK: arith.cmpi eq, %[[WAY]], %{{.*}} : i64
// CHECK: scf.if {{.*}} -> (i1, i1)
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<2xf32>
// CHECK-COUNT-8: llvm.store {{.*}} : vector<2xf32>
func.func @fields(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %i = arith.muli %g, %three : i64
    %j = arith.addi %i, %one : i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %q = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %v2 = arith.mulf %v, %v : f32
    %v4 = arith.mulf %v2, %v2 : f32
    llvm.store %v4, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    %p1 = llvm.getelementptr %a[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %q1 = llvm.getelementptr %b[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %w = llvm.load %p1 {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %w2 = arith.mulf %w, %w : f32
    %w4 = arith.mulf %w2, %w2 : f32
    %w8 = arith.mulf %w4, %w4 : f32
    %w16 = arith.mulf %w8, %w8 : f32
    llvm.store %w16, %q1 {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// The second address is the first plus 4 bytes: the addition does not carry.
// CHECK-LABEL: func.func @does_not_carry
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<2xi32>
// CHECK-NOT: llvm.load {{.*}} -> i32
func.func @does_not_carry(%a: !llvm.ptr<1>, %at: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %q = llvm.getelementptr %at[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %where = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %even = arith.shli %where, %one : i32
    %odd = arith.addi %even, %one : i32
    %i = arith.extui %even : i32 to i64
    %j = arith.extui %odd : i32 to i64
    %p0 = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %p1 = llvm.getelementptr %a[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %x = llvm.load %p0 {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %y = llvm.load %p1 {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %s = arith.muli %x, %y : i32
    %s2 = arith.muli %s, %s : i32
    %s3 = arith.muli %s2, %s2 : i32
    %s4 = arith.muli %s3, %s3 : i32
    llvm.store %s4, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A 32-bit sum may wrap around, so the second address may be far from the first: no group.
// CHECK-LABEL: func.func @may_carry
// CHECK-NOT: vector<2xi32>
// CHECK: return
func.func @may_carry(%a: !llvm.ptr<1>, %at: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %q = llvm.getelementptr %at[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %where = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %next = arith.addi %where, %one : i32
    %i = arith.extui %where : i32 to i64
    %j = arith.extui %next : i32 to i64
    %p0 = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %p1 = llvm.getelementptr %a[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %x = llvm.load %p0 {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %y = llvm.load %p1 {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %s = arith.muli %x, %y : i32
    %s2 = arith.muli %s, %s : i32
    %s3 = arith.muli %s2, %s2 : i32
    %s4 = arith.muli %s3, %s3 : i32
    llvm.store %s4, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}
