// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @queries
func.func @queries(%d: i32) {
  // CHECK: ocl.query global_id[%arg0] : i64
  %0 = ocl.query global_id[%d] : i64
  // CHECK: ocl.program_variables : !llvm.ptr<1>
  %v = ocl.program_variables : !llvm.ptr<1>
  // CHECK: ocl.query local_id[%arg0] : i64
  %1 = ocl.query local_id[%d] : i64
  // CHECK: ocl.query group_id[%arg0] : i64
  %2 = ocl.query group_id[%d] : i64
  // CHECK: ocl.query global_offset[%arg0] : i64
  %3 = ocl.query global_offset[%d] : i64
  // CHECK: ocl.query global_size[%arg0] : i64
  %4 = ocl.query global_size[%d] : i64
  // CHECK: ocl.query local_size[%arg0] : i32
  %5 = ocl.query local_size[%d] : i32
  // CHECK: ocl.query enqueued_local_size[%arg0] : i64
  %6 = ocl.query enqueued_local_size[%d] : i64
  // CHECK: ocl.query num_groups[%arg0] : i64
  %7 = ocl.query num_groups[%d] : i64
  return
}

// CHECK-LABEL: func.func @linear_queries
func.func @linear_queries() {
  // CHECK: ocl.linear_query work_dim : i32
  %0 = ocl.linear_query work_dim : i32
  // CHECK: ocl.linear_query global_linear_id : i64
  %1 = ocl.linear_query global_linear_id : i64
  // CHECK: ocl.linear_query local_linear_id : i64
  %2 = ocl.linear_query local_linear_id : i64
  // CHECK: ocl.linear_query sub_group_size : i32
  %3 = ocl.linear_query sub_group_size : i32
  // CHECK: ocl.linear_query max_sub_group_size : i32
  %4 = ocl.linear_query max_sub_group_size : i32
  // CHECK: ocl.linear_query num_sub_groups : i32
  %5 = ocl.linear_query num_sub_groups : i32
  // CHECK: ocl.linear_query enqueued_num_sub_groups : i32
  %6 = ocl.linear_query enqueued_num_sub_groups : i32
  // CHECK: ocl.linear_query sub_group_id : i32
  %7 = ocl.linear_query sub_group_id : i32
  // CHECK: ocl.linear_query sub_group_local_id : i32
  %8 = ocl.linear_query sub_group_local_id : i32
  return
}

// CHECK-LABEL: func.func @tracked_accesses
func.func @tracked_accesses(%p: !llvm.ptr<1>, %v: vector<4x!llvm.ptr<1>>, %n: i64) {
  // CHECK: ocl.track_access write %arg0 bytes %arg2 step %arg2 lanes %arg2 item %arg2 "out" argument 1 granule 2 : <1>
  ocl.track_access write %p bytes %n step %n lanes %n item %n "out" argument 1 granule 2 : !llvm.ptr<1>
  // CHECK: ocl.track_access atomic %arg0 bytes %arg2 step %arg2 lanes %arg2 item %arg2 "" granule 3 sync 7 : <1>
  ocl.track_access atomic %p bytes %n step %n lanes %n item %n "" granule 3 sync 7 : !llvm.ptr<1>
  // CHECK: ocl.track_lanes read %arg1 bytes %arg2 lanes %arg2 item %arg2 "in" argument 2 granule 2 : vector<4x!llvm.ptr<1>>
  ocl.track_lanes read %v bytes %n lanes %n item %n "in" argument 2 granule 2 : vector<4x!llvm.ptr<1>>
  // CHECK: ocl.track_group write %arg0 bytes %arg2 step %arg2 row %arg2 pitch %arg2 rows %arg2 "out" argument 1 granule 2 : <1>
  %noted = ocl.track_group write %p bytes %n step %n row %n pitch %n rows %n "out" argument 1 granule 2 : !llvm.ptr<1>
  // CHECK: ocl.argument_tracked 3
  %0 = ocl.argument_tracked 3
  return
}

// Combined memories are quoted; the scope that barriers have by default is not printed.
// CHECK-LABEL: func.func @barriers
func.func @barriers() {
  // CHECK: ocl.barrier work_group local{{$}}
  ocl.barrier work_group local
  // CHECK: ocl.barrier work_group "local|global" device
  ocl.barrier work_group "local|global" device
  // CHECK: ocl.barrier sub_group "none" sub_group
  ocl.barrier sub_group "none" sub_group
  // CHECK: ocl.barrier work_group image{{$}}
  ocl.barrier work_group image work_group
  return
}

