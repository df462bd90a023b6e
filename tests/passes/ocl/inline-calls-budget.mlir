// RUN: kiln-opt %s --verify-diagnostics --ocl-inline-calls=max-ops=20

// Each level calls the one below twice: the kernel's size would double with each level.
func.func private @a(%x: i32) -> i32 {
  %y = arith.muli %x, %x : i32
  return %y : i32
}
func.func private @b(%x: i32) -> i32 {
  %y = func.call @a(%x) : (i32) -> i32
  %z = func.call @a(%y) : (i32) -> i32
  return %z : i32
}
func.func @too_much(%x: i32) attributes {ocl.kernel} {
  %y = func.call @b(%x) : (i32) -> i32
  // expected-error @+1 {{operations after inlining, must be at most 20}}
  %z = func.call @b(%y) : (i32) -> i32
  return
}
