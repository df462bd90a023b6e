// RUN: kiln-opt %s --split-input-file --verify-diagnostics --ocl-structurize-barriers=max-blocks=8 | FileCheck %s

// CHECK-LABEL: func.func @loop_around_a_barrier
// CHECK: scf.while
// CHECK: ocl.barrier
// CHECK-NOT: cf.cond_br
func.func @loop_around_a_barrier(%n: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^loop(%zero : i32)
^loop(%i: i32):
  ocl.barrier work_group local
  %j = arith.addi %i, %one : i32
  %more = arith.cmpi slt, %j, %n : i32
  cf.cond_br %more, ^loop(%j : i32), ^exit
^exit:
  return
}

// No barrier: the graph stays a graph.
// CHECK-LABEL: func.func @without_barrier
// CHECK: cf.cond_br
func.func @without_barrier(%c: i1) attributes {ocl.kernel} {
  cf.cond_br %c, ^a, ^b
^a:
  cf.br ^b
^b:
  return
}

// A switch around a barrier becomes a chain of conditions.
// CHECK-LABEL: func.func @switch
// CHECK: scf.if
// CHECK: ocl.barrier
// CHECK-NOT: scf.index_switch
func.func @switch(%x: i32) attributes {ocl.kernel} {
  cf.switch %x : i32, [default: ^exit, 0: ^a, 5: ^b]
^a:
  ocl.barrier work_group local
  cf.br ^exit
^b:
  ocl.barrier work_group global
  cf.br ^exit
^exit:
  return
}

// The barrier is in the callee: the caller's loop is structurized as well.
// CHECK-LABEL: func.func @barrier_in_a_callee
// CHECK: scf.while
func.func private @waits() {
  ocl.barrier work_group local
  return
}
func.func @barrier_in_a_callee(%c: i1) attributes {ocl.kernel} {
  cf.br ^loop
^loop:
  func.call @waits() : () -> ()
  cf.cond_br %c, ^loop, ^exit
^exit:
  return
}

// -----

// The cases of a switch without a barrier do not count as blocks.
// CHECK-LABEL: func.func @plain_switch
// CHECK: scf.index_switch
// CHECK-NOT: cf.switch
func.func @plain_switch(%x: i32) attributes {ocl.kernel} {
  cf.switch %x : i32, [default: ^exit, 0: ^c0, 1: ^c1, 2: ^c2, 3: ^c3, 4: ^c4, 5: ^c5, 6: ^c6, 7: ^c7, 8: ^c8]
^c0:
  cf.br ^exit
^c1:
  cf.br ^exit
^c2:
  cf.br ^exit
^c3:
  cf.br ^exit
^c4:
  cf.br ^exit
^c5:
  cf.br ^exit
^c6:
  cf.br ^exit
^c7:
  cf.br ^exit
^c8:
  cf.br ^exit
^exit:
  ocl.barrier work_group local
  return
}

// If one of them contains a barrier, all count: each would be a condition inside the previous one.
// CHECK-LABEL: func.func @waiting_switch
// CHECK: cf.switch
func.func @waiting_switch(%x: i32) attributes {ocl.kernel} {
  cf.switch %x : i32, [default: ^exit, 0: ^c0, 1: ^c1, 2: ^c2, 3: ^c3, 4: ^c4, 5: ^c5, 6: ^c6, 7: ^c7, 8: ^c8]
^c0:
  cf.br ^exit
^c1:
  cf.br ^exit
^c2:
  cf.br ^exit
^c3:
  cf.br ^exit
^c4:
  ocl.barrier work_group local
  cf.br ^exit
^c5:
  cf.br ^exit
^c6:
  cf.br ^exit
^c7:
  cf.br ^exit
^c8:
  cf.br ^exit
^exit:
  ocl.barrier work_group local
  return
}

// Too many blocks to structurize: it stays a graph, and so does its caller, into which it must be inlined.
// CHECK-LABEL: @large
// CHECK: cf.cond_br
// CHECK: ocl.barrier
// CHECK-LABEL: @calls_large
// CHECK: cf.cond_br
// CHECK: call @large
func.func private @large(%c: i1) {
  cf.br ^1
^1:
  cf.cond_br %c, ^2, ^3
^2:
  cf.br ^3
^3:
  cf.cond_br %c, ^4, ^5
^4:
  cf.br ^5
^5:
  cf.cond_br %c, ^6, ^7
^6:
  cf.br ^7
^7:
  ocl.barrier work_group local
  cf.br ^8
^8:
  return
}
func.func @calls_large(%c: i1) attributes {ocl.kernel} {
  cf.cond_br %c, ^1, ^2
^1:
  func.call @large(%c) : (i1) -> ()
  cf.br ^2
^2:
  return
}