// CHECK-LABEL: func.func @partial_barriers
func.func @partial_barriers(%n: i32) {
  // CHECK: ocl.partial_barrier work_group of %arg0 local{{$}}
  ocl.partial_barrier work_group of %n local
  // CHECK: ocl.partial_barrier sub_group of %arg0 global device
  ocl.partial_barrier sub_group of %n global device
  return
}

// CHECK-LABEL: func.func @executor
func.func @executor(%launched: !llvm.ptr<1>, %child: !llvm.ptr<3>, %blocks: !llvm.ptr<2>, %item: !llvm.ptr, %n: i32, %is: i1) {
  // CHECK: %[[OWN:.*]] = ocl.begin_executor %arg0, %arg1 leaves_events %arg5 : <1>
  %own = ocl.begin_executor %launched, %child leaves_events %is : !llvm.ptr<1>
  // CHECK: ocl.next_chunk %[[OWN]], %arg1 of %arg2 on %arg4, %arg5 : i1
  %c = ocl.next_chunk %own, %child of %blocks on %n, %is : i1
  // CHECK: ocl.place_item %arg1, %arg3 uses_groups %arg5 : i1
  %r = ocl.place_item %child, %item uses_groups %is : i1
  // CHECK: ocl.local_argument %arg1, %arg4 : i64
  %o = ocl.local_argument %child, %n : i64
  return
}

// CHECK-LABEL: func.func @fences
func.func @fences() {
  // CHECK: ocl.fence acquire work_group local
  ocl.fence acquire work_group local
  // CHECK: ocl.fence release device global
  ocl.fence release device global
  // CHECK: ocl.fence acq_rel all_devices "local|global|image"
  ocl.fence acq_rel all_devices "local|global|image"
  // CHECK: ocl.fence seq_cst work_item global
  ocl.fence seq_cst work_item global
  return
}

// CHECK-LABEL: func.func @async_copies
func.func @async_copies(%l: !llvm.ptr<3>, %g: !llvm.ptr<1>, %n: i64) {
  // CHECK: ocl.async_copy %arg0, %arg1, %arg2, %arg2 f32 : <3>, <1>
  ocl.async_copy %l, %g, %n, %n f32 : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: ocl.async_copy %arg1, %arg0, %arg2, %arg2 vector<4xi32> : <1>, <3>
  ocl.async_copy %g, %l, %n, %n vector<4xi32> : !llvm.ptr<1>, !llvm.ptr<3>
  return
}

// CHECK-LABEL: func.func @read_modify_write
func.func @read_modify_write(%p: !llvm.ptr<1>, %l: !llvm.ptr<3>, %i: i32, %w: i64, %f: f32, %d: f64) {
  // CHECK: ocl.atomic_rmw xchg %arg0, %arg2 relaxed device : <1>, i32
  %0 = ocl.atomic_rmw xchg %p, %i relaxed device : <1>, i32
  // CHECK: ocl.atomic_rmw xchg %arg0, %arg4 relaxed device : <1>, f32
  %1 = ocl.atomic_rmw xchg %p, %f relaxed device : <1>, f32
  // CHECK: ocl.atomic_rmw add %arg1, %arg3 acq_rel work_group volatile : <3>, i64
  %2 = ocl.atomic_rmw add %l, %w acq_rel work_group volatile : <3>, i64
  // CHECK: ocl.atomic_rmw sub
  %3 = ocl.atomic_rmw sub %p, %i relaxed device : <1>, i32
  // CHECK: ocl.atomic_rmw smin
  %4 = ocl.atomic_rmw smin %p, %i relaxed device : <1>, i32
  // CHECK: ocl.atomic_rmw smax
  %5 = ocl.atomic_rmw smax %p, %i relaxed device : <1>, i32
  // CHECK: ocl.atomic_rmw umin
  %6 = ocl.atomic_rmw umin %p, %i relaxed device : <1>, i32
  // CHECK: ocl.atomic_rmw umax
  %7 = ocl.atomic_rmw umax %p, %i relaxed device : <1>, i32
  // CHECK: ocl.atomic_rmw and
  %8 = ocl.atomic_rmw and %p, %i relaxed device : <1>, i32
  // CHECK: ocl.atomic_rmw or
  %9 = ocl.atomic_rmw or %p, %i relaxed device : <1>, i32
  // CHECK: ocl.atomic_rmw xor
  %10 = ocl.atomic_rmw xor %p, %i relaxed device : <1>, i32
  // CHECK: ocl.atomic_rmw fadd {{.*}} f64
  %11 = ocl.atomic_rmw fadd %p, %d seq_cst all_devices : <1>, f64
  // CHECK: ocl.atomic_rmw fmin
  %12 = ocl.atomic_rmw fmin %p, %f acquire sub_group : <1>, f32
  // CHECK: ocl.atomic_rmw fmax
  %13 = ocl.atomic_rmw fmax %p, %f release work_item : <1>, f32
  return
}

