// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 | FileCheck %s
// RUN: kiln-opt %s %cpu_8 --ocl-set-target=local-size=64,1,1 --wg-vectorize=max-interleave=1 | FileCheck %s --check-prefix=SIZED
// RUN: kiln-opt %s %cpu_8 --wg-vectorize=machine-width=1 | FileCheck %s --check-prefix=NONE
// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 --convert-scf-to-cf --wg-lower-parallel | FileCheck %s --check-prefix=LOOPS

// NONE-NOT: lanes

// Consecutive memory is one access, uniform values stay scalar, and lane 0's address is the only one computed.
// CHECK-LABEL: func.func @scale
// CHECK: lanes 8 {
// CHECK: %[[K:.*]] = vector.broadcast %arg1 : f32 to vector<8xf32>
// CHECK: %[[G:.*]] = ocl.query global_id
// CHECK: %[[P:.*]] = llvm.getelementptr %arg0[%[[G]]]
// CHECK: %[[V:.*]] = llvm.load %[[P]] {alignment = 4 : i64} : !llvm.ptr<1> -> vector<8xf32>
// CHECK: %[[W:.*]] = arith.mulf %[[V]], %[[K]] : vector<8xf32>
// CHECK: llvm.store %[[W]], %[[P]] {alignment = 4 : i64} : vector<8xf32>
// A loop over whole vectors, then one over the tail.
// LOOPS-LABEL: llvm.func @scale.group
// LOOPS: %[[MASK:.*]] = arith.constant -8 : i64
// LOOPS: arith.andi %{{.*}}, %[[MASK]] : i64
// LOOPS: llvm.load {{.*}} -> vector<8xf32>
// LOOPS: llvm.load {{.*}} -> f32
func.func @scale(%a: !llvm.ptr<1>, %k: f32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %w = arith.mulf %v, %k : f32
    llvm.store %w, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// `if (i < n)` with an int: if ids fit 31 bits, the first and the last lane decide. All lanes pass: no mask. Some: the
// scalar body runs them. None: the row ends.
// CHECK-LABEL: func.func @guarded
// CHECK: lanes 8 ids_fit_i32 {
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[I:.*]], %arg1 : i32
// CHECK: %[[LAST:.*]] = arith.addi %[[I]], %{{.*}} : i32
// CHECK: %[[ALL:.*]] = arith.cmpi slt, %[[LAST]], %arg1 : i32
// CHECK: %[[PROGRESS:.*]]:2 = scf.if %[[ALL]] -> (i1, i1) {
// CHECK: llvm.store {{.*}} : vector<8xf32>
// CHECK: } else {
// CHECK: scf.yield %false, %[[MORE]]
// CHECK: wg.yield done %[[PROGRESS]]#0 more %[[PROGRESS]]#1
func.func @guarded(%a: !llvm.ptr<1>, %n: i32, %k: f32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %i = arith.trunci %g : i64 to i32
    %out = arith.cmpi sge, %i, %n : i32
    cf.cond_br %out, ^end, ^body
  ^body:
    %x = arith.extsi %i : i32 to i64
    %p = llvm.getelementptr %a[%x] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %k, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    cf.br ^end
  ^end:
    wg.yield
  }
  return
}

