// RUN: kiln-opt %s %cpu_8 --wg-vectorize="force max-interleave=1" | FileCheck %s

// One note for all lanes: lane 0's address, the distance of the lanes, and a bit for each.
// CHECK-LABEL: func.func @consecutive
// CHECK: lanes 8
// CHECK-DAG: %[[STEP:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[ALL:.*]] = arith.constant 255 : i64
// CHECK: ocl.track_access write %{{.*}} bytes %{{.*}} step %[[STEP]] lanes %[[ALL]] item %{{.*}} "a" argument 0 granule 2
// CHECK-NOT: ocl.track_access
// CHECK: llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr<1>
func.func @consecutive(%a: !llvm.ptr<1>, %v: f32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %four = arith.constant 4 : i64
    %no = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %i = ocl.query global_id[%zero] : i64
    %l = ocl.linear_query local_linear_id : i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    ocl.track_access write %p bytes %four step %no lanes %one item %l "a" argument 0 granule 2 : !llvm.ptr<1>
    llvm.store %v, %p : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// The bits of the mask.
// CHECK-LABEL: func.func @masked
// CHECK: lanes 8
// CHECK: %[[BITS:.*]] = llvm.bitcast %{{.*}} : vector<8xi1> to i8
// CHECK: arith.extui %{{.*}} : i8 to i64
// CHECK: ocl.track_access read %arg0
func.func @masked(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %four = arith.constant 4 : i64
    %no = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %i = ocl.query global_id[%zero] : i64
    %l = ocl.linear_query local_linear_id : i64
    %p = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %x = llvm.load %p : !llvm.ptr<1> -> i32
    %c = arith.trunci %x : i32 to i1
    scf.if %c {
      ocl.track_access read %a bytes %four step %no lanes %one item %l "a" argument 0 granule 2 : !llvm.ptr<1>
      %y = llvm.load %a : !llvm.ptr<1> -> i32
      llvm.store %y, %p : i32, !llvm.ptr<1>
    }
    wg.yield
  }
  return
}

// The addresses of lanes that scatter, in one note.
// CHECK-LABEL: func.func @scattered
// CHECK: lanes 8
// CHECK: ocl.track_lanes write %{{.*}} bytes %{{.*}} lanes %{{.*}} item %{{.*}} "a" argument 0 granule 2 : vector<8x!llvm.ptr<1>>
func.func @scattered(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %v: f32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %four = arith.constant 4 : i64
    %no = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %i = ocl.query global_id[%zero] : i64
    %l = ocl.linear_query local_linear_id : i64
    %q = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    %at = llvm.load %q : !llvm.ptr<1> -> i64
    %p = llvm.getelementptr %a[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    ocl.track_access write %p bytes %four step %no lanes %one item %l "a" argument 0 granule 2 : !llvm.ptr<1>
    llvm.store %v, %p : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
