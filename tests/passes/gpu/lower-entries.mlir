// RUN: kiln-opt %s --ocl-set-target=target=nvptx,sub_group_size=32 --gpu-lower-entries --split-input-file | FileCheck %s --check-prefixes=CHECK,NV
// RUN: kiln-opt %s --ocl-set-target=target=amdgpu,sub_group_size=64 --gpu-lower-entries --split-input-file | FileCheck %s --check-prefixes=CHECK,AMD

// Separate arguments, then the launch. A `local` pointer is an offset. Pointers have readonly and noalias.
// CHECK: llvm.mlir.global external @__kiln_local() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
// NV-LABEL: llvm.func @arguments(
// NV-SAME: %{{.*}}: !llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr<2> {llvm.noalias, llvm.readonly},
// NV-SAME: %[[OFFSET:.*]]: i64, %{{.*}}: !llvm.ptr {llvm.align = 4 : i64, llvm.byval = !llvm.struct<(i32, i8)>}, %{{.*}}: f32,
// NV-SAME: %{{.*}}: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<29 x i64>})
// NV-SAME: nvvm.kernel, ocl.kernel = "arguments", plan.enqueues = 0 : i64, plan.prints = 0 : i64, plan.private_bytes = 0 : i64, plan.rounded_dims = 0 : i64, plan.static_local_bytes = 12 : i64
// AMD-LABEL: llvm.func amdgpu_kernelcc @arguments(
// AMD-SAME: i64, %{{.*}}: !llvm.ptr<2> {llvm.align = 4 : i64, llvm.byref = !llvm.struct<(i32, i8)>}, %{{.*}}: f32,
// AMD-SAME: %{{.*}}: !llvm.ptr<2> {llvm.align = 8 : i64, llvm.byref = !llvm.array<29 x i64>})
// AMD-SAME: passthrough = {{.*}}"amdgpu-flat-work-group-size", "1,1024"{{.*}}"uniform-work-group-size", "true"
// Offsets are relative to the start of the group's local memory; the array is after the static part.
// NV: %[[START:.*]] = arith.constant 128 : i64
// NV: arith.subi %[[OFFSET]], %[[START]]
// AMD: "llvm.intr.memcpy"
llvm.mlir.global internal @word() {addr_space = 3 : i32} : i32
llvm.mlir.global internal @long() {addr_space = 3 : i32} : i64
func.func @arguments(%a: !llvm.ptr<1> {ocl.qualifiers = 2 : i32, ocl.no_write, ocl.pointee_align = 4 : i64},
                     %b: !llvm.ptr<2>, %c: !llvm.ptr<3>, %d: !llvm.ptr {ocl.byval = !llvm.struct<(i32, i8)>}, %e: f32)
    attributes {ocl.kernel} {
  %w = llvm.mlir.addressof @word : !llvm.ptr<3>
  %l = llvm.mlir.addressof @long : !llvm.ptr<3>
  %v = llvm.load %d : !llvm.ptr -> i32
  llvm.store %v, %c : i32, !llvm.ptr<3>
  llvm.store %v, %w : i32, !llvm.ptr<3>
  llvm.store %v, %l : i32, !llvm.ptr<3>
  return
}

// -----

// One multiplication and two additions, in the width of the uses. firstItem is at offset 0 of the launch.
// CHECK-LABEL: @ids
// NV: nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2147483647> : i32
// NV: nvvm.read.ptx.sreg.ntid.x range <i32, 1, 1025> : i32
// NV: arith.extui {{.*}} : i32 to i64
// NV: arith.muli {{.*}} overflow<nsw, nuw> : i64
// NV: nvvm.read.ptx.sreg.tid.x range <i32, 0, 1024> : i32
// NV: arith.addi {{.*}} overflow<nsw, nuw> : i64
// NV: arith.addi {{.*}} : i64
// AMDGPU has no register for the local size: the enqueued size at offset 96 is equivalent.
// AMD: rocdl.workgroup.id.x : i32
// AMD: llvm.getelementptr %{{.*}}[96] : (!llvm.ptr<2>) -> !llvm.ptr<2>, i8
// AMD: rocdl.workitem.id.x range <i32, 0, 1024> : i32
// NV: nvvm.read.ptx.sreg.ctaid.y
// NV: arith.muli {{.*}} : i32
// CHECK-NOT: ocl.query
func.func @ids(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = ocl.query global_id[%c0] : i64
  %y = ocl.query global_id[%c1] : i64
  %narrow = arith.trunci %y : i64 to i32
  llvm.store %x, %p : i64, !llvm.ptr<1>
  llvm.store %narrow, %p : i32, !llvm.ptr<1>
  return
}

// -----

