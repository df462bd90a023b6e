// RUN: kiln-opt %s --ocl-check-accesses | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: kiln-opt %s --ocl-set-target=target=amdgpu,sub_group_size=64 --ocl-check-accesses | FileCheck %s --check-prefixes=CHECK,GPU

// The checks of indices and distances of shuffles (passes/ocl/CollectiveChecks.cpp).

// An index is compared with the size of the sub-group.
// CHECK-LABEL: func.func @index
// CHECK: %[[LANE:.*]] = arith.extui %arg1 : i32 to i64
// CHECK: %[[SIZE:.*]] = ocl.linear_query sub_group_size : i64
// CHECK: %[[WRONG:.*]] = arith.cmpi uge, %[[LANE]], %[[SIZE]]
// CHECK: scf.if %[[WRONG]] {
// GPU:   ocl.report_finding %{{.*}} site %{{.*}} of(%[[LANE]], %[[SIZE]], %{{.*}}) item
// CHECK: }
// CHECK-NEXT: ocl.shuffle
func.func @index(%v: f32, %lane: i32) -> f32 attributes {ocl.kernel} {
  %r = ocl.shuffle sub_group %v[%lane] : f32
  return %r : f32
}

// A distance is compared with the size of all but small sub-groups, without its sign.
// CHECK-LABEL: func.func @distance
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[OPPOSITE:.*]] = arith.subi %[[ZERO]], %arg1 : i32
// CHECK: %[[DISTANCE:.*]] = arith.maxsi %arg1, %[[OPPOSITE]]
// CHECK: %[[LONG:.*]] = arith.extui %[[DISTANCE]]
// CPU: %[[MOST:.*]] = arith.constant 16 : i64
// GPU: %[[MOST:.*]] = arith.constant 64 : i64
// CHECK: arith.cmpi uge, %[[LONG]], %[[MOST]]
func.func @distance(%v: f32, %n: i32) -> f32 attributes {ocl.kernel} {
  %own = ocl.linear_query sub_group_local_id : i32
  %lane = arith.subi %own, %n : i32
  %r = ocl.shuffle sub_group %v[%lane] : f32
  return %r : f32
}

// One of two values.
// CHECK-LABEL: func.func @pair
// CHECK: %[[MOST:.*]] = ocl.linear_query max_sub_group_size : i64
// CHECK: %[[BOTH:.*]] = arith.addi %[[MOST]], %[[MOST]]
// CHECK: arith.cmpi uge, %{{.*}}, %[[BOTH]]
// CHECK: ocl.shuffle sub_group %arg0[%{{.*}}] limit pair
// CHECK-NEXT: ocl.shuffle sub_group %arg1[%{{.*}}] limit none
func.func @pair(%v: f32, %w: f32, %lane: i32) -> (f32, f32) attributes {ocl.kernel} {
  %r = ocl.shuffle sub_group %v[%lane] limit pair : f32
  %s = ocl.shuffle sub_group %w[%lane] limit none : f32
  return %r, %s : f32, f32
}

// CHECK-LABEL: func.func @group
// CHECK: %[[PLANE:.*]] = arith.muli
// CHECK: %[[ITEMS:.*]] = arith.muli %[[PLANE]]
// CHECK: arith.cmpi uge, %{{.*}}, %[[ITEMS]]
func.func @group(%v: f32, %item: i32) -> f32 attributes {ocl.kernel} {
  %r = ocl.shuffle work_group uniform %v[%item] : f32
  return %r : f32
}

// CHECK-LABEL: func.func @cluster
// CPU: %[[ITEMS:.*]] = arith.constant 32 : i64
// CPU: llvm.call
// CPU: ocl.combine reduce fadd sub_group cluster 32
// GPU-NOT: ocl.report_finding
func.func @cluster(%v: f32) -> (f32, f32) attributes {ocl.kernel} {
  %r = ocl.combine reduce fadd sub_group cluster 32 %v : f32
  %s = ocl.combine reduce fadd sub_group %v : f32
  return %r, %s : f32, f32
}

// CHECK-LABEL: func.func @called
// CHECK-NOT: scf.if
func.func @called(%v: f32, %lane: i32) -> f32 {
  %r = ocl.shuffle sub_group %v[%lane] : f32
  return %r : f32
}
