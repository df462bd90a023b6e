// dialects/ocl/DeadCycles
// RUN: kiln-opt %s --canonicalize | FileCheck %s

// A loop that becomes unreachable while the canonicalizer runs. When its two blocks are merged, the counter is defined by
// itself (`%i = %i + 0`), which would fold for ever.
// CHECK-LABEL: @unreachable_loop
// CHECK-NOT: cf.
// CHECK: return
func.func @unreachable_loop(%n: i64) -> i64 {
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

// A reachable loop stays.
// CHECK-LABEL: @reachable_loop
// CHECK: cf.cond_br
func.func @reachable_loop(%x: i32, %n: i32) -> i32 {
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
