// No-wrap flags hold only for work-items that execute the operation, not for inactive lanes or for lanes that do not reach
// a condition.
// FEATURES: EXEC-3.2.2b
uint same(uint x) { return (uint)sqrt((float)(x * x)); }

// An 8-bit index with a large stride wraps around within a vector, beyond its first value.
// RUN: kiln-run %s index_wraps --global=16 --local=16 out:u32[256] | FileCheck %s --check-prefix=ROUND
// ROUND: argument 0: 0 {{((0 ){7})}}13 {{((0 ){15})}}7 {{((0 ){15})}}1 {{((0 ){7})}}14 {{((0 ){15})}}8 {{((0 ){15})}}2 {{((0 ){7})}}15 {{((0 ){15})}}9 {{((0 ){15})}}3 {{((0 ){23})}}10 {{((0 ){15})}}4 {{((0 ){23})}}11 {{((0 ){15})}}5 {{((0 ){23})}}12 {{((0 ){15})}}6 0
kernel void index_wraps(global uint *out) {
  uchar at = (uchar)(get_global_id(0) * 40);
  out[at] = same(get_global_id(0));
}

// Values that fit in an unsigned, but not in a signed 16-bit integer.
// RUN: kiln-run %s exceeds_short --global=4096 --local=4096 out:i32[8] | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: argument 0: 32740 32750 32760 -32766 -32756 -32746 -32736 -32726
kernel void exceeds_short(global int *out) {
  uint i = get_local_id(0);
  short number = (short)(get_local_id(0) * 10);
  if (i >= 3274 && i < 3282)
    out[i - 3274] = number;
}

// The product would overflow in the first lanes, which are inactive.
// RUN: kiln-run %s inactive --global=64 --local=64 out:i64[8] i32=3 | FileCheck %s --check-prefix=INACTIVE
// INACTIVE: argument 0: 0 1000000000 2000000000 0 0 0 0 0
kernel void inactive(global long *out, int n) {
  int i = (int)get_global_id(0) - 3;
  if (i >= 0 && i < n)
    out[i] = (long)(i * 1000000000);
}

// The product would overflow in inactive lanes, and the mask is loaded from memory.
// RUN: kiln-run %s loaded_condition --global=64 --local=64 out:i64[4] in:i32[64]=0,0,0,0,0,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 | FileCheck %s --check-prefix=ASKED
// ASKED: argument 0: 0 500000000 1000000000 1500000000
kernel void loaded_condition(global long *out, global const int *in) {
  int id = (int)get_global_id(0), i = id - 5;
  if (in[id])
    out[i] = (long)(i * 500000000) + same(id) - id;
}

// The second condition is evaluated only by lanes that pass the first. Other lanes must not end the row.
// RUN: kiln-run %s nested_condition --global=40 --local=40 out:i32[20] i32=1000000000 | FileCheck %s --check-prefix=BEHIND
// BEHIND: argument 0: 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0
kernel void nested_condition(global int *out, int most) {
  int i = (int)get_global_id(0) - 22;
  if (i >= 0 && i * 100000000 < most)
    out[i] = 1;
}

// Divisors that the program compares itself. Lanes whose divisor is 0 do not come to the division, and must not trap.
// RUN: kiln-run %s not_by_zero --global=64 --local=64 in:i32[8]=0,-1,3,4,0,-7,-1,5 out:i32[64] | FileCheck %s --check-prefix=ZERO
// ZERO: argument 1: 7 -100 34 25 7 -14 -100 20 7 -100 34
// RUN: kiln-run %s rest_by_zero --global=64 --local=64 in:u64[8]=0,1,3,4,0,7,9,6 out:u64[64] | FileCheck %s --check-prefix=REST
// REST: argument 1: 7 0 1 0 7 2 1 4 7 0 1
kernel void not_by_zero(global const int *by, global int *out) {
  int d = by[get_global_id(0) % 8];
  if (d == 0)
    out[get_global_id(0)] = 7;
  else
    out[get_global_id(0)] = 100 / d + (100 % d == 1);
}
kernel void rest_by_zero(global const ulong *by, global ulong *out) {
  ulong d = by[get_global_id(0) % 8];
  if (d == 0)
    out[get_global_id(0)] = 7;
  else
    out[get_global_id(0)] = 100 % d;
}

// The lowest number by -1 traps as well.
// RUN: kiln-run %s not_by_minus_one --global=64 --local=64 in:i32[8]=1,-1,3,4,2,-2,-1,5 out:i32[64] | FileCheck %s --check-prefix=MINUS
// MINUS: argument 1: -2147483648 7 -715827882 -536870912 -1073741824 1073741824 7 -429496729 -2147483648 7
kernel void not_by_minus_one(global const int *by, global int *out) {
  int d = by[get_global_id(0) % 8];
  if (d == -1)
    out[get_global_id(0)] = 7;
  else
    out[get_global_id(0)] = INT_MIN / d;
}

// Divisors with several components.
// RUN: kiln-run %s components_by_zero --global=32 --local=32 in:i32[16]=0,1,3,4,0,7,0,6,5,1,3,4,2,7,9,6 out:i32[64] | FileCheck %s --check-prefix=COMPONENTS
// COMPONENTS: argument 1: 7 7 33 25 7 7 7 7 20 100 33 25 50 14 11 16 7 7 33
kernel void components_by_zero(global const int2 *by, global int2 *out) {
  int2 d = by[get_global_id(0) % 8];
  if (d.x == 0)
    out[get_global_id(0)] = 7;
  else
    out[get_global_id(0)] = 100 / d;
}
