// RUN: kiln-opt --ocl-inline-calls %s | FileCheck %s

// References that passes/analysis/SymbolUses.cpp finds: in operations' properties, and in discardable attributes, also
// inside of arrays. ocl-inline-calls erases a function without any.
// CHECK: func.func private @called(
// CHECK: func.func private @listed(
// CHECK-NOT: @unused
func.func private @called(%x: i32) -> i32 attributes {ocl.inline_if_constant} { return %x : i32 }
func.func private @listed() attributes {ocl.inline_if_constant} { return }
func.func private @unused() attributes {ocl.inline_if_constant} { return }
func.func @k(%x: i32) -> i32 attributes {ocl.kernel, ocl.note = [@listed]} {
  %y = func.call @called(%x) : (i32) -> i32
  return %y : i32
}
