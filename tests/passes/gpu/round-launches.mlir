// RUN: kiln-opt %s --gpu-round-launches | FileCheck %s

// CHECK-LABEL: @uses_two(
// CHECK-SAME: ocl.rounded_dims = 3 : i32
func.func @uses_two(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = ocl.query global_id[%c0] : i64
  %y = ocl.query global_id[%c1] : i64
  llvm.store %x, %p : i64, !llvm.ptr<1>
  llvm.store %y, %p : i64, !llvm.ptr<1>
  return
}

// CHECK-LABEL: @uses_any(
// CHECK-SAME: ocl.rounded_dims = 7 : i32
func.func @uses_any(%p: !llvm.ptr<1>, %d: i32) attributes {ocl.kernel} {
  %x = ocl.query global_id[%d] : i64
  llvm.store %x, %p : i64, !llvm.ptr<1>
  return
}

// CHECK-LABEL: @uses_linear(
// CHECK-SAME: ocl.rounded_dims = 7 : i32
func.func @uses_linear(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %x = ocl.linear_query global_linear_id : i64
  llvm.store %x, %p : i64, !llvm.ptr<1>
  return
}

// The size of the NDRange says nothing about the work-item.
// CHECK-LABEL: @uses_none(
// CHECK-NOT: rounded_dims
func.func @uses_none(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %c0 = arith.constant 0 : i32
  %x = ocl.query global_size[%c0] : i64
  llvm.store %x, %p : i64, !llvm.ptr<1>
  return
}

// CHECK-LABEL: @sees_group(
// CHECK-NOT: rounded_dims
func.func @sees_group(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %c0 = arith.constant 0 : i32
  %x = ocl.query global_id[%c0] : i64
  %s = ocl.query local_size[%c0] : i64
  llvm.store %x, %p : i64, !llvm.ptr<1>
  llvm.store %s, %p : i64, !llvm.ptr<1>
  return
}

// CHECK-LABEL: @has_barrier(
// CHECK-NOT: rounded_dims
func.func @has_barrier(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %c0 = arith.constant 0 : i32
  %x = ocl.query global_id[%c0] : i64
  ocl.barrier work_group local
  llvm.store %x, %p : i64, !llvm.ptr<1>
  return
}

// The child executor runs blocks, and computes their ids and sizes itself.
// CHECK-LABEL: @block(
// CHECK-NOT: rounded_dims
func.func @block(%p: !llvm.ptr<1>) attributes {ocl.kernel, ocl.block = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %x = ocl.query global_id[%c0] : i64
  llvm.store %x, %p : i64, !llvm.ptr<1>
  return
}