// CHECK-LABEL: func.func @half_atomics
func.func @half_atomics(%p: !llvm.ptr<1>, %h: f16) -> f16 {
  // CHECK: ocl.atomic_rmw fadd %arg0, %arg1 relaxed device : <1>, f16
  %0 = ocl.atomic_rmw fadd %p, %h relaxed device : <1>, f16
  // CHECK: ocl.atomic_store %arg1, %arg0 relaxed device : f16, <1>
  ocl.atomic_store %h, %p relaxed device : f16, <1>
  // CHECK: ocl.atomic_load %arg0 relaxed device : <1> -> f16
  %1 = ocl.atomic_load %p relaxed device : <1> -> f16
  return %1 : f16
}

// CHECK-LABEL: func.func @other_atomics
func.func @other_atomics(%p: !llvm.ptr<1>, %x: !llvm.ptr<4>, %i: i32, %f: f32) {
  // CHECK: ocl.atomic_cmpxchg %arg0, %arg2, %arg2 acq_rel acquire device : <1>, i32
  %0 = ocl.atomic_cmpxchg %p, %i, %i acq_rel acquire device : <1>, i32
  // CHECK: ocl.atomic_load %arg1 acquire device volatile : <4> -> f32
  %1 = ocl.atomic_load %x acquire device volatile : <4> -> f32
  // CHECK: ocl.atomic_store %arg3, %arg0 release device : f32, <1>
  ocl.atomic_store %f, %p release device : f32, <1>
  return
}

// CHECK-LABEL: func.func @math
func.func @math(%x: f32, %v: vector<4xf32>, %n: vector<4xi32>) {
  // CHECK: ocl.math sin(%arg0) : (f32) -> f32
  %0 = ocl.math sin(%x) : (f32) -> f32
  // CHECK: ocl.math exp native(%arg0) : (f32) -> f32
  %1 = ocl.math exp native(%x) : (f32) -> f32
  // CHECK: ocl.math powr half(%arg0, %arg0) : (f32, f32) -> f32
  %2 = ocl.math powr half(%x, %x) : (f32, f32) -> f32
  // CHECK: ocl.math ldexp(%arg1, %arg2) : (vector<4xf32>, vector<4xi32>) -> vector<4xf32>
  %3 = ocl.math ldexp(%v, %n) : (vector<4xf32>, vector<4xi32>) -> vector<4xf32>
  return
}

// CHECK-LABEL: func.func @conversions
func.func @conversions(%x: f32, %i: i32, %v: vector<4xf64>) {
  // CHECK: ocl.convert rtz %arg0 : f32 -> i32
  %0 = ocl.convert rtz %x : f32 -> i32
  // CHECK: ocl.convert rte saturate unsigned_out %arg0 : f32 -> i8
  %1 = ocl.convert rte saturate unsigned_out %x : f32 -> i8
  // CHECK: ocl.convert rtp unsigned_in %arg1 : i32 -> f32
  %2 = ocl.convert rtp unsigned_in %i : i32 -> f32
  // CHECK: ocl.convert rtn %arg2 : vector<4xf64> -> vector<4xf16>
  %3 = ocl.convert rtn %v : vector<4xf64> -> vector<4xf16>
  return
}

// CHECK-LABEL: func.func @pointers
func.func @pointers(%g: !llvm.ptr<4>) -> (i1, i1, i1) {
  // CHECK: ocl.is_addrspace private %arg0 : <4>
  %0 = ocl.is_addrspace private %g : !llvm.ptr<4>
  // CHECK: ocl.is_addrspace global %arg0 : <4>
  %1 = ocl.is_addrspace global %g : !llvm.ptr<4>
  // CHECK: ocl.is_addrspace local %arg0 : <4>
  %2 = ocl.is_addrspace local %g : !llvm.ptr<4>
  return %0, %1, %2 : i1, i1, i1
}