// Work-items beyond the end of a rounded dimension end at once. GpuLaunch::items[1] is at offset 32. The variable stays
// in the entry block, where LLVM promotes it.
// CHECK-LABEL: @rounded
// CHECK-SAME: plan.rounded_dims = 2 : i64
// CHECK-NOT: {{ctaid.x|workgroup.id.x}}
// CHECK: llvm.getelementptr %{{.*}}[32]
// CHECK: %[[INDEX:.*]] = arith.addi
// CHECK: %[[BEYOND:.*]] = arith.cmpi uge, %[[INDEX]], %{{.*}} : i32
// CHECK: llvm.alloca
// CHECK: cf.cond_br %[[BEYOND]], ^[[END:.*]], ^[[BODY:.*]]
// CHECK: ^[[END]]:
// CHECK-NEXT: llvm.return
// CHECK: ^[[BODY]]:
// CHECK: llvm.store
func.func @rounded(%p: !llvm.ptr<1>) attributes {ocl.kernel, ocl.rounded_dims = 2 : i32} {
  %c1 = arith.constant 1 : i32
  %v = llvm.alloca %c1 x i32 : (i32) -> !llvm.ptr
  llvm.store %c1, %v : i32, !llvm.ptr
  llvm.store %v, %p : !llvm.ptr, !llvm.ptr<1>
  return
}

// -----

// In a rounded dimension, the index in the launch has 32 bits, so that an id of 64 bits shares its product.
// CHECK-LABEL: @rounded_id
// CHECK: %[[INDEX:.*]] = arith.addi %{{.*}}, %{{.*}} overflow<nuw> : i32
// CHECK: arith.cmpi uge, %[[INDEX]]
// CHECK: %[[PRODUCT:.*]] = arith.muli %{{.*}}, %{{.*}} overflow<nuw> : i32
// CHECK: %[[AGAIN:.*]] = arith.addi %[[PRODUCT]], %{{.*}} overflow<nuw> : i32
// CHECK: %[[WIDE:.*]] = arith.extui %[[AGAIN]] : i32 to i64
// CHECK: arith.addi %[[WIDE]], %{{.*}} : i64
func.func @rounded_id(%p: !llvm.ptr<1>) attributes {ocl.kernel, ocl.rounded_dims = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %i = ocl.query global_id[%c0] : i64
  llvm.store %i, %p : i64, !llvm.ptr<1>
  return
}

// -----

// The launch's local size: a register on NVPTX, in the dispatch packet on AMDGPU.
// CHECK-LABEL: @sizes
// NV: nvvm.read.ptx.sreg.ntid.z range <i32, 1, 65>
// AMD: llvm.call_intrinsic "llvm.amdgcn.dispatch.ptr"
// AMD: llvm.getelementptr %{{.*}}[8]
// AMD: llvm.load %{{.*}} invariant {alignment = 2 : i64} : !llvm.ptr<2> -> i16
// Sub-group sizes are powers of two.
// NV: %[[SHIFT:.*]] = arith.constant 5 : i32
// AMD: %[[SHIFT:.*]] = arith.constant 6 : i32
// CHECK: arith.shrui %{{.*}}, %[[SHIFT]]
func.func @sizes(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %c2 = arith.constant 2 : i32
  %z = ocl.query local_size[%c2] : i32
  %g = ocl.linear_query sub_group_id : i32
  llvm.store %z, %p : i32, !llvm.ptr<1>
  llvm.store %g, %p : i32, !llvm.ptr<1>
  return
}

// -----

// A dynamic dimension selects among the three.
// CHECK-LABEL: @which
// CHECK-COUNT-3: arith.select
func.func @which(%p: !llvm.ptr<1>, %d: i32) attributes {ocl.kernel} {
  %x = ocl.query num_groups[%d] : i64
  llvm.store %x, %p : i64, !llvm.ptr<1>
  return
}

// -----

// A required size is a constant and bounds the ids.
// CHECK-LABEL: @required
// NV-SAME: nvvm.reqntid = array<i32: 64, 2, 1>
// AMD-SAME: "amdgpu-flat-work-group-size", "128,128"
// NV: nvvm.read.ptx.sreg.tid.y range <i32, 0, 2>
// AMD: rocdl.workitem.id.y range <i32, 0, 2>
// CHECK-NOT: ntid
// CHECK-NOT: dispatch.ptr
module attributes {ocl.uniform_groups} {
func.func @required(%p: !llvm.ptr<1>) attributes {ocl.kernel, ocl.reqd_local_size = array<i64: 64, 2, 1>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = ocl.query local_size[%c0] : i64
  %y = ocl.query local_id[%c1] : i64
  llvm.store %s, %p : i64, !llvm.ptr<1>
  llvm.store %y, %p : i64, !llvm.ptr<1>
  return
}
}

// -----