// An unsigned index may wrap around between two lanes: one comparison checks this, and a vector that fails it runs in
// the scalar body.
// CHECK-LABEL: func.func @wraps
// CHECK: lanes 8
// CHECK: %[[I:.*]] = arith.addi %{{.*}}, %arg1 : i32
// CHECK: %[[OK:.*]] = arith.cmpi ule, %[[I]], %c-8_i32 : i32
// CHECK: scf.if %[[OK]] -> (i1, i1)
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: } else {
// CHECK-NEXT: %[[NO:.*]] = arith.constant false
// CHECK-NEXT: %[[MAYBE:.*]] = arith.constant true
// CHECK-NEXT: scf.yield %[[NO]], %[[MAYBE]]
func.func @wraps(%a: !llvm.ptr<1>, %offset: i32, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %t = arith.trunci %g : i64 to i32
    %i = arith.addi %t, %offset : i32
    %x = arith.extui %i : i32 to i64
    %p = llvm.getelementptr %a[%x] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// After a store the vector cannot fall back: each lane computes its own address.
// CHECK-LABEL: func.func @wraps_later
// CHECK: llvm.store {{.*}} vector<8xi32>
// CHECK: scf.if %{{.*}} -> (vector<8xf32>)
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: } else {
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> f32
func.func @wraps_later(%a: !llvm.ptr<1>, %offset: i32, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %offset, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    %t = arith.trunci %g : i64 to i32
    %i = arith.addi %t, %offset : i32
    %x = arith.extui %i : i32 to i64
    %p = llvm.getelementptr %a[%x] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    llvm.store %v, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// The column of a work-item: memory is consecutive as long as the vector lies in one row.
// CHECK-LABEL: func.func @tiles
// CHECK: %[[I:.*]] = ocl.query global_id
// CHECK: %[[REST:.*]] = arith.remui %[[I]], %arg1
// CHECK: %[[ROOM:.*]] = arith.subi %arg1, %{{.*}} : i64
// CHECK: %[[FITS:.*]] = arith.cmpi ugt, %arg1
// CHECK: %[[IN_TILE:.*]] = arith.cmpi ult, %[[REST]], %[[ROOM]]
// CHECK: %[[OK:.*]] = arith.andi
// CHECK: scf.if %[[OK]] -> (i1, i1)
// CHECK: %[[P:.*]] = llvm.getelementptr %arg0[%[[REST]]]
// CHECK: llvm.load %[[P]] {{.*}} -> vector<8xf32>
func.func @tiles(%a: !llvm.ptr<1>, %width: i64, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %column = arith.remui %g, %width : i64
    %p = llvm.getelementptr %a[%column] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Lanes leave a loop in different iterations; it runs while one is active, and a result is the value from the lane's
// last iteration.
// CHECK-LABEL: func.func @diverges
// CHECK: scf.while
// CHECK: %[[LIVE:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<{{8|16}}xi1>, vector<{{8|16}}xi1>
// CHECK: llvm.bitcast %[[LIVE]]
// CHECK: scf.condition
func.func @diverges(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2.0 : f32
  %limit = arith.constant 100.0 : f32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    cf.br ^loop(%v : f32)
  ^loop(%x: f32):
    %y = arith.mulf %x, %two : f32
    %c = arith.cmpf olt, %y, %limit : f32
    cf.cond_br %c, ^loop(%y : f32), ^end
  ^end:
    llvm.store %y, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A spin lock: the lane that holds it would wait for lanes that spin.
// CHECK-LABEL: func.func @lock
// CHECK-NOT: lanes
// CHECK: wg.not_vectorized = "a loop may wait for another work-item"
func.func @lock(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    cf.br ^loop
  ^loop:
    %old = ocl.atomic_cmpxchg %a, %zero, %one acquire relaxed device : !llvm.ptr<1>, i32
    %c = arith.cmpi eq, %old, %one : i32
    cf.cond_br %c, ^loop, ^end
  ^end:
    ocl.atomic_store %zero, %a release device : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A private array is laid out with the lanes' copies of an element side by side.
// CHECK-LABEL: func.func @array
// CHECK: lanes 8
// CHECK: llvm.alloca %{{.*}} x f32 {alignment = 64 : i64, wg.lane_stride = 4 : i64}
// CHECK: llvm.store {{.*}} : vector<8xf32>
func.func @array(%a: !llvm.ptr<1>, %at: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %t = llvm.alloca %one x !llvm.array<4 x f32> : (i32) -> !llvm.ptr
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %s = arith.mulf %v, %v : f32
    %e = llvm.getelementptr %t[0, %at] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
    llvm.store %s, %e {alignment = 4 : i64} : f32, !llvm.ptr
    %f = llvm.getelementptr %t[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<4 x f32>
    %w = llvm.load %f {alignment = 4 : i64} : !llvm.ptr -> f32
    llvm.store %w, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Atomics have no vector form: they are scalarized.
// CHECK-LABEL: func.func @count
// CHECK: lanes 8
// CHECK-COUNT-8: ocl.atomic_rmw add
func.func @count(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %k: f32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %s = ocl.math sin (%v) : (f32) -> f32
    %t = ocl.math sin (%s) : (f32) -> f32
    llvm.store %t, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    %old = ocl.atomic_rmw add %b, %one relaxed device : !llvm.ptr<1>, i32
    wg.yield
  }
  return
}

// Short vectors are SoA in registers: extracting a component emits no code.
// CHECK-LABEL: func.func @float4
// CHECK: llvm.load {{.*}} -> vector<32xf32>
// CHECK-COUNT-4: llvm.shufflevector {{.*}} : vector<32xf32>
// CHECK: arith.addf {{.*}} : vector<8xf32>
// SIZED-LABEL: func.func @float4
// SIZED: lanes 8 {
func.func @float4(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xf32>
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %x = vector.extract %v[0] : f32 from vector<4xf32>
    %y = vector.extract %v[1] : f32 from vector<4xf32>
    %s = arith.addf %x, %y : f32
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %s, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A component index that varies by lane: selects in all lanes at once.
// CHECK-LABEL: func.func @component
// CHECK: lanes 8
// CHECK: %[[ODD:.*]] = arith.cmpi ne, %{{.*}} : vector<8xi32>
// CHECK: arith.select %[[ODD]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf32>
// CHECK: arith.select %[[ODD]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf32>
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf32>
func.func @component(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xf32>
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %w = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %at = arith.minui %w, %three : i32
    %number = arith.index_castui %at : i32 to index
    %x = vector.extract %v[%number] : f32 from vector<4xf32>
    llvm.store %x, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// An array of short vectors is laid out component by component if all lanes access the same element: no shuffle.
// CHECK-LABEL: func.func @array_of_vectors
// CHECK: lanes 8
// CHECK: llvm.alloca %{{.*}} x f32 {alignment = 64 : i64, wg.lane_stride = 4 : i64}
// CHECK: %[[X:.*]] = arith.mulf {{.*}} : vector<8xf32>
// CHECK: %[[Y:.*]] = arith.mulf {{.*}} : vector<8xf32>
// CHECK-NOT: shuffle
// CHECK: llvm.store %[[X]], {{.*}} : vector<8xf32>
// CHECK: getelementptr %{{.*}}[8]
// CHECK: llvm.store %[[Y]], {{.*}} : vector<8xf32>
// CHECK: llvm.load {{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK: llvm.load {{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK-NOT: shuffle
// CHECK: arith.addf {{.*}} : vector<8xf32>
func.func @array_of_vectors(%a: !llvm.ptr<1>, %at: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %t = llvm.alloca %one x !llvm.array<4 x vector<2xf32>> : (i32) -> !llvm.ptr
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %w = arith.addf %v, %v : f32
    %both = vector.from_elements %v, %w : vector<2xf32>
    %s = arith.mulf %both, %both : vector<2xf32>
    %e = llvm.getelementptr %t[0, %at] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x vector<2xf32>>
    llvm.store %s, %e {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr
    %f = llvm.getelementptr %t[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<4 x vector<2xf32>>
    %read = llvm.load %f {alignment = 8 : i64} : !llvm.ptr -> vector<2xf32>
    %x = vector.extract %read[0] : f32 from vector<2xf32>
    %y = vector.extract %read[1] : f32 from vector<2xf32>
    %sum = arith.addf %x, %y : f32
    llvm.store %sum, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Lanes that access different elements each have a whole one at one address.
// CHECK-LABEL: func.func @table_of_vectors
// CHECK: lanes 8
// CHECK: llvm.alloca %{{.*}} x vector<2xf32> {alignment = 64 : i64, wg.lane_stride = 8 : i64}
func.func @table_of_vectors(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %t = llvm.alloca %one x !llvm.array<4 x vector<2xf32>> : (i32) -> !llvm.ptr
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %both = vector.from_elements %v, %v : vector<2xf32>
    %s = arith.mulf %both, %both : vector<2xf32>
    %i = arith.fptoui %v : f32 to i64
    %e = llvm.getelementptr %t[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x vector<2xf32>>
    llvm.store %s, %e {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr
    %f = llvm.getelementptr %t[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<4 x vector<2xf32>>
    %read = llvm.load %f {alignment = 8 : i64} : !llvm.ptr -> vector<2xf32>
    %x = vector.extract %read[0] : f32 from vector<2xf32>
    llvm.store %x, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// The private variables of eight work-items must fit in caches.
// CHECK-LABEL: func.func @large
// CHECK-NOT: lanes
// CHECK: wg.not_vectorized = "the private variables of one vector need more than 256 KiB"
func.func @large(%a: !llvm.ptr<1>, %at: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %t = llvm.alloca %one x !llvm.array<10000 x f32> : (i32) -> !llvm.ptr
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %s = arith.mulf %v, %v : f32
    %e = llvm.getelementptr %t[0, %at] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<10000 x f32>
    llvm.store %s, %e {alignment = 4 : i64} : f32, !llvm.ptr
    wg.yield
  }
  return
}

// The kernel's own vectors fill a vector register.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: lanes
// CHECK: wg.not_vectorized = "not profitable: the kernel's own vectors fill a vector register"
func.func @wide(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<8xi64>
    %v = llvm.load %p {alignment = 64 : i64} : !llvm.ptr<1> -> vector<8xi64>
    %e = vector.extract %v[0] : i64 from vector<8xi64>
    %w = vector.insert %e, %v[1] : i64 into vector<8xi64>
    llvm.store %w, %p {alignment = 64 : i64} : vector<8xi64>, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A uniform store is done once per vector.
// CHECK-LABEL: func.func @uniform_store
// CHECK: lanes 8
// CHECK: llvm.store %arg1, %arg0 {{.*}} : i32
// CHECK-NOT: llvm.store
// CHECK: return
func.func @uniform_store(%a: !llvm.ptr<1>, %n: i32) attributes {ocl.kernel} {
  wg.parallel {
    llvm.store %n, %a {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A byte that rises by 40 wraps around before the eighth lane, and the last lane may still be above the first: the
// condition is evaluated in all lanes.
// CHECK-LABEL: func.func @wraps_before_last_lane
// CHECK: lanes 8
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : vector<8xi8>
// CHECK-NOT: arith.cmpi ule
// CHECK: return
func.func @wraps_before_last_lane(%a: !llvm.ptr<1>, %n: i8) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %forty = arith.constant 40 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %w = arith.mulf %v, %v : f32
    llvm.store %w, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    %far = arith.muli %g, %forty : i64
    %byte = arith.trunci %far : i64 to i8
    %c = arith.cmpi ult, %byte, %n : i8
    scf.if %c {
      %x = arith.mulf %w, %w : f32
      llvm.store %x, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    }
    wg.yield
  }
  return
}

// A guard with two bounds: vectors that straddle one are masked. With one bound they run in the scalar body.
// CHECK-LABEL: func.func @two_bounds
// CHECK: lanes 8
// CHECK: %[[DONE:.*]]:2 = scf.if
// CHECK: llvm.store {{.*}} vector<8xf32>
// CHECK: %[[NOT:.*]] = arith.xori %[[DONE]]#0
// CHECK: arith.andi %[[NOT]], %[[DONE]]#1
// CHECK: llvm.intr.masked.store
// CHECK: wg.yield
// CHECK-LABEL: func.func @one_bound
// CHECK: lanes 8
// CHECK-NOT: masked.store
// CHECK: return
func.func @two_bounds(%a: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %above = arith.cmpi uge, %g, %one : i64
    scf.if %above {
      %below = arith.cmpi ult, %g, %n : i64
      scf.if %below {
        %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
        %w = arith.mulf %v, %v : f32
        llvm.store %w, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
      }
    }
    wg.yield
  }
  return
}
func.func @one_bound(%a: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %below = arith.cmpi ult, %g, %n : i64
    scf.if %below {
      %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %w = arith.mulf %v, %v : f32
      llvm.store %w, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    }
    wg.yield
  }
  return
}

// A branch that tested the divisor: lanes that it left out divide by 1.
// CHECK-LABEL: func.func @divided
// CHECK: lanes 8
// CHECK: %[[ONE:.*]] = arith.constant dense<1> : vector<8xi32>
// CHECK: %[[D:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ONE]] : vector<8xi1>, vector<8xi32>
// CHECK: arith.divsi %{{.*}}, %[[D]] : vector<8xi32>
// CHECK: arith.remui %{{.*}}, %{{.*}} : vector<8xi32>
func.func @divided(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %k: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %d = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %n = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %not = arith.cmpi eq, %d, %zero : i32
    %v = scf.if %not -> (i32) {
      scf.yield %zero : i32
    } else {
      %w = arith.divsi %n, %d : i32
      %r = arith.remui %w, %seven : i32
      scf.yield %r : i32
    }
    llvm.store %v, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}
