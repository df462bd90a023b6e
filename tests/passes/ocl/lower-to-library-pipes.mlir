// RUN: kiln-opt %s %cpu_8 --ocl-lower-to-library | FileCheck %s
// RUN: kiln-opt %s %cpu_8 --kiln-common | FileCheck %s --check-prefix=COMMON

// Operations become calls of functions, which are imported with their callees; a pointer to private memory is cast to
// generic.
// CHECK-LABEL: func.func @put
// CHECK: %[[X:.*]] = llvm.addrspacecast %arg1 : !llvm.ptr to !llvm.ptr<4>
// CHECK: call @ocl_write_pipe(%arg0, %[[X]], %{{.*}})
// COMMON-LABEL: func.func @put
// COMMON-NOT: ocl.write_pipe
// COMMON-NOT: call
// COMMON: ocl.atomic
func.func @put(%p: !llvm.ptr<1>, %x: !llvm.ptr) attributes {ocl.kernel} {
  %four = arith.constant 4 : i32
  %0 = ocl.write_pipe %p, %x, %four : (!llvm.ptr<1>, !llvm.ptr, i32) -> i32
  return
}

// A program's function of the same name is unchanged.
// CHECK-LABEL: func.func @taken
// CHECK: call @[[OWN:ocl_pipe_max_packets_[0-9]+]](%arg0)
func.func @taken(%p: !llvm.ptr<1>) -> i32 {
  %0 = ocl.pipe_max_packets %p : (!llvm.ptr<1>) -> i32
  return %0 : i32
}
// CHECK: func.func private @ocl_pipe_max_packets()
func.func private @ocl_pipe_max_packets()

// One work-item reserves, and all get the reservation.
// CHECK-LABEL: func.func @together
// CHECK: call @ocl_work_group_reserve_packets
// COMMON-LABEL: func.func @together
// COMMON: ocl.shuffle work_group
func.func @together(%p: !llvm.ptr<1>, %o: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %id = ocl.work_group_reserve_packets %p, %zero, %zero : (!llvm.ptr<1>, i32, i32) -> i64
  llvm.store %id, %o : i64, !llvm.ptr<1>
  return
}

// CHECK: func.func private @ocl_write_pipe(
