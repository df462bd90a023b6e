// RUN: kiln-opt %s --ocl-set-target=target=nvptx,sub_group_size=32 --gpu-lower-sync | FileCheck %s --check-prefixes=CHECK,NV
// RUN: kiln-opt %s --ocl-set-target=target=amdgpu,sub_group_size=64 --gpu-lower-sync | FileCheck %s --check-prefixes=CHECK,AMD

// NVPTX's barrier orders the group's memory, AMDGPU's only waits.
// CHECK-LABEL: @group_barrier
// NV-NEXT: nvvm.barrier
// AMD-NEXT: llvm.fence syncscope("workgroup") release {ocl.synchronize_as = "local"}
// AMD-NEXT: rocdl.s.barrier
// AMD-NEXT: llvm.fence syncscope("workgroup") acquire {ocl.synchronize_as = "local"}
// CHECK-NEXT: llvm.return
llvm.func @group_barrier() {
  ocl.barrier work_group local
  llvm.return
}

// Named barrier 1 of some warps, and the lanes of one warp.
// NV-LABEL: @partial_barrier
// NV: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%{{.*}}, %arg0)
// NV: %[[OTHERS:.*]] = arith.subi %{{.*}}, %arg0
// NV: %[[LANES:.*]] = arith.shrui %{{.*}}, %[[OTHERS]]
// NV: nvvm.bar.warp.sync %[[LANES]]
// NV: llvm.fence syncscope("device") acquire
llvm.func @partial_barrier(%n: i32) {
  ocl.partial_barrier work_group of %n local
  ocl.partial_barrier sub_group of %n global device
  llvm.return
}

// A wider scope than the group needs a fence, but not for local memory.
// CHECK-LABEL: @wide_barrier
// NV-NEXT: llvm.fence syncscope("device") release
// NV-NEXT: nvvm.barrier
// NV-NEXT: llvm.fence syncscope("device") acquire
// NV-NEXT: llvm.fence syncscope("block") release
// AMD: llvm.fence syncscope("agent") release
// AMD: llvm.fence syncscope("workgroup") release
llvm.func @wide_barrier() {
  ocl.barrier work_group global device
  ocl.barrier work_group local device
  llvm.return
}

// CHECK-LABEL: @sub_group_barrier
// NV: nvvm.bar.warp.sync
// AMD: llvm.fence syncscope("wavefront") release
// AMD: llvm.call_intrinsic "llvm.amdgcn.wave.barrier"
llvm.func @sub_group_barrier() {
  ocl.barrier sub_group local sub_group
  llvm.return
}

// A barrier without a fence still waits.
// CHECK-LABEL: @bare_barrier
// CHECK-NOT: llvm.fence
// AMD: rocdl.s.barrier
// NV: nvvm.barrier
// CHECK-NOT: llvm.fence
// CHECK: llvm.return
llvm.func @bare_barrier() {
  ocl.barrier work_group none
  llvm.return
}

// Fences of one work-item are dropped: LLVM's NVPTX back end has none.
// CHECK-LABEL: @own_fence
// CHECK-NOT: llvm.fence
// CHECK: llvm.return
llvm.func @own_fence() {
  ocl.fence acq_rel work_item image
  llvm.return
}

// CHECK-LABEL: @fences
// NV: llvm.fence syncscope("device") acq_rel
// NV: llvm.fence seq_cst
// AMD: llvm.fence syncscope("agent") acq_rel{{$}}
// AMD: llvm.fence seq_cst {ocl.synchronize_as = "global"}
llvm.func @fences() {
  ocl.fence acq_rel device "local|global"
  ocl.fence seq_cst all_devices global
  llvm.return
}

