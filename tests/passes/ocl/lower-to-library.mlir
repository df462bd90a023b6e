// RUN: kiln-opt %cpu_8 --ocl-lower-to-library %s | FileCheck %s

// An operation that dialects/library implements becomes a call of the function, which is imported with its callees and
// nothing else. A pointer is cast to the parameter's address space.
// CHECK-LABEL: func.func @kernel
// CHECK: %[[E:.*]] = llvm.addrspacecast %arg1 : !llvm.ptr to !llvm.ptr<4>
// CHECK: %[[R:.*]] = call @ocl_enqueue_marker_{{[0-9]+}}(%{{.*}}, %arg0, %{{.*}}, %[[E]], %{{.*}}) : (!llvm.ptr<1>, i64, i32, !llvm.ptr<4>, !llvm.ptr<4>) -> i32
// CHECK: call @ocl_retain_event(
// CHECK: call @ocl_retain_event(
func.func @kernel(%queue: i64, %events: !llvm.ptr, %event: !llvm.ptr<4>, %one: i32) -> i32 attributes {ocl.kernel} {
  %a = ocl.enqueue_arena : !llvm.ptr<1>
  %r = ocl.enqueue_marker %a, %queue waits %one at %events event %event : !llvm.ptr, !llvm.ptr<4>
  ocl.retain_event %a, %queue
  ocl.retain_event %a, %queue
  return %r : i32
}
// On a name conflict, the program's function keeps its name.
// CHECK: func.func private @ocl_enqueue_marker()
func.func private @ocl_enqueue_marker()
// CHECK: func.func private @ocl_enqueue_marker_{{[0-9]+}}(
// CHECK: func.func private @ocl_retain_event(
// CHECK-NOT: ocl_enqueue_kernel