// CHECK-LABEL: func.func @group_functions
func.func @group_functions(%i: i32, %b: i1, %f: vector<4xf32>) {
  // CHECK: ocl.combine reduce add work_group %arg0 : i32
  %0 = ocl.combine reduce add work_group %i : i32
  // CHECK: ocl.combine reduce and sub_group uniform %arg1 : i1
  %1 = ocl.combine reduce and sub_group uniform %b : i1
  // CHECK: ocl.combine exclusive_scan fmin sub_group %arg2 : vector<4xf32>
  %2 = ocl.combine exclusive_scan fmin sub_group %f : vector<4xf32>
  // CHECK: ocl.combine reduce umax sub_group cluster 4 %arg0 : i32
  %3 = ocl.combine reduce umax sub_group cluster 4 %i : i32
  // CHECK: ocl.shuffle sub_group %arg2[%arg0] : vector<4xf32>
  %4 = ocl.shuffle sub_group %f[%i] : vector<4xf32>
  // CHECK: ocl.shuffle sub_group %arg2[%arg0] limit pair : vector<4xf32>
  %pair = ocl.shuffle sub_group %f[%i] limit pair : vector<4xf32>
  // CHECK: ocl.ballot %arg1 : vector<4xi32>
  %5 = ocl.ballot %b : vector<4xi32>
  return
}

// CHECK-LABEL: func.func @group_slots
func.func @group_slots(%n: i64) {
  %s = wg.slot : !wg.slot<i32>
  %r = wg.slot : !wg.slot<i32>
  %m = wg.slot : !wg.slot<i1>
  // CHECK: wg.read %{{.*}}[%arg0] : <i32>
  %0 = wg.read %s[%n] : !wg.slot<i32>
  // CHECK: wg.reduce add %{{.*}} : <i32>
  %1 = wg.reduce add %s : !wg.slot<i32>
  // CHECK: wg.reduce umin %{{.*}} mask %{{.*}} : <i32>, !wg.slot<i1>
  %2 = wg.reduce umin %s mask %m : !wg.slot<i32>, !wg.slot<i1>
  // CHECK: wg.combine inclusive_scan xor width 16 %{{.*}}, %{{.*}} mask %{{.*}} : <i32>, !wg.slot<i1>
  wg.combine inclusive_scan xor width 16 %s, %r mask %m : !wg.slot<i32>, !wg.slot<i1>
  // CHECK: wg.combine exclusive_scan add %{{.*}}, %{{.*}} : <i32>
  wg.combine exclusive_scan add %s, %r : !wg.slot<i32>
  return
}

// CHECK-LABEL: func.func @clock
func.func @clock() {
  // CHECK: ocl.read_clock device : i64
  %0 = ocl.read_clock device : i64
  return
}

// CHECK-LABEL: func.func @printing
func.func @printing(%f: !llvm.ptr<2>, %x: i32, %v: vector<3xf32>) -> i32 {
  // CHECK: ocl.printf_buffer : <1>
  %b = ocl.printf_buffer : !llvm.ptr<1>
  // CHECK: ocl.printf %arg0() : <2>
  %0 = ocl.printf %f() : !llvm.ptr<2>
  // CHECK: ocl.printf %arg0(%arg1, %arg2, %{{.*}}, %arg0) : <2>, i32, vector<3xf32>, !llvm.ptr<1>, !llvm.ptr<2>
  %1 = ocl.printf %f(%x, %v, %b, %f) : !llvm.ptr<2>, i32, vector<3xf32>, !llvm.ptr<1>, !llvm.ptr<2>
  return %1 : i32
}