// LLVM's NVPTX back end drops order and scope of atomicrmw: others are inline assembly.
// CHECK-LABEL: @atomics
// NV: llvm.atomicrmw add %{{.*}} syncscope("device") monotonic
// AMD: llvm.atomicrmw add %{{.*}} syncscope("agent") monotonic
// NV: llvm.inline_asm has_side_effects "atom.acq_rel.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"
// AMD: llvm.atomicrmw sub %{{.*}} syncscope("agent") acq_rel
// NV: llvm.inline_asm has_side_effects "fence.sc.cta;"
// NV: llvm.inline_asm has_side_effects "atom.acq_rel.cta.shared.max.s32
// AMD: llvm.atomicrmw max %{{.*}} syncscope("workgroup") seq_cst
// NV: llvm.inline_asm has_side_effects "atom.relaxed.sys.exch.b64 $0, [$1], $2;", "=l,l,l,~{memory}"
// AMD: llvm.atomicrmw xchg %{{.*}} monotonic
// NV: llvm.atomicrmw fmax %{{.*}} syncscope("device") acq_rel
llvm.func @atomics(%p: !llvm.ptr<1>, %l: !llvm.ptr<3>, %g: !llvm.ptr<4>, %v: i32, %w: i64, %f: f32) {
  %a = ocl.atomic_rmw add %p, %v relaxed device : !llvm.ptr<1>, i32
  %b = ocl.atomic_rmw sub %p, %v acq_rel device : !llvm.ptr<1>, i32
  %c = ocl.atomic_rmw smax %l, %v seq_cst work_group : !llvm.ptr<3>, i32
  %d = ocl.atomic_rmw xchg %g, %w relaxed all_devices : !llvm.ptr<4>, i64
  %e = ocl.atomic_rmw fmax %p, %f acq_rel device : !llvm.ptr<1>, f32
  llvm.return
}

// Additions of half have an instruction; LLVM makes loops of the others.
// CHECK-LABEL: @halves
// NV: llvm.atomicrmw fadd %{{.*}} syncscope("device") monotonic {{.*}}f16
// NV: %[[BITS:.*]] = arith.bitcast %{{.*}} : f16 to i16
// NV: %[[OLD:.*]] = llvm.inline_asm has_side_effects "atom.acq_rel.cta.shared.add.noftz.f16 $0, [$1], $2;", "=h,l,h,~{memory}" %{{.*}}, %[[BITS]]
// NV: arith.bitcast %[[OLD]] : i16 to f16
// NV: llvm.atomicrmw fmin %{{.*}} syncscope("device") acq_rel {{.*}}f16
// NV: llvm.atomicrmw xchg %{{.*}} syncscope("device") acq_rel {{.*}}f16
// AMD: llvm.atomicrmw fadd %{{.*}} syncscope("agent") monotonic {{.*}}f16
llvm.func @halves(%p: !llvm.ptr<1>, %l: !llvm.ptr<3>, %h: f16) {
  %a = ocl.atomic_rmw fadd %p, %h relaxed device : !llvm.ptr<1>, f16
  %b = ocl.atomic_rmw fadd %l, %h acq_rel work_group : !llvm.ptr<3>, f16
  %c = ocl.atomic_rmw fmin %p, %h acq_rel device : !llvm.ptr<1>, f16
  %d = ocl.atomic_rmw xchg %p, %h acq_rel device : !llvm.ptr<1>, f16
  llvm.return
}

// CHECK-LABEL: @others
// NV: llvm.cmpxchg %{{.*}} syncscope("block") acq_rel acquire
// NV: llvm.load %{{.*}} atomic syncscope("device") acquire
// NV: llvm.store %{{.*}} atomic release
llvm.func @others(%p: !llvm.ptr<1>, %v: i32) {
  %a = ocl.atomic_cmpxchg %p, %v, %v acq_rel acquire work_group : !llvm.ptr<1>, i32
  %b = ocl.atomic_load %p acquire device : !llvm.ptr<1> -> i32
  ocl.atomic_store %b, %p release all_devices : i32, !llvm.ptr<1>
  llvm.return
}

