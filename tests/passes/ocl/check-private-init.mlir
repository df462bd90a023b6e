// RUN: kiln-opt %s --ocl-check-private-init | FileCheck %s

// Each byte has a flag, which stores set and loads compare.
// CHECK-LABEL: func.func @array
// CHECK: %[[FLAGS:.*]] = llvm.alloca %{{.*}} x !llvm.array<8 x i8>
// CHECK: %[[X:.*]] = llvm.alloca %{{.*}} x !llvm.array<2 x i32>
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64, ocl.trusted} : i64
// CHECK: %[[SET:.*]] = llvm.getelementptr %[[FLAGS]]
// CHECK: llvm.store %{{.*}}, %[[SET]] {{.*}} : i32
// CHECK: llvm.store %{{.*}}, %[[X]]
// CHECK: %[[GET:.*]] = llvm.getelementptr %[[FLAGS]]
// CHECK: %[[IS:.*]] = llvm.load %[[GET]] {{.*}} -> i32
// CHECK: %[[MISSING:.*]] = arith.cmpi ne, %[[IS]]
// CHECK: scf.if %[[MISSING]] {
// CHECK:   ocl.check_launch
// CHECK:   llvm.call
// CHECK: }
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i32
func.func @array(%i: i64, %v: i32) attributes {ocl.kernel, ocl.tracked} {
  %one = arith.constant 1 : i32
  %x = llvm.alloca %one x !llvm.array<2 x i32> : (i32) -> !llvm.ptr
  llvm.store %v, %x : i32, !llvm.ptr
  %p = llvm.getelementptr %x[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x i32>
  %w = llvm.load %p : !llvm.ptr -> i32
  return
}

// The address is stored, so there may be other accesses.
// CHECK-LABEL: func.func @escapes
// CHECK-NOT: !llvm.array<8 x i8>
// CHECK: return
func.func @escapes(%q: !llvm.ptr<1>) attributes {ocl.kernel, ocl.tracked} {
  %one = arith.constant 1 : i32
  %x = llvm.alloca %one x !llvm.array<2 x i32> : (i32) -> !llvm.ptr
  llvm.store %x, %q : !llvm.ptr, !llvm.ptr<1>
  %w = llvm.load %x : !llvm.ptr -> i32
  return
}

// Only a copy: the gaps of a struct have no value.
// CHECK-LABEL: func.func @copied
// CHECK-NOT: scf.if
// CHECK: return
func.func @copied(%q: !llvm.ptr<1>, %v: i8) attributes {ocl.kernel, ocl.tracked} {
  %one = arith.constant 1 : i32
  %x = llvm.alloca %one x !llvm.struct<(i8, i32)> : (i32) -> !llvm.ptr
  llvm.store %v, %x : i8, !llvm.ptr
  "llvm.intr.memcpy.inline"(%q, %x) <{isVolatile = false, len = 8 : i64}> : (!llvm.ptr<1>, !llvm.ptr) -> ()
  return
}

// A variable of the device library.
// CHECK-LABEL: func.func @of_library
// CHECK-NOT: scf.if
// CHECK: return
func.func @of_library() attributes {ocl.kernel, ocl.tracked} {
  %one = arith.constant 1 : i32
  %x = llvm.alloca %one x !llvm.array<2 x i32> {ocl.trusted} : (i32) -> !llvm.ptr
  %w = llvm.load %x {ocl.trusted} : !llvm.ptr -> i32
  return
}

// Components that stay where they are: only the last load is checked.
// CHECK-LABEL: func.func @components
// CHECK-NOT: scf.if
// CHECK: vector.shuffle
// CHECK: scf.if
// CHECK-NOT: scf.if
// CHECK: return
func.func @components(%v: f32, %pair: vector<2xf32>) attributes {ocl.kernel, ocl.tracked} {
  %one = arith.constant 1 : i32
  %x = llvm.alloca %one x vector<4xf32> : (i32) -> !llvm.ptr
  %a = llvm.load %x : !llvm.ptr -> vector<4xf32>
  %b = vector.insert %v, %a [0] : f32 into vector<4xf32>
  llvm.store %b, %x : vector<4xf32>, !llvm.ptr
  %wide = vector.shuffle %pair, %pair [0, 1, -1, -1] : vector<2xf32>, vector<2xf32>
  %c = vector.shuffle %b, %wide [0, 5, 4, 3] : vector<4xf32>, vector<4xf32>
  llvm.store %c, %x : vector<4xf32>, !llvm.ptr
  %d = llvm.load %x : !llvm.ptr -> vector<4xf32>
  %e = vector.shuffle %d, %d [1, 0, 2, 3] : vector<4xf32>, vector<4xf32>
  llvm.store %e, %x : vector<4xf32>, !llvm.ptr
  return
}
