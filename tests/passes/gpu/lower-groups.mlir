// RUN: kiln-opt %s --split-input-file "--ocl-set-target=target=nvptx,sub_group_size=32,features=[reduce_instruction]" --gpu-lower-groups | FileCheck %s --check-prefixes=CHECK,NV,REDUX
// RUN: kiln-opt %s --split-input-file --ocl-set-target=target=nvptx,sub_group_size=32 --gpu-lower-groups | FileCheck %s --check-prefixes=CHECK,NV,TREE
// RUN: kiln-opt %s --split-input-file --ocl-set-target=target=amdgpu,sub_group_size=64 --gpu-lower-groups | FileCheck %s --check-prefixes=CHECK,AMD

// A uniform reduction is one instruction for all lanes, or a tree: lanes that do not exist add nothing, and all get the
// first lane's result.
// CHECK-LABEL: @sum
// REDUX: %[[ALL:.*]] = arith.constant -1 : i32
// REDUX: llvm.call_intrinsic "llvm.nvvm.redux.sync.add"(%arg0, %[[ALL]])
// TREE: ocl.linear_query sub_group_size
// TREE-COUNT-6: llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"
// TREE-NOT: call_intrinsic
// AMD-COUNT-7: llvm.call_intrinsic "llvm.amdgcn.ds.bpermute"
// AMD-NOT: call_intrinsic
// CHECK: return
func.func @sum(%v: i32) -> i32 attributes {ocl.kernel} {
  %0 = ocl.combine reduce add sub_group uniform %v : i32
  return %0 : i32
}

// -----

// With whole sub-groups only, the reduction is a butterfly.
// CHECK-LABEL: @whole
// CHECK-NOT: sub_group_size
// NV-COUNT-5: llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"
// AMD-COUNT-6: llvm.call_intrinsic "llvm.amdgcn.ds.bpermute"
// CHECK-NOT: call_intrinsic
// CHECK: return
module attributes {ocl.uniform_groups} {
func.func @whole(%v: f32) -> f32 attributes {ocl.kernel, ocl.reqd_local_size = array<i64: 64, 2, 1>} {
  %0 = ocl.combine reduce fadd sub_group uniform %v : f32
  return %0 : f32
}
}

// -----

// In a branch, the active lanes take part: a scan follows the chain of active lanes, and the last one has the result.
// CHECK-LABEL: @part
// NV: %[[MASK:.*]] = llvm.call_intrinsic "llvm.nvvm.activemask"
// AMD: %[[MASK:.*]] = llvm.call_intrinsic "llvm.amdgcn.ballot"(%{{.*}}) : (i1) -> i64
// CHECK: math.ctlz
// NV-COUNT-10: "llvm.nvvm.shfl.sync.idx.i32"(%[[MASK]]
// NV-NOT: call_intrinsic
// AMD-COUNT-12: ds.bpermute
// AMD-NOT: call_intrinsic
// CHECK: return
func.func @part(%n: i32, %v: f32, %p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %l = ocl.linear_query sub_group_local_id : i32
  %c = arith.cmpi eq, %l, %n : i32
  cf.cond_br %c, ^then, ^end
^then:
  %0 = ocl.combine reduce fadd sub_group %v : f32
  llvm.store %0, %p : f32, !llvm.ptr<1>
  cf.br ^end
^end:
  return
}

// -----

// Operations in blocks that all lanes execute in lockstep are uniform: after the loop, which lanes leave at different
// times and then meet, and in the second loop.
// CHECK-LABEL: @lockstep
// NV-NOT: activemask
// CHECK: cf.br ^[[LOOP:.*]](
// CHECK: ^[[LOOP]](
// NV: activemask
// CHECK: cf.cond_br
// NV: nvvm.bar.warp.sync
// NV-NOT: activemask
// CHECK: return
func.func @lockstep(%v: i32, %lane: i32, %p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %0 = ocl.shuffle sub_group %v[%lane] : i32
  cf.br ^loop(%0 : i32)
^loop(%i: i32):
  %1 = ocl.shuffle sub_group %i[%lane] : i32
  %c = arith.cmpi slt, %1, %v : i32
  cf.cond_br %c, ^loop(%1 : i32), ^behind(%1 : i32)
^behind(%x: i32):
  %2 = ocl.shuffle sub_group %x[%lane] : i32
  %next = arith.addi %lane, %v : i32
  %d = arith.cmpi slt, %next, %v : i32
  cf.cond_br %d, ^again(%next : i32), ^end
^again(%m: i32):
  %3 = ocl.shuffle sub_group %2[%m] : i32
  %next2 = arith.addi %m, %v : i32
  %e = arith.cmpi slt, %next2, %v : i32
  cf.cond_br %e, ^again(%next2 : i32), ^end
^end:
  llvm.store %2, %p : i32, !llvm.ptr<1>
  return
}