// Address-space queries of generic pointers. AMDGPU has no instruction for global memory: it is neither of the others.
// CHECK-LABEL: @spaces
// NV: llvm.call_intrinsic "llvm.nvvm.isspacep.local"(%{{.*}}) : (!llvm.ptr<4>) -> i1
// NV: llvm.call_intrinsic "llvm.nvvm.isspacep.shared"
// NV: llvm.call_intrinsic "llvm.nvvm.isspacep.global"
// AMD: llvm.call_intrinsic "llvm.amdgcn.is.private"(%{{.*}}) : (!llvm.ptr<4>) -> i1
// AMD: llvm.call_intrinsic "llvm.amdgcn.is.shared"
// AMD: %[[LOCAL:.*]] = llvm.call_intrinsic "llvm.amdgcn.is.shared"
// AMD: %[[PRIVATE:.*]] = llvm.call_intrinsic "llvm.amdgcn.is.private"
// AMD: %[[ELSEWHERE:.*]] = arith.ori %[[LOCAL]], %[[PRIVATE]]
// AMD: arith.xori %[[ELSEWHERE]]
llvm.func @spaces(%g: !llvm.ptr<4>) -> i1 {
  %a = ocl.is_addrspace private %g : !llvm.ptr<4>
  %b = ocl.is_addrspace local %g : !llvm.ptr<4>
  %c = ocl.is_addrspace global %g : !llvm.ptr<4>
  %d = arith.andi %a, %b : i1
  %e = arith.andi %c, %d : i1
  llvm.return %e : i1
}

// The device has one timer; a multiprocessor, which runs the whole group, counts its cycles.
// CHECK-LABEL: @clocks
// NV: llvm.inline_asm has_side_effects "mov.u64 $0, %globaltimer;", "=l,~{memory}"
// NV: llvm.inline_asm has_side_effects "mov.u64 $0, %clock64;", "=l,~{memory}"
// AMD: llvm.fence syncscope("singlethread") seq_cst
// AMD-NEXT: llvm.call_intrinsic "llvm.readsteadycounter"
// AMD-NEXT: llvm.fence syncscope("singlethread") seq_cst
// AMD: llvm.call_intrinsic "llvm.readsteadycounter"
llvm.func @clocks(%p: !llvm.ptr<1>) {
  %0 = ocl.read_clock device : i64
  %1 = ocl.read_clock sub_group : i64
  llvm.store volatile %0, %p : i64, !llvm.ptr<1>
  llvm.store volatile %1, %p : i64, !llvm.ptr<1>
  llvm.return
}

// PTX's addition flushes subnormal numbers, but not in shared memory, and not those of double precision.
// CHECK-LABEL: @float_additions
// NV: %[[FIRST:.*]] = llvm.load %arg0 atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// NV: cf.br ^[[LOOP:.*]](%[[FIRST]] : i32)
// NV: ^[[LOOP]](%[[SEEN:.*]]: i32):
// NV: %[[OLD:.*]] = arith.bitcast %[[SEEN]] : i32 to f32
// NV: arith.addf %[[OLD]], %arg3
// NV: llvm.cmpxchg %arg0, %[[SEEN]], %{{.*}} syncscope("device") acq_rel monotonic
// NV: cf.cond_br %{{.*}}, ^[[AFTER:.*]], ^[[LOOP]](
// NV: ^[[AFTER]]:
// NV: llvm.atomicrmw fadd %arg1
// NV: llvm.atomicrmw fadd %arg2
// NV: llvm.store %[[OLD]]
llvm.func @float_additions(%p: !llvm.ptr<1>, %l: !llvm.ptr<3>, %d: !llvm.ptr<1>, %f: f32, %g: f64) {
  %a = ocl.atomic_rmw fadd %p, %f acq_rel device : !llvm.ptr<1>, f32
  %b = ocl.atomic_rmw fadd %l, %f relaxed work_group : !llvm.ptr<3>, f32
  %c = ocl.atomic_rmw fadd %d, %g relaxed device : !llvm.ptr<1>, f64
  llvm.store %a, %l : f32, !llvm.ptr<3>
  llvm.return
}
