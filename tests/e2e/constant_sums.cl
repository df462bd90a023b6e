// Reassociation of constants: (i - 7) + c does not overflow, but the sum of both constants would.
// FEATURES: LANG-1.3.1

// RUN: kiln-run %s moved --global=16 --local=16 out:i64[16] | FileCheck %s
// CHECK: argument 0: 0 -2147483648 -2147483647 -2147483646 -2147483645 -2147483644 -2147483643 -2147483642 -2147483641 -2147483640 -2147483639 -2147483638 -2147483637 -2147483636 -2147483635 -2147483634{{$}}
kernel void moved(global long *out) {
  const int i = get_global_id(0), below = i - 7;
  if (below >= -6)
    out[i] = (long)(below + -2147483642);
}
