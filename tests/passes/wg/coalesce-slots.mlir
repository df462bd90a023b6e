// RUN: kiln-opt %s --wg-coalesce-slots | FileCheck %s

// A sum that a loop around regions carries: three slots become one, and the region with the copies is empty.
// CHECK-LABEL: func.func @sum
// CHECK: %[[SUM:.*]] = wg.slot : <f32>
// CHECK-NOT: wg.slot
// CHECK: wg.store %{{.*}}, %[[SUM]]
// CHECK: scf.while
// CHECK: wg.parallel
// CHECK: %[[X:.*]] = wg.load %[[SUM]]
// CHECK: %[[Y:.*]] = arith.addf %[[X]], %arg0
// CHECK: wg.store %[[Y]], %[[SUM]]
// CHECK-NOT: wg.parallel
// CHECK: } do {
// CHECK-NOT: wg.parallel
// CHECK: scf.yield
// CHECK: wg.parallel
// CHECK: wg.load %[[SUM]]
func.func @sum(%a: f32, %c: i1, %p: !llvm.ptr<1>) {
  %first = wg.slot : <f32>
  %next = wg.slot : <f32>
  %last = wg.slot : <f32>
  wg.parallel {
    wg.store %a, %first : <f32>
    wg.yield
  }
  scf.while : () -> () {
    wg.parallel {
      %x = wg.load %first : <f32>
      %y = arith.addf %x, %a : f32
      wg.store %y, %next : <f32>
      wg.yield
    }
    wg.parallel {
      %x = wg.load %next : <f32>
      wg.store %x, %last : <f32>
      wg.yield
    }
    scf.condition(%c)
  } do {
    wg.parallel {
      %x = wg.load %last : <f32>
      wg.store %x, %first : <f32>
      wg.yield
    }
    scf.yield
  }
  wg.parallel {
    %x = wg.load %last : <f32>
    llvm.store %x, %p : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// The old value is used after the next one is stored.
// CHECK-LABEL: func.func @both_live
// CHECK-COUNT-2: wg.slot
// CHECK: scf.while
func.func @both_live(%a: f32, %c: i1, %p: !llvm.ptr<1>) {
  %first = wg.slot : <f32>
  %next = wg.slot : <f32>
  wg.parallel {
    wg.store %a, %first : <f32>
    wg.yield
  }
  scf.while : () -> () {
    wg.parallel {
      %x = wg.load %first : <f32>
      %y = arith.addf %x, %a : f32
      wg.store %y, %next : <f32>
      wg.yield
    }
    wg.parallel {
      %x = wg.load %first : <f32>
      llvm.store %x, %p : f32, !llvm.ptr<1>
      %y = wg.load %next : <f32>
      wg.store %y, %first : <f32>
      wg.yield
    }
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}

// A copy under a mask: other work-items keep the first value, which is used later. The two are equal where both are
// stored, but not where only `next` is.
// CHECK-LABEL: func.func @masked
// CHECK-COUNT-3: wg.slot
// CHECK: wg.parallel
func.func @masked(%a: f32, %b: f32, %p: !llvm.ptr<1>) {
  %mask = wg.slot : <i1>
  %first = wg.slot : <f32>
  %next = wg.slot : <f32>
  wg.parallel {
    wg.store %a, %first : <f32>
    wg.store %b, %next : <f32>
    wg.yield
  }
  wg.parallel mask %mask : !wg.slot<i1> {
    %x = wg.load %next : <f32>
    wg.store %x, %first : <f32>
    wg.yield
  }
  wg.parallel {
    %x = wg.load %first : <f32>
    llvm.store %x, %p : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Two values that the loop exchanges need two slots.
// CHECK-LABEL: func.func @exchanged
// CHECK-COUNT-2: wg.slot
// CHECK: scf.while
func.func @exchanged(%a: f32, %b: f32, %c: i1, %p: !llvm.ptr<1>) {
  %first = wg.slot : <f32>
  %second = wg.slot : <f32>
  wg.parallel {
    wg.store %a, %first : <f32>
    wg.store %b, %second : <f32>
    wg.yield
  }
  scf.while : () -> () {
    wg.parallel {
      %x = wg.load %first : <f32>
      %y = wg.load %second : <f32>
      llvm.store %x, %p : f32, !llvm.ptr<1>
      wg.store %y, %first : <f32>
      wg.store %x, %second : <f32>
      wg.yield
    }
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}
