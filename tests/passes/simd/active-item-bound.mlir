// passes/simd/decide/InterleaveCount: work for the first N work-items of a row only gets a vector of that width, and no second
// one.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(ocl-set-target{target=cpu,machine_width=16,register_bits=512,vector_registers=16 local-size=64,1,1},wg-vectorize)' | FileCheck %s

// CHECK-LABEL: func.func @eight(
// CHECK: } lanes 8 {
// CHECK-LABEL: func.func @seventeen(
// CHECK: } lanes 16 {
// CHECK-LABEL: func.func @two(
// CHECK: } lanes 2 {
// CHECK-LABEL: func.func @two_and_others(
// CHECK: } lanes 32 {

func.func @eight(%p: !llvm.ptr<3>) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %limit = arith.constant 8 : i64
    %i = ocl.query local_id[%zero] : i64
    %is = arith.cmpi ult, %i, %limit : i64
    scf.if %is {
      %near = llvm.getelementptr inbounds %p[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %far = llvm.getelementptr inbounds %near[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      %x = llvm.load %near {alignment = 4 : i64} : !llvm.ptr<3> -> f32
      %y = llvm.load %far {alignment = 4 : i64} : !llvm.ptr<3> -> f32
      %sum = arith.addf %x, %y : f32
      llvm.store %sum, %near {alignment = 4 : i64} : f32, !llvm.ptr<3>
    }
    wg.yield
  }
  return
}

// The bound is found through casts and in one side of a conjunction.
func.func @seventeen(%p: !llvm.ptr<1>, %n: i32) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %limit = arith.constant 16 : i32
    %id = ocl.query local_id[%zero] : i64
    %i = arith.trunci %id : i64 to i32
    %first = arith.cmpi sle, %i, %limit : i32
    %below = arith.cmpi slt, %i, %n : i32
    %is = arith.andi %first, %below : i1
    scf.if %is {
      %q = llvm.getelementptr inbounds %p[%id] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      llvm.store %i, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    }
    wg.yield
  }
  return
}

// One work-item is a vector of two with a condition, which ends the row.
func.func @two(%p: !llvm.ptr<3>) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %limit = arith.constant 1 : i64
    %i = ocl.query local_id[%zero] : i64
    %is = arith.cmpi ult, %i, %limit : i64
    scf.if %is {
      %near = llvm.getelementptr inbounds %p[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %x = llvm.load %near {alignment = 4 : i64} : !llvm.ptr<3> -> f32
      %sum = arith.addf %x, %x : f32
      llvm.store %sum, %near {alignment = 4 : i64} : f32, !llvm.ptr<3>
    }
    wg.yield
  }
  return
}

// The other work-items store as well: no bound.
func.func @two_and_others(%p: !llvm.ptr<3>) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %limit = arith.constant 2 : i64
    %one = arith.constant 1.0 : f32
    %i = ocl.query local_id[%zero] : i64
    %is = arith.cmpi ult, %i, %limit : i64
    %near = llvm.getelementptr inbounds %p[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    scf.if %is {
      llvm.store %one, %near {alignment = 4 : i64} : f32, !llvm.ptr<3>
    } else {
      %far = llvm.getelementptr inbounds %near[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
      llvm.store %one, %far {alignment = 4 : i64} : f32, !llvm.ptr<3>
    }
    wg.yield
  }
  return
}
