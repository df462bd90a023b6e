// A program with several kernels is compiled in parts, each in a separate process. Shared functions and constants must be
// in every part that uses them, and the linked result must contain every kernel once.

// RUN: kiln-run %s squares --global=8 --local=4 out:i32[8] | FileCheck %s --check-prefix=SQUARES
// SQUARES: argument 0: 0 1 4 9 16 25 36 49
// RUN: kiln-run %s cubes --global=8 --local=4 out:i32[8] | FileCheck %s --check-prefix=CUBES
// CUBES: argument 0: 0 1 8 27 64 125 216 343
// RUN: kiln-run %s sums --global=8 --local=4 out:i32[8] | FileCheck %s --check-prefix=SUMS
// SUMS: argument 0: 0 1 3 6 10 15 21 28
// RUN: kiln-run %s table --global=8 --local=4 out:i32[8] | FileCheck %s --check-prefix=TABLE
// TABLE: argument 0: 2 3 5 7 11 13 17 19
// RUN: kiln-run %s reversed --global=8 --local=4 out:i32[8] | FileCheck %s --check-prefix=REVERSED
// REVERSED: argument 0: 7 5 3 2 19 17 13 11
constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

int power(int base, int exponent) {
  int result = 1;
  for (int i = 0; i < exponent; ++i)
    result *= base;
  return result;
}

kernel void squares(global int *out) { out[get_global_id(0)] = power(get_global_id(0), 2); }

kernel void cubes(global int *out) { out[get_global_id(0)] = power(get_global_id(0), 3); }

kernel void sums(global int *out) {
  local int parts[8];
  int sum = 0, i = get_global_id(0);
  for (int k = 0; k < (int)get_global_size(0); ++k) {
    parts[get_local_id(0)] = k;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += k <= i ? parts[get_local_size(0) - 1 - get_local_id(0)] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = sum;
}

kernel void table(global int *out) { out[get_global_id(0)] = primes[get_global_id(0) & 7]; }

kernel void reversed(global int *out) {
  local int tile[4];
  tile[get_local_id(0)] = primes[get_global_id(0) & 7];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[get_local_size(0) - 1 - get_local_id(0)];
}
