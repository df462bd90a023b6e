// RUN: kiln-opt "--ocl-set-target=target=nvptx,sub_group_size=32,features=[partial_barriers]" --gpu-make-child-executor %s | FileCheck %s
// RUN: kiln-opt --ocl-set-target=target=nvptx,sub_group_size=32 --gpu-make-child-executor %s | FileCheck %s --check-prefix=SUB

// Ids become the record's, and each return goes on with the next chunk.
func.func @small.block(%c: !llvm.ptr {ocl.byval = !llvm.array<3 x i64>}) attributes {ocl.kernel, ocl.block = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %1 = llvm.getelementptr %c[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<3 x i64>
  %2 = llvm.load %1 : !llvm.ptr -> i64
  %3 = llvm.inttoptr %2 : i64 to !llvm.ptr<1>
  %i = ocl.query global_id[%c0] : i64
  llvm.store %i, %3 : i64, !llvm.ptr<1>
  return
}

// A barrier is one of the child's work-items, and an argument is in the executor's local memory.
func.func @barrier.block(%c: !llvm.ptr {ocl.byval = !llvm.array<2 x i64>}, %l: !llvm.ptr<3>) attributes {ocl.kernel, ocl.block = 1 : i64} {
  %c7 = arith.constant 7 : i32
  llvm.store %c7, %l : i32, !llvm.ptr<3>
  ocl.barrier work_group local
  return
}

// Left to the host: a sub-group query, a run-time dimension, and a collective.
func.func @lanes.block(%c: !llvm.ptr {ocl.byval = !llvm.array<3 x i64>}) attributes {ocl.kernel, ocl.block = 2 : i64} {
  %n = ocl.linear_query sub_group_size : i32
  %1 = llvm.getelementptr %c[%n] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  return
}
func.func @dimension.block(%c: !llvm.ptr {ocl.byval = !llvm.array<3 x i64>}) attributes {ocl.kernel, ocl.block = 3 : i64} {
  %n = llvm.load %c : !llvm.ptr -> i32
  %i = ocl.query global_id[%n] : i64
  llvm.store %i, %c : i64, !llvm.ptr
  return
}
func.func @sub.block() attributes {ocl.kernel, ocl.block = 4 : i64} {
  ocl.barrier sub_group local
  return
}

// A block that enqueues uses its group's own arena.
func.func @parent.block() attributes {ocl.kernel, ocl.block = 5 : i64} {
  %a = ocl.enqueue_arena : !llvm.ptr<1>
  %q = ocl.default_queue %a : i64
  ocl.retain_event %a, %q
  return
}

// CHECK-LABEL: func.func @kiln.run_children() attributes {ocl.block = 6 : i64, ocl.kernel = "kiln.run_children", ocl.reqd_local_size = array<i64: 256, 1, 1>}
// CHECK: llvm.alloca %{{.*}} x !llvm.array<3 x i64>
// CHECK: %[[CHILD:.*]] = llvm.mlir.addressof @kiln.executor_child
// CHECK: %[[ITEM:.*]] = llvm.alloca
// CHECK: %[[BLOCKS:.*]] = llvm.mlir.addressof @kiln.executor_blocks
// CHECK: %[[ARENA:.*]] = ocl.enqueue_arena
// CHECK: %[[OWN:.*]] = ocl.begin_executor %[[ARENA]], %[[CHILD]] leaves_events %false
// CHECK: cf.br ^[[LOOP:.*]]
// CHECK: ^[[LOOP]]:
// CHECK-NEXT: %[[SIZE:.*]] = arith.constant 32 : i32
// CHECK-NEXT: %[[PARTIAL:.*]] = arith.constant true
// CHECK-NEXT: %[[GOES_ON:.*]] = ocl.next_chunk %[[OWN]], %[[CHILD]] of %[[BLOCKS]] on %[[SIZE]], %[[PARTIAL]]
// CHECK-NEXT: cf.cond_br %[[GOES_ON]], ^{{.*}}, ^[[EXIT:.*]]
// CHECK: cf.switch
// CHECK-NEXT: default: ^[[LOOP]]
// CHECK-NEXT: 0:
// CHECK-NEXT: 1:
// CHECK-NEXT: 5:
// CHECK-NEXT: ]
// CHECK: ^[[EXIT]]:
// CHECK-NEXT: return
// CHECK: %[[RUNS:.*]] = ocl.place_item %[[CHILD]], %[[ITEM]] uses_groups %false
// CHECK-NEXT: cf.cond_br %[[RUNS]], ^{{.*}}, ^[[LOOP]]
// CHECK: "llvm.intr.memcpy"(%{{.*}}, %{{.*}}, %c24_i64) <{isVolatile = false}> {ocl.copy_align = array<i64: {{.*}}, 8>}
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[ITEM]][0]
// CHECK: %[[ID:.*]] = llvm.load %[[AT]] {{.*}} : !llvm.ptr -> i64
// CHECK-NOT: ocl.query
// CHECK: llvm.store %[[ID]], %{{.*}} : i64, !llvm.ptr<1>
// CHECK-NEXT: cf.br ^[[LOOP]]
// CHECK: ocl.place_item %[[CHILD]], %[[ITEM]] uses_groups %true
// CHECK: ocl.local_argument %[[CHILD]], %c0_i32
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<3>
// CHECK: ocl.partial_barrier sub_group of %{{.*}} local
// CHECK: ocl.partial_barrier work_group of %{{.*}} local
// CHECK: ocl.place_item %[[CHILD]], %[[ITEM]] uses_groups %false
// CHECK: ocl.default_queue %[[OWN]]
// CHECK: ocl.retain_event %[[OWN]]
// CHECK-DAG: llvm.mlir.global internal @kiln.executor_child() {addr_space = 3 : i32, alignment = 8 : i64}
// CHECK-DAG: llvm.mlir.global internal @kiln.executor_arguments() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<16384 x i8>
// What the executor must know of each block, and the number of local arguments.
// CHECK-DAG: llvm.mlir.global internal constant @kiln.executor_blocks(dense<[1, 0, 7, 1, 0, 0, 0, 0, 0, 0, 9, 0]> : tensor<12xi32>) {addr_space = 2 : i32

// SUB-LABEL: func.func @kiln.run_children()
// SUB: ocl.partial_barrier sub_group of
// SUB-NOT: ocl.partial_barrier
