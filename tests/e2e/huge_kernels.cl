// Generated kernels with thousands of branches around a barrier, or hundreds of barriers. They stay unstructured, because
// structuring them would take too long, and must compute correct results.
// FEATURES: EXEC-3.2.2b

#define TEN(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define HUNDRED(M, n)                                                                                                  \
  TEN(M, n##0) TEN(M, n##1) TEN(M, n##2) TEN(M, n##3) TEN(M, n##4)                                                     \
  TEN(M, n##5) TEN(M, n##6) TEN(M, n##7) TEN(M, n##8) TEN(M, n##9)
#define THOUSAND(M, n)                                                                                                 \
  HUNDRED(M, n##0) HUNDRED(M, n##1) HUNDRED(M, n##2) HUNDRED(M, n##3) HUNDRED(M, n##4)                                 \
  HUNDRED(M, n##5) HUNDRED(M, n##6) HUNDRED(M, n##7) HUNDRED(M, n##8) HUNDRED(M, n##9)

// 3,000 early returns before a barrier. A work-item that returned counts as arrived at the barrier.
// RUN: kiln-run %s returns --global=8 --local=4 out:u32[8] in:u32[8]=11500,5,11999,7,1,2,13000,13001 | FileCheck %s --check-prefix=RETURNS
// RETURNS: argument 0: 11600 11999 12099 11500 13001 13000 2 1
#define RETURN(n) if (x == n) { out[i] = n + 100; return; }
kernel void returns(global uint *out, global const uint *in) {
  local uint shared[4];
  uint i = get_global_id(0), l = get_local_id(0), x = in[i];
  shared[l] = x;
  THOUSAND(RETURN, 10) THOUSAND(RETURN, 11) THOUSAND(RETURN, 12)
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = shared[3 - l];
}

// A state machine of 1,600 states with barriers after each step; the number of steps is an argument.
// RUN: kiln-run %s states --global=8 --local=4 out:u32[8] in:u32[8]=iota u32=3 | FileCheck %s --check-prefix=STATES
// STATES: argument 0: 10009 10014 10019 10024 10029 10034 10039 10044
#define STATE(n) case n - 10000: y += n; state = (n - 10000 + 1) % 1600; break;
kernel void states(global uint *out, global const uint *in, uint steps) {
  local uint turn[4];
  uint i = get_global_id(0), l = get_local_id(0), state = in[i], y = 0, largest = 0;
  for (uint step = 0; step < steps; ++step) {
    switch (state) {
      THOUSAND(STATE, 10) HUNDRED(STATE, 110) HUNDRED(STATE, 111) HUNDRED(STATE, 112) HUNDRED(STATE, 113)
      HUNDRED(STATE, 114) HUNDRED(STATE, 115)
    }
    turn[l] = state;
    barrier(CLK_LOCAL_MEM_FENCE);
    largest = turn[l] > largest ? turn[l] : largest;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = y % 10000 + largest * 2 + 10000;
}

// 600 consecutive barriers, and a private array that is live across all of them.
// RUN: kiln-run %s waits --global=8 --local=8 out:u32[8] | FileCheck %s --check-prefix=WAITS
// WAITS: argument 0: 300 301 302 303 304 305 306 307
#define WAIT(n)                                                                                                        \
  shared[l] = own[n & 3];                                                                                              \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  own[(n + 1) & 3] = shared[7 - l] + 1;                                                                                \
  barrier(CLK_LOCAL_MEM_FENCE);
kernel void waits(global uint *out) {
  local uint shared[8];
  uint l = get_local_id(0), own[4] = {l, l, l, l};
  HUNDRED(WAIT, 10) HUNDRED(WAIT, 20) HUNDRED(WAIT, 30)
  out[get_global_id(0)] = own[3100 & 3];
}