// CHECK-LABEL: func.func @enqueue
func.func @enqueue(%queue: i64, %n: i32, %size: i64, %p: !llvm.ptr<4>) -> i32 {
  // CHECK: %[[A:.*]] = ocl.enqueue_arena : <1>
  %a = ocl.enqueue_arena : !llvm.ptr<1>
  // CHECK: %[[Q:.*]] = ocl.default_queue %[[A]] : i64
  %q = ocl.default_queue %a : i64
  // CHECK: %[[B:.*]] = ocl.block_number @enqueued.block : i32
  %b = ocl.block_number @enqueued.block : i32
  // CHECK: ocl.enqueue_kernel %[[A]], %[[Q]], %arg1 range %arg1(%arg2, %arg2, %arg2, %arg2, %arg2, %arg2, %arg2, %arg2, %arg2) waits %arg1 at %arg3 event %arg3 block %[[B]] captured %arg3 of %arg1 locals %arg1 at %arg3 : <4>, <4>, <4>, <4>
  %r = ocl.enqueue_kernel %a, %q, %n range %n(%size, %size, %size, %size, %size, %size, %size, %size, %size) waits %n at %p event %p block %b captured %p of %n locals %n at %p : !llvm.ptr<4>, !llvm.ptr<4>, !llvm.ptr<4>, !llvm.ptr<4>
  // CHECK: ocl.enqueue_marker %[[A]], %[[Q]] waits %arg1 at %arg3 event %arg3 : <4>, <4>
  %m = ocl.enqueue_marker %a, %q waits %n at %p event %p : !llvm.ptr<4>, !llvm.ptr<4>
  // CHECK: %[[E:.*]] = ocl.create_user_event %[[A]] : i64
  %e = ocl.create_user_event %a : i64
  // CHECK: ocl.is_valid_event %[[A]], %[[E]] : i32
  %v = ocl.is_valid_event %a, %e : i32
  // CHECK: ocl.retain_event %[[A]], %[[E]]
  ocl.retain_event %a, %e
  // CHECK: ocl.release_event %[[A]], %[[E]]
  ocl.release_event %a, %e
  // CHECK: ocl.set_user_event_status %[[A]], %[[E]], %arg1
  ocl.set_user_event_status %a, %e, %n
  // CHECK: ocl.capture_event_profiling %[[A]], %[[E]], %arg1, %arg3 : <4>
  ocl.capture_event_profiling %a, %e, %n, %p : !llvm.ptr<4>
  // CHECK: ocl.block_sub_group_count %[[A]], %[[B]], %arg2, %arg2, %arg2 : (!llvm.ptr<1>, i32, i64, i64, i64) -> i32
  %s = ocl.block_sub_group_count %a, %b, %size, %size, %size : (!llvm.ptr<1>, i32, i64, i64, i64) -> i32
  // CHECK: ocl.block_max_sub_group_size %[[A]], %[[B]], %arg2, %arg2, %arg2 : (!llvm.ptr<1>, i32, i64, i64, i64) -> i32
  %max = ocl.block_max_sub_group_size %a, %b, %size, %size, %size : (!llvm.ptr<1>, i32, i64, i64, i64) -> i32
  // CHECK: ocl.block_local_size_for_sub_groups %[[A]], %[[B]], %arg1 : (!llvm.ptr<1>, i32, i32) -> i32
  %local = ocl.block_local_size_for_sub_groups %a, %b, %n : (!llvm.ptr<1>, i32, i32) -> i32
  // CHECK: ocl.block_max_sub_groups %[[A]], %[[B]] : (!llvm.ptr<1>, i32) -> i32
  %groups = ocl.block_max_sub_groups %a, %b : (!llvm.ptr<1>, i32) -> i32
  // CHECK: ocl.block_work_group_size %[[A]], %[[B]] : (!llvm.ptr<1>, i32) -> i32
  %work = ocl.block_work_group_size %a, %b : (!llvm.ptr<1>, i32) -> i32
  // CHECK: ocl.block_preferred_multiple %[[A]], %[[B]] : (!llvm.ptr<1>, i32) -> i32
  %multiple = ocl.block_preferred_multiple %a, %b : (!llvm.ptr<1>, i32) -> i32
  return %s : i32
}
func.func @enqueued.block() attributes {ocl.block, ocl.kernel} { return }