// -----

// What a broadcast returns is equal in all lanes; what they load may differ.
// CHECK-LABEL: @broadcast_condition
// CHECK: cf.cond_br
// NV-NOT: activemask
// CHECK: cf.cond_br
// NV: activemask
// CHECK: return
func.func @broadcast_condition(%v: i32, %lane: i32, %p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %0 = llvm.load %p : !llvm.ptr<1> -> i32
  %1 = ocl.shuffle sub_group uniform %0[%lane] : i32
  %c = arith.cmpi slt, %1, %v : i32
  cf.cond_br %c, ^then, ^behind
^then:
  %2 = ocl.shuffle sub_group %v[%0] : i32
  llvm.store %2, %p : i32, !llvm.ptr<1>
  cf.br ^behind
^behind:
  %d = arith.cmpi slt, %0, %v : i32
  cf.cond_br %d, ^last, ^end
^last:
  %3 = ocl.shuffle sub_group %v[%0] : i32
  llvm.store %3, %p : i32, !llvm.ptr<1>
  cf.br ^end
^end:
  return
}

// -----

// Lanes that return early do not take part later.
// CHECK-LABEL: @early_return
// CHECK: cf.cond_br
// NV: activemask
// NV-NOT: bar.warp.sync
// CHECK: return
func.func @early_return(%n: i32, %p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %l = ocl.linear_query sub_group_local_id : i32
  %c = arith.cmpi ult, %l, %n : i32
  cf.cond_br %c, ^stay, ^leave
^leave:
  return
^stay:
  %0 = ocl.combine reduce add sub_group %n : i32
  llvm.store %0, %p : i32, !llvm.ptr<1>
  return
}

// -----

// Clusters never use redux.sync, whose lanes have to name one mask.
// CHECK-LABEL: @cluster
// CHECK-NOT: redux
// NV-COUNT-3: shfl.sync
// AMD-COUNT-3: ds.bpermute
// CHECK-NOT: call_intrinsic
// CHECK: return
func.func @cluster(%v: i32) -> i32 attributes {ocl.kernel} {
  %0 = ocl.combine reduce umax sub_group cluster 4 %v : i32
  return %0 : i32
}

// -----

// Votes are ballots: all lanes are true if none is false. A scan looks at the lanes up to this one.
// CHECK-LABEL: @votes
// NV: %[[FALSE:.*]] = llvm.call_intrinsic "llvm.nvvm.vote.ballot.sync"
// AMD: %[[FALSE:.*]] = llvm.call_intrinsic "llvm.amdgcn.ballot"
// CHECK: %[[ANY:.*]] = arith.andi %[[FALSE]]
// CHECK: arith.cmpi eq, %[[ANY]]
// CHECK: call_intrinsic
// CHECK: math.ctpop
func.func @votes(%c: i1, %p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %0 = ocl.combine reduce and sub_group uniform %c : i1
  %1 = ocl.combine inclusive_scan xor sub_group uniform %c : i1
  llvm.store %0, %p : i1, !llvm.ptr<1>
  llvm.store %1, %p : i1, !llvm.ptr<1>
  return
}

// -----

