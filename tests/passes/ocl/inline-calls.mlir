// RUN: kiln-opt %s --split-input-file --verify-diagnostics --ocl-inline-calls | FileCheck %s

// A callee's private variable moves to the caller's entry block: in the loop it would grow the stack in each iteration.
// CHECK-LABEL: func.func @variable_of_a_callee_in_a_loop
// CHECK: llvm.alloca
// CHECK: cf.br
// CHECK-NOT: llvm.alloca
// CHECK-NOT: call @callee
func.func private @callee(%x: i32) -> i32 {
  %one = arith.constant 1 : i32
  %p = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  llvm.store volatile %x, %p : i32, !llvm.ptr
  %y = llvm.load volatile %p : !llvm.ptr -> i32
  return %y : i32
}
func.func @variable_of_a_callee_in_a_loop(%n: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  cf.br ^loop(%zero : i32)
^loop(%i: i32):
  %j = func.call @callee(%i) : (i32) -> i32
  %more = arith.cmpi slt, %j, %n : i32
  cf.cond_br %more, ^loop(%j : i32), ^exit
^exit:
  return
}

// -----

// A graph of several blocks cannot be inlined into a region of one block, so this call stays.
// CHECK-LABEL: func.func @graph_in_a_region
// CHECK: call @graph
func.func private @graph(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  return
^b:
  return
}
func.func @graph_in_a_region(%c: i1) attributes {ocl.kernel} {
  scf.if %c {
    func.call @graph(%c) : (i1) -> ()
  }
  return
}

// -----

// expected-error @+1 {{function 'again' calls itself, which OpenCL does not allow}}
func.func private @again() {
  func.call @again() : () -> ()
  return
}
func.func @recursive() attributes {ocl.kernel} {
  func.call @again() : () -> ()
  return
}

// -----

// Library code that handles many cases stays a function until its first argument is constant.
// CHECK-LABEL: func.func @shares
// CHECK: %[[A:.*]] = call @decode(%arg0, %{{.*}})
// CHECK: %[[B:.*]] = arith.addi %{{.*}}, %arg1
// CHECK: return %[[A]], %[[B]]
func.func private @decode(%format: i32, %x: i32) -> i32 attributes {ocl.inline_if_constant} {
  %r = arith.addi %format, %x : i32
  return %r : i32
}
func.func @shares(%format: i32, %x: i32) -> (i32, i32) attributes {ocl.kernel} {
  %c = arith.constant 7 : i32
  %a = call @decode(%format, %c) : (i32, i32) -> i32
  %b = call @decode(%c, %x) : (i32, i32) -> i32
  return %a, %b : i32, i32
}
