// RUN: kiln-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(func.func(ocl-promote-variables))' | FileCheck %s

// One store that dominates all loads, in any blocks.
// CHECK-LABEL: func.func @once
// CHECK-NOT: llvm.alloca
// CHECK: ^bb1:
// CHECK-NEXT: "use"(%arg0)
// CHECK: ^bb2:
// CHECK-NEXT: "use"(%arg0)
func.func @once(%x: f32, %c: i1) {
  %one = arith.constant 1 : i32
  %v = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  llvm.store %x, %v : f32, !llvm.ptr
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %a = llvm.load %v : !llvm.ptr -> f32
  "use"(%a) : (f32) -> ()
  cf.br ^bb2
^bb2:
  %b = llvm.load %v : !llvm.ptr -> f32
  "use"(%b) : (f32) -> ()
  return
}

// All accesses in one block: each load gets the last stored value. The values of one variable may come from another.
// CHECK-LABEL: func.func @block
// CHECK-NOT: llvm.alloca
// CHECK: %[[SUM:.*]] = arith.addf %arg0, %arg0
// CHECK-NEXT: "use"(%arg0, %[[SUM]])
// CHECK-NEXT: return
func.func @block(%x: f32) {
  %one = arith.constant 1 : i32
  %v = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  %w = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  llvm.store %x, %v : f32, !llvm.ptr
  %a = llvm.load %v : !llvm.ptr -> f32
  llvm.store %a, %w : f32, !llvm.ptr
  %sum = arith.addf %a, %a : f32
  llvm.store %sum, %v : f32, !llvm.ptr
  %b = llvm.load %w : !llvm.ptr -> f32
  %c = llvm.load %v : !llvm.ptr -> f32
  "use"(%b, %c) : (f32, f32) -> ()
  return
}

// Variables that are never loaded are erased.
// CHECK-LABEL: func.func @unread
// CHECK-NOT: llvm.store
// CHECK: return
func.func @unread(%x: f32, %y: f32) {
  %one = arith.constant 1 : i32
  %v = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  llvm.store %x, %v : f32, !llvm.ptr
  llvm.store %y, %v : f32, !llvm.ptr
  return
}

// Not promoted, but left to mem2reg: stored in a branch only; loaded in a loop before the store; loaded as another
// type; escaping.
// CHECK-LABEL: func.func @left
// CHECK-COUNT-4: llvm.alloca
// CHECK-COUNT-4: llvm.load
func.func @left(%x: f32, %c: i1) {
  %one = arith.constant 1 : i32
  %branch = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  %round = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  %bits = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  %seen = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  llvm.store %x, %branch : f32, !llvm.ptr
  cf.br ^bb2
^bb2:
  %b = llvm.load %branch : !llvm.ptr -> f32
  %r = llvm.load %round : !llvm.ptr -> f32
  llvm.store %b, %round : f32, !llvm.ptr
  llvm.store %x, %bits : f32, !llvm.ptr
  %i = llvm.load %bits : !llvm.ptr -> i32
  llvm.store %x, %seen : f32, !llvm.ptr
  "see"(%seen) : (!llvm.ptr) -> ()
  %s = llvm.load %seen : !llvm.ptr -> f32
  "use"(%b, %r, %i, %s) : (f32, f32, i32, f32) -> ()
  cf.cond_br %c, ^bb2, ^bb3
^bb3:
  return
}

// Volatile accesses stay, and so does a variable whose address is stored.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: llvm.alloca
// CHECK: llvm.load volatile
func.func @kept(%x: f32, %p: !llvm.ptr) {
  %one = arith.constant 1 : i32
  %v = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  %w = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.store volatile %x, %v : f32, !llvm.ptr
  %a = llvm.load volatile %v : !llvm.ptr -> f32
  llvm.store %w, %w : !llvm.ptr, !llvm.ptr
  "use"(%a) : (f32) -> ()
  return
}
