// %x * 8 becomes a shift, %x * 6 stays.
func.func @numbers(%x: i32) -> (i32, i32) {
  %c8 = arith.constant 8 : i32
  %c6 = arith.constant 6 : i32
  %a = arith.muli %x, %c8 : i32
  %b = arith.muli %x, %c6 : i32
  return %a, %b : i32, i32
}
