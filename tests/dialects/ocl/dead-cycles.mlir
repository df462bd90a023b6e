// dialects/ocl/DeadCycles
// RUN: kiln-opt %s --canonicalize | FileCheck %s

// A loop that nobody enters, as is found only while the canonicalizer runs: once its two blocks are one, the counter is
// made from itself, and becomes the counter and nothing, which folds to itself, and does so again.
// CHECK-LABEL: @nobody_enters
// CHECK-NOT: cf.
// CHECK: return
func.func @nobody_enters(%n: i64) -> i64 {
  %false = arith.constant false
  %c0 = arith.constant 0 : i32
  %x = ocl.query global_id[%c0] : i64
  cf.cond_br %false, ^head(%x : i64), ^exit
^body:
  %next = arith.addi %i, %step : i64
  cf.br ^head(%next : i64)
^head(%i: i64):
  %step = arith.subi %n, %n : i64
  %goes = arith.cmpi slt, %i, %n : i64
  cf.cond_br %goes, ^body, ^exit
^exit:
  return %x : i64
}

// One that somebody enters stays.
// CHECK-LABEL: @somebody_enters
// CHECK: cf.cond_br
func.func @somebody_enters(%x: i32, %n: i32) -> i32 {
  cf.br ^head(%x : i32)
^body:
  %next = arith.addi %i, %n : i32
  cf.br ^head(%next : i32)
^head(%i: i32):
  %goes = arith.cmpi slt, %i, %n : i32
  cf.cond_br %goes, ^body, ^exit
^exit:
  return %i : i32
}
