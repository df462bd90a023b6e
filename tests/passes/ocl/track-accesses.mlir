// RUN: kiln-opt %s --ocl-track-accesses --split-input-file | FileCheck %s

// Accesses of memory that work-items share are noted first. The granule is that of the smallest one
// in global or in local memory.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: ocl.tracked
// CHECK: %[[P:.*]] = llvm.getelementptr %arg0
// CHECK: %[[I:.*]] = ocl.linear_query local_linear_id
// CHECK: ocl.track_access read %[[P]] bytes %{{.*}} step %{{.*}} lanes %{{.*}} item %[[I]] "from" argument 0 granule 2 : <1>
// CHECK-NEXT: llvm.load %[[P]]
// CHECK: ocl.track_access write %arg1 {{.*}} "" argument 1 granule 1 : <3>
// CHECK-NEXT: llvm.store
// Releases, acquires, and is of the device.
// CHECK: ocl.track_access atomic %arg0 {{.*}} sync 7 : <1>
// CHECK-NEXT: ocl.atomic_rmw
// Releases local memory.
// CHECK: ocl.track_access atomic %{{.*}} sync 33
// CHECK-NEXT: ocl.fence
// CHECK-NOT: ocl.track_access
func.func @shared(%a: !llvm.ptr<1> {ocl.name = "from"}, %l: !llvm.ptr<3>, %c: !llvm.ptr<2>, %i: i64, %v: i16,
                  %w: vector<4xf32>) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  llvm.store %v, %l : i16, !llvm.ptr<3>
  %old = ocl.atomic_rmw add %a, %one acq_rel device : !llvm.ptr<1>, i32
  ocl.fence release work_group local
  %y = llvm.load %c : !llvm.ptr<2> -> f32
  %own = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  llvm.store %x, %own : f32, !llvm.ptr
  llvm.store %x, %a {ocl.trusted} : f32, !llvm.ptr<1>
  return
}

// -----

// A vector is made of its components, a struct of what its alignment says.
// CHECK-LABEL: func.func @composed
// CHECK: ocl.track_access write {{.*}} granule 2
// CHECK: ocl.track_access read {{.*}} granule 2
func.func @composed(%a: !llvm.ptr<1>, %w: vector<4xf32>) attributes {ocl.kernel} {
  llvm.store %w, %a : vector<4xf32>, !llvm.ptr<1>
  %s = llvm.load %a : !llvm.ptr<1> -> !llvm.struct<(f32, i8)>
  return
}

// -----

// A function may contain a fence.
// CHECK-LABEL: func.func @calls
// CHECK-NOT: ocl.track
func.func private @other()
func.func @calls(%a: !llvm.ptr<1>, %v: i16) attributes {ocl.kernel} {
  func.call @other() : () -> ()
  llvm.store %v, %a : i16, !llvm.ptr<1>
  return
}

// A generic pointer may point to private memory, which is not tracked.
// CHECK-LABEL: func.func @generic
// CHECK: ocl.track_access write %arg0
// CHECK: %[[LOCAL:.*]] = ocl.is_addrspace local %arg1
// CHECK-NEXT: scf.if %[[LOCAL]] {
// CHECK-NEXT: %[[TILE:.*]] = llvm.addrspacecast %arg1 : !llvm.ptr<4> to !llvm.ptr<3>
// CHECK: ocl.track_access write %[[TILE]] {{.*}} granule 1
// CHECK: } else {
// CHECK-NEXT: %[[GLOBAL:.*]] = ocl.is_addrspace global %arg1
// CHECK-NEXT: scf.if %[[GLOBAL]] {
// CHECK-NEXT: %[[BUFFER:.*]] = llvm.addrspacecast %arg1 : !llvm.ptr<4> to !llvm.ptr<1>
// CHECK: ocl.track_access write %[[BUFFER]] {{.*}} granule 1
func.func @generic(%a: !llvm.ptr<1>, %g: !llvm.ptr<4>, %v: i16) attributes {ocl.kernel} {
  llvm.store %v, %a : i16, !llvm.ptr<1>
  llvm.store %v, %g : i16, !llvm.ptr<4>
  return
}