// CHECK-LABEL: func.func @pipes
func.func @pipes(%p: !llvm.ptr<1>, %x: !llvm.ptr<4>, %n: i32, %r: i64) {
  // CHECK: ocl.write_pipe %arg0, %arg1, %arg2 : (!llvm.ptr<1>, !llvm.ptr<4>, i32) -> i32
  %0 = ocl.write_pipe %p, %x, %n : (!llvm.ptr<1>, !llvm.ptr<4>, i32) -> i32
  // CHECK: ocl.read_pipe %arg0, %arg1, %arg2 : (!llvm.ptr<1>, !llvm.ptr<4>, i32) -> i32
  %1 = ocl.read_pipe %p, %x, %n : (!llvm.ptr<1>, !llvm.ptr<4>, i32) -> i32
  // CHECK: ocl.reserve_packets %arg0, %arg2, %arg2 : (!llvm.ptr<1>, i32, i32) -> i64
  %2 = ocl.reserve_packets %p, %n, %n : (!llvm.ptr<1>, i32, i32) -> i64
  // CHECK: ocl.work_group_reserve_packets %arg0, %arg2, %arg2 : (!llvm.ptr<1>, i32, i32) -> i64
  %3 = ocl.work_group_reserve_packets %p, %n, %n : (!llvm.ptr<1>, i32, i32) -> i64
  // CHECK: ocl.sub_group_reserve_packets %arg0, %arg2, %arg2 : (!llvm.ptr<1>, i32, i32) -> i64
  %4 = ocl.sub_group_reserve_packets %p, %n, %n : (!llvm.ptr<1>, i32, i32) -> i64
  // CHECK: ocl.write_reserved %arg0, %arg3, %arg2, %arg1, %arg2 : (!llvm.ptr<1>, i64, i32, !llvm.ptr<4>, i32) -> i32
  %5 = ocl.write_reserved %p, %r, %n, %x, %n : (!llvm.ptr<1>, i64, i32, !llvm.ptr<4>, i32) -> i32
  // CHECK: ocl.read_reserved %arg0, %arg3, %arg2, %arg1, %arg2 : (!llvm.ptr<1>, i64, i32, !llvm.ptr<4>, i32) -> i32
  %6 = ocl.read_reserved %p, %r, %n, %x, %n : (!llvm.ptr<1>, i64, i32, !llvm.ptr<4>, i32) -> i32
  // CHECK: ocl.commit_packets %arg0, %arg2, %arg3 : (!llvm.ptr<1>, i32, i64) -> ()
  ocl.commit_packets %p, %n, %r : (!llvm.ptr<1>, i32, i64) -> ()
  // CHECK: ocl.work_group_commit_packets %arg0, %arg2, %arg3 : (!llvm.ptr<1>, i32, i64) -> ()
  ocl.work_group_commit_packets %p, %n, %r : (!llvm.ptr<1>, i32, i64) -> ()
  // CHECK: ocl.sub_group_commit_packets %arg0, %arg2, %arg3 : (!llvm.ptr<1>, i32, i64) -> ()
  ocl.sub_group_commit_packets %p, %n, %r : (!llvm.ptr<1>, i32, i64) -> ()
  // CHECK: ocl.is_valid_reserve_id %arg3 : i32
  %7 = ocl.is_valid_reserve_id %r : i32
  // CHECK: ocl.pipe_num_packets %arg0 : (!llvm.ptr<1>) -> i32
  %8 = ocl.pipe_num_packets %p : (!llvm.ptr<1>) -> i32
  // CHECK: ocl.pipe_max_packets %arg0 : (!llvm.ptr<1>) -> i32
  %9 = ocl.pipe_max_packets %p : (!llvm.ptr<1>) -> i32
  return
}

// CHECK-LABEL: func.func @images
func.func @images(%i: !llvm.ptr, %s: i32, %n: vector<4xi32>, %x: vector<4xf32>) {
  // CHECK: ocl.image_format %arg0 : !llvm.ptr
  %f = ocl.image_format %i : !llvm.ptr
  // CHECK: ocl.sample_image_float %arg0, %{{.*}}, %arg1, %arg1, %arg3 : (!llvm.ptr, i32, i32, i32, vector<4xf32>) -> vector<4xf32>
  %0 = ocl.sample_image_float %i, %f, %s, %s, %x : (!llvm.ptr, i32, i32, i32, vector<4xf32>) -> vector<4xf32>
  // CHECK: ocl.sample_image_int %arg0, %{{.*}}, %arg1, %arg1, %arg3 : (!llvm.ptr, i32, i32, i32, vector<4xf32>) -> vector<4xi32>
  %1 = ocl.sample_image_int %i, %f, %s, %s, %x : (!llvm.ptr, i32, i32, i32, vector<4xf32>) -> vector<4xi32>
  // CHECK: ocl.read_image_float %arg0, %{{.*}}, %arg1, %arg1, %arg2 : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xf32>
  %2 = ocl.read_image_float %i, %f, %s, %s, %n : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xf32>
  // CHECK: ocl.read_image_int %arg0, %{{.*}}, %arg1, %arg1, %arg2 : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xi32>
  %3 = ocl.read_image_int %i, %f, %s, %s, %n : (!llvm.ptr, i32, i32, i32, vector<4xi32>) -> vector<4xi32>
  // CHECK: ocl.write_image_float %arg0, %{{.*}}, %arg1, %arg2, %arg3 : (!llvm.ptr, i32, i32, vector<4xi32>, vector<4xf32>) -> ()
  ocl.write_image_float %i, %f, %s, %n, %x : (!llvm.ptr, i32, i32, vector<4xi32>, vector<4xf32>) -> ()
  // CHECK: ocl.write_image_int %arg0, %{{.*}}, %arg1, %arg2, %arg2 : (!llvm.ptr, i32, i32, vector<4xi32>, vector<4xi32>) -> ()
  ocl.write_image_int %i, %f, %s, %n, %n : (!llvm.ptr, i32, i32, vector<4xi32>, vector<4xi32>) -> ()
  return
}

