// A condition on bytes that are counted up along a row: that it does not hold for the last lane of one vector says nothing
// about the vectors behind it, where the byte may have wrapped to zero, or the quotient grown (EndLaneConditions).
// FEATURES: EXEC-3.2.2b

// RUN: kiln-run %s tail --global=14,5 --local=7,5 out:u32[8] in:u32[8]=iota u32=14 u8=64 | FileCheck %s --check-prefix=TAIL
// RUN: env KILN_CPU_MACHINE_WIDTH=4 kiln-run %s tail --global=14,5 --local=7,5 out:u32[8] in:u32[8]=iota u32=14 u8=64 | FileCheck %s --check-prefix=TAIL
// RUN: env KILN_CPU_MACHINE_WIDTH=8 kiln-run %s tail --global=14,5 --local=7,5 out:u32[8] in:u32[8]=iota u32=14 u8=64 | FileCheck %s --check-prefix=TAIL
// RUN: env KILN_CHECK_ASSUMPTIONS=1 kiln-run %s tail --global=14,5 --local=7,5 out:u32[8] in:u32[8]=iota u32=14 u8=64 2>&1 | FileCheck %s --check-prefix=TAIL
// TAIL-NOT: assumption
// TAIL: argument 0: 1 1 1 1 1 1 0 0{{$}}
kernel void tail(global uint *to, global const uint *from, uint width, uchar period) {
  const uint x = get_global_id(0);
  const size_t y = get_global_id(1);
  const uchar cell = y * width + x, column = cell % period;
  const ulong row = cell / period;
  if (column < 63 && row > 0)
    to[column] = from[row];
}