// CHECK-LABEL: @bits
// NV: %[[B:.*]] = llvm.call_intrinsic "llvm.nvvm.vote.ballot.sync"
// NV: vector.from_elements %[[B]], %[[ZERO:.*]], %[[ZERO]], %[[ZERO]]
// AMD: %[[B:.*]] = llvm.call_intrinsic "llvm.amdgcn.ballot"
// AMD: %[[LOW:.*]] = arith.trunci %[[B]]
// AMD: %[[HIGH:.*]] = arith.trunci
// AMD: vector.from_elements %[[LOW]], %[[HIGH]]
func.func @bits(%c: i1) -> vector<4xi32> attributes {ocl.kernel} {
  %0 = ocl.ballot %c : vector<4xi32>
  return %0 : vector<4xi32>
}

// -----

// Words of 32 bits. A broadcast's lane is uniform.
// CHECK-LABEL: @types
// NV-COUNT-2: shfl.sync
// AMD-COUNT-2: llvm.amdgcn.readlane
// CHECK: arith.bitcast %{{.*}} : i64 to f64
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: call_intrinsic
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: call_intrinsic
// CHECK: vector.from_elements
func.func @types(%d: f64, %c: vector<2xi8>, %lane: i32, %p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %0 = ocl.shuffle sub_group uniform %d[%lane] : f64
  %1 = ocl.shuffle sub_group %c[%lane] : vector<2xi8>
  llvm.store %0, %p : f64, !llvm.ptr<1>
  llvm.store %1, %p : vector<2xi8>, !llvm.ptr<1>
  return
}

// -----

// The sub-groups' results go through local memory for one value each.
// CHECK-LABEL: @group_scan
// CHECK: scf.if
// CHECK: llvm.store
// CHECK: ocl.barrier work_group local
// CHECK: scf.for
// CHECK: arith.addi
// CHECK: ocl.barrier work_group local
// CHECK: arith.addi
func.func @group_scan(%v: i32) -> i32 attributes {ocl.kernel} {
  %0 = ocl.combine inclusive_scan add work_group uniform %v : i32
  return %0 : i32
}
// NV: llvm.mlir.global internal @group_scratch_4() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<128 x i8>
// AMD: llvm.mlir.global internal @group_scratch_4() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<64 x i8>

// -----

// CHECK-LABEL: @group_vote
// NV: llvm.call_intrinsic "llvm.nvvm.barrier{{(0[.]or|[.]cta[.]red[.]or[.]aligned[.]all)}}"(
// NV: return
// AMD: ocl.barrier
func.func @group_vote(%c: i1) -> i1 attributes {ocl.kernel} {
  %0 = ocl.combine reduce or work_group uniform %c : i1
  return %0 : i1
}

// -----

// A work-group of one sub-group needs no local memory.
// CHECK-LABEL: @small_group
// CHECK-NOT: barrier
// CHECK: return
module attributes {ocl.uniform_groups} {
func.func @small_group(%v: f32, %item: i32) -> f32 attributes {ocl.kernel, ocl.reqd_local_size = array<i64: 4, 5, 1>} {
  %0 = ocl.combine exclusive_scan fmax work_group uniform %v : f32
  %1 = ocl.shuffle work_group uniform %0[%item] : f32
  return %1 : f32
}
}

// -----

// CHECK-LABEL: @group_broadcast
// CHECK: %[[SELF:.*]] = ocl.linear_query local_linear_id
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[SELF]], %arg1
// CHECK: scf.if %[[IS]]
// CHECK: ocl.barrier work_group local
// CHECK: llvm.load
// CHECK: ocl.barrier work_group local
func.func @group_broadcast(%v: f64, %item: i32) -> f64 attributes {ocl.kernel} {
  %0 = ocl.shuffle work_group uniform %v[%item] : f64
  return %0 : f64
}

// -----

// The first active lane, without a reduction.
// CHECK-LABEL: @elect
// CHECK: cf.cond_br
// CHECK: llvm.intr.cttz
// CHECK-NOT: shfl
// CHECK-NOT: redux
// CHECK-NOT: bpermute
// CHECK: return
func.func @elect(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %c = llvm.load %p : !llvm.ptr<1> -> i1
  cf.cond_br %c, ^then, ^end
^then:
  %l = ocl.linear_query sub_group_local_id : i32
  %0 = ocl.combine reduce umin sub_group %l : i32
  llvm.store %0, %p : i32, !llvm.ptr<1>
  cf.br ^end
^end:
  return
}