// CHECK-LABEL: @matrices
func.func @matrices(%p: !llvm.ptr<1>, %s: i64, %x: f32, %i: i32) -> i32 {
  // CHECK: ocl.matrix_load row_major %arg0, %arg1 : <1> -> <16x8xf32, a>
  %a = ocl.matrix_load row_major %p, %s : !llvm.ptr<1> -> !ocl.matrix<16x8xf32, a>
  // CHECK: ocl.matrix_load column_major %arg0, %arg1 volatile nontemporal align 2 : <1> -> <8x16xf32, b>
  %b = ocl.matrix_load column_major %p, %s volatile nontemporal align 2 : !llvm.ptr<1> -> !ocl.matrix<8x16xf32, b>
  // CHECK: ocl.matrix_fill %arg2 : f32 -> <16x16xf32, accumulator>
  %c = ocl.matrix_fill %x : f32 -> !ocl.matrix<16x16xf32, accumulator>
  // CHECK: ocl.matrix_multiply_add %{{.*}}, %{{.*}}, %{{.*}} "none" : <16x8xf32, a>, <8x16xf32, b>, <16x16xf32, accumulator>
  %d = ocl.matrix_multiply_add %a, %b, %c none : !ocl.matrix<16x8xf32, a>, !ocl.matrix<8x16xf32, b>, !ocl.matrix<16x16xf32, accumulator>
  // CHECK: ocl.matrix_map %{{.*}}, %{{.*}} : (!ocl.matrix<16x16xf32, accumulator>, !ocl.matrix<16x16xf32, accumulator>) -> !ocl.matrix<16x16xf16, accumulator> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  %e = ocl.matrix_map %c, %d : (!ocl.matrix<16x16xf32, accumulator>, !ocl.matrix<16x16xf32, accumulator>) -> !ocl.matrix<16x16xf16, accumulator> {
  ^bb0(%y: f32, %z: f32):
    %sum = arith.addf %y, %z : f32
    %h = arith.truncf %sum : f32 to f16
    // CHECK: ocl.matrix_yield %{{.*}} : f16
    ocl.matrix_yield %h : f16
  }
  // CHECK: ocl.matrix_extract %{{.*}}[%arg3] : <16x16xf32, accumulator> -> f32
  %one = ocl.matrix_extract %d[%i] : !ocl.matrix<16x16xf32, accumulator> -> f32
  // CHECK: ocl.matrix_insert %{{.*}}, %{{.*}}[%arg3] : f32, <16x16xf32, accumulator>
  %f = ocl.matrix_insert %one, %d[%i] : f32, !ocl.matrix<16x16xf32, accumulator>
  // CHECK: ocl.matrix_store %{{.*}}, row_major %arg0, %arg1 : <16x16xf32, accumulator>, <1>
  ocl.matrix_store %f, row_major %p, %s : !ocl.matrix<16x16xf32, accumulator>, !llvm.ptr<1>
  // CHECK: ocl.matrix_length !ocl.matrix<16x16xf32, accumulator> : i32
  %n = ocl.matrix_length !ocl.matrix<16x16xf32, accumulator> : i32
  return %n : i32
}

// CHECK: module attributes {ocl.target = #ocl.target<nvptx, chip = "sm_90", sub_group_size = 32, features = [reduce_instruction, textures]>}
module attributes {ocl.target = #ocl.target<nvptx, chip = "sm_90", sub_group_size = 32, features = [textures, reduce_instruction]>} {}
