// RUN: kiln-opt %s "--ocl-set-target=target=cpu,machine_width=16,register_bits=512,vector_registers=16,features=[permutes]" --wg-vectorize=max-interleave=1 | FileCheck %s
// RUN: kiln-opt %s "--ocl-set-target=target=cpu,machine_width=16,register_bits=256,vector_registers=16,features=[permutes]" --wg-vectorize=max-interleave=1 | FileCheck %s --check-prefix=TWICE
// RUN: kiln-opt %s %cpu_16 --wg-vectorize="max-interleave=1 force=true" | FileCheck %s --check-prefix=NONE
// NONE-NOT: wg.permute

// A clamped index: a window from the first lane's element on, which must not cross its page, and whose last index must
// not wrap around.
// CHECK-LABEL: func.func @clamped
// CHECK: %[[INDEX:.*]] = arith.minsi %{{.*}} : vector<16xi32>
// CHECK: %[[FIRST:.*]] = llvm.shufflevector %[[INDEX]], %[[INDEX]] [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
// CHECK: %[[STEPS:.*]] = arith.subi %[[INDEX]], %[[FIRST]]
// CHECK: arith.cmpi ult, %[[STEPS]], %{{.*}} : vector<16xi32>
// CHECK: arith.cmpi sle
// CHECK: arith.cmpi ule
// CHECK: scf.if %{{.*}} -> (vector<16xf32>)
// CHECK:   llvm.load %{{.*}} -> vector<32xi32>
// CHECK:   %[[PLACES:.*]] = llvm.shufflevector %[[STEPS]], %[[STEPS]]
// CHECK:   wg.permute %[[PLACES]] of %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: } else {
// CHECK-COUNT-16: llvm.load %{{.*}} -> f32
// Two windows of sixteen elements.
// TWICE-LABEL: func.func @clamped
// TWICE-COUNT-2: llvm.load %{{.*}} -> vector<16xi32>
// TWICE-NOT: wg.permute {{.*}}: vector<16xi32>
// TWICE: wg.permute {{.*}} : vector<8xi32>
func.func @clamped(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %last: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %i = arith.trunci %g : i64 to i32
    %least = arith.maxsi %i, %zero : i32
    %at = arith.minsi %least, %last : i32
    %wide = arith.extsi %at : i32 to i64
    %p = llvm.getelementptr %a[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Indices from memory may have any value: no window.
// CHECK-LABEL: func.func @loaded
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
func.func @loaded(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %at = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %p = llvm.getelementptr %a[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %v2 = arith.muli %v, %v : i32
    %v4 = arith.muli %v2, %v2 : i32
    %v8 = arith.muli %v4, %v4 : i32
    %v16 = arith.muli %v8, %v8 : i32
    %v32 = arith.muli %v16, %v16 : i32
    %v64 = arith.muli %v32, %v32 : i32
    llvm.store %v64, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Two varying indices, and bytes: no window.
// CHECK-LABEL: func.func @others
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
func.func @others(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %last: i32, %pitch: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %i = arith.trunci %g : i64 to i32
    %at = arith.minsi %i, %last : i32
    %wide = arith.extsi %at : i32 to i64
    %row = arith.muli %wide, %pitch : i64
    %p = llvm.getelementptr %a[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %turned = llvm.getelementptr %p[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %v = llvm.load %turned {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %r = llvm.getelementptr %a[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %byte = llvm.load %r {alignment = 1 : i64} : !llvm.ptr<1> -> i8
    %w = arith.extui %byte : i8 to i32
    %s = arith.addi %v, %w : i32
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %s, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}
