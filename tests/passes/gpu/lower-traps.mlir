// passes/gpu/LowerGpuTraps: a trap is a record and the end of the work-item.
// RUN: kiln-opt %s --ocl-set-target=target=nvptx,sub_group_size=32 --gpu-lower-traps | FileCheck %s --check-prefixes=CHECK,NVPTX
// RUN: kiln-opt %s --ocl-set-target=target=amdgpu,sub_group_size=64 --gpu-lower-traps | FileCheck %s --check-prefixes=CHECK --implicit-check-not=llvm.nvvm.exit

// The record is 4,210,704 bytes after the begin of the buffer: a head of 16, 4 MiB for records and 16 KiB for one more.
// CHECK-LABEL: func.func @assertion(
// CHECK: cf.cond_br %arg1, ^bb[[JOIN:.*]], ^bb[[FAILS:[0-9]+]]
// CHECK: ^bb[[FAILS]]:
// CHECK: %[[BUFFER:.*]] = ocl.printf_buffer
// CHECK: %[[RECORD:.*]] = llvm.getelementptr %[[BUFFER]][4210704]
// CHECK: %[[OLD:.*]] = ocl.atomic_rmw add %[[RECORD]], %{{.*}} relaxed device
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[OLD]]
// CHECK: cf.cond_br %[[FIRST]], ^bb[[REPORT:[0-9]+]], ^bb[[END:[0-9]+]]
// CHECK: ^bb[[REPORT]]:
// CHECK-NEXT: ocl.printf %{{.*}}() {ocl.trap_message}
// CHECK: llvm.getelementptr %[[BUFFER]][4210712]
// CHECK: ocl.query global_id
// CHECK: llvm.getelementptr %[[BUFFER]][4210720]
// CHECK: ocl.query global_id
// CHECK: llvm.getelementptr %[[BUFFER]][4210728]
// CHECK: ocl.query global_id
// CHECK: llvm.getelementptr %[[BUFFER]][4210736]
// CHECK: cf.br ^bb[[END]]
// CHECK: ^bb[[END]]:
// NVPTX-NEXT: llvm.call_intrinsic "llvm.nvvm.exit"()
// CHECK-NEXT: return
// CHECK: ^bb[[JOIN]]:
// CHECK: llvm.store
// CHECK-NOT: llvm.intr.trap
func.func @assertion(%p: !llvm.ptr<1>, %c: i1, %f: !llvm.ptr<2>) attributes {ocl.kernel} {
  cf.cond_br %c, ^join, ^fails
^fails:
  %r = ocl.printf %f() : !llvm.ptr<2>
  llvm.intr.trap
  cf.br ^join
^join:
  %one = arith.constant 1 : i32
  llvm.store %one, %p : i32, !llvm.ptr<1>
  return
}

// A store before the trap is done by all work-items, and so is a printf before the store. What follows a trap that is
// always reached is removed.
// CHECK-LABEL: func.func @plain(
// CHECK: ocl.printf %{{.*}}() :
// CHECK: llvm.store
// CHECK: ocl.atomic_rmw
// CHECK-NOT: llvm.store %{{.*}} : i32
// CHECK: return
func.func @plain(%p: !llvm.ptr<1>, %x: i32, %f: !llvm.ptr<2>) attributes {ocl.kernel} {
  %r = ocl.printf %f() : !llvm.ptr<2>
  llvm.store %x, %p : i32, !llvm.ptr<1>
  llvm.intr.trap
  llvm.store %x, %p : i32, !llvm.ptr<1>
  return
}

// A function that is not inlined returns zeros, before which the thread exits on NVIDIA's GPUs.
// CHECK-LABEL: func.func private @called(
// CHECK: cf.cond_br
// NVPTX: llvm.call_intrinsic "llvm.nvvm.exit"()
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr<1>
// CHECK: return %[[ZERO]], %[[NULL]]
func.func private @called(%x: f32, %p: !llvm.ptr<1>) -> (f32, !llvm.ptr<1>) attributes {ocl.called} {
  llvm.intr.trap
  return %x, %p : f32, !llvm.ptr<1>
}

// CHECK-LABEL: func.func @none(
// CHECK-NEXT: return
func.func @none() attributes {ocl.kernel} {
  return
}