// If an NDRange may have smaller groups at its end, the required size is the largest one, and the enqueued one.
// CHECK-LABEL: @required_at_most
// NV-SAME: nvvm.maxntid = array<i32: 64, 2, 1>
// AMD-SAME: "amdgpu-flat-work-group-size", "1,128"
// NV: nvvm.read.ptx.sreg.ntid.x
// AMD: dispatch.ptr
// NV: nvvm.read.ptx.sreg.tid.y range <i32, 0, 2>
// AMD: rocdl.workitem.id.y range <i32, 0, 2>
// CHECK: arith.constant 2 : i32
// CHECK-NOT: sreg.ntid
// CHECK-NOT: dispatch.ptr
// CHECK: llvm.return
func.func @required_at_most(%p: !llvm.ptr<1>) attributes {ocl.kernel, ocl.reqd_local_size = array<i64: 64, 2, 1>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %s = ocl.query local_size[%c0] : i64
  %y = ocl.query local_id[%c1] : i64
  %e = ocl.query enqueued_local_size[%c1] : i64
  %z = ocl.query local_size[%c2] : i64
  llvm.store %s, %p : i64, !llvm.ptr<1>
  llvm.store %y, %p : i64, !llvm.ptr<1>
  llvm.store %e, %p : i64, !llvm.ptr<1>
  llvm.store %z, %p : i64, !llvm.ptr<1>
  return
}

// -----

// A name that an assembler rejects or that Kiln reserves is replaced.
// CHECK-DAG: llvm.func {{.*}}@kernel_0({{.*}}ocl.kernel = "a b"
// CHECK-DAG: llvm.func {{.*}}@kernel_2({{.*}}ocl.kernel = "__kiln_sinf"
// CHECK-DAG: llvm.func {{.*}}@kernel_1({{.*}}ocl.kernel = "kernel_1"
func.func @"a b"() attributes {ocl.kernel} {
  return
}
func.func @kernel_1() attributes {ocl.kernel} {
  return
}
func.func @__kiln_sinf() attributes {ocl.kernel} {
  return
}
// CHECK-NOT: @helper
func.func private @helper() {
  return
}

// -----

// The block of variables is at offset 176 of the launch.
// CHECK-LABEL: @variables
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[176]
// NV: %[[BLOCK:.*]] = llvm.load %[[AT]] invariant {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr<1>
// AMD: %[[BLOCK:.*]] = llvm.load %[[AT]] invariant {alignment = 8 : i64} : !llvm.ptr<2> -> !llvm.ptr<1>
// CHECK: llvm.store %{{.*}}, %[[BLOCK]] : i32, !llvm.ptr<1>
func.func @variables(%v: i32) attributes {ocl.kernel} {
  %p = ocl.program_variables : !llvm.ptr<1>
  llvm.store %v, %p : i32, !llvm.ptr<1>
  return
}

// -----

// The enqueue arena follows, and the plan records that the kernel uses it.
// CHECK-LABEL: @enqueues
// CHECK-SAME: plan.enqueues = 1 : i64
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[192]
// CHECK: llvm.load %[[AT]] invariant {{.*}} -> !llvm.ptr<1>
func.func @enqueues(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %a = ocl.enqueue_arena : !llvm.ptr<1>
  %n = llvm.ptrtoint %a : !llvm.ptr<1> to i64
  llvm.store %n, %p : i64, !llvm.ptr<1>
  return
}

// -----

// A kernel that kernels enqueue has a one-dimensional grid: ids are computed from the launch's local size. Groups of
// every size fit.
// CHECK-LABEL: @flat
// NV-SAME: nvvm.maxntid = array<i32: 1024>
// CHECK-NOT: tid.y
// CHECK: %[[WIDTH:.*]] = llvm.getelementptr %{{.*}}[200]
// CHECK: arith.divui
// CHECK: %[[HEIGHT:.*]] = llvm.getelementptr %{{.*}}[208]
// CHECK: arith.remui
func.func @flat(%p: !llvm.ptr<1>) attributes {ocl.kernel, ocl.block = 0 : i64} {
  %c1 = arith.constant 1 : i32
  %y = ocl.query local_id[%c1] : i64
  llvm.store %y, %p : i64, !llvm.ptr<1>
  return
}

// -----

// Checks read the launch's abi::GpuCheck, whose ranges are 24 bytes each after 24 bytes.
// CHECK-LABEL: llvm.func {{.*}}@checks(
// CHECK-SAME: ocl.check_sites = ["site"]
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %{{.*}}[224]
// CHECK: %[[CHECK:.*]] = llvm.load %[[FIELD]] invariant {alignment = 8 : i64}
// CHECK: %[[BEGIN:.*]] = llvm.getelementptr %[[CHECK]][48]
// CHECK: %[[LOADED:.*]] = llvm.load %[[BEGIN]] invariant
// CHECK: llvm.inttoptr %[[LOADED]] : i64 to !llvm.ptr<2>
// CHECK: %[[SIZE:.*]] = llvm.getelementptr %[[CHECK]][56]
func.func @checks(%a: !llvm.ptr<1>, %b: !llvm.ptr<2>) attributes {ocl.kernel, ocl.check_sites = ["site"]} {
  %begin, %size = ocl.argument_range 1 : !llvm.ptr<2>
  %p = llvm.getelementptr %a[%size] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  %v = llvm.load %begin : !llvm.ptr<2> -> i8
  llvm.store %v, %p : i8, !llvm.ptr<1>
  return
}
