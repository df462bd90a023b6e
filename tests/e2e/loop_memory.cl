// Loops that keep memory as values: sums in a structure per work-item, loops without an iteration, nested loops.
// FEATURES: EXEC-3.2.2b

// Work-items without an iteration have an invalid address.
// RUN: kiln-run %s sums --global=16 --local=16 inout:i32[48]=0,13,7,1,14,8,2,15,9,3,16,10,4,17,11,5,18,12,6,0,13,7,1,14,8,2,15,9,3,16,10,4,17,11,5,18,12,6,0,13,7,1,14,8,2,15,9,3 in:i32[16]=3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9 in:i32[16]=0,5,10,0,3,8,0,1,6,0,16,4,0,14,2,0 | FileCheck %s --check-prefix=SUMS
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s sums --global=16 --local=16 inout:i32[48]=0,13,7,1,14,8,2,15,9,3,16,10,4,17,11,5,18,12,6,0,13,7,1,14,8,2,15,9,3,16,10,4,17,11,5,18,12,6,0,13,7,1,14,8,2,15,9,3 in:i32[16]=3,10,6,2,9,5,1,8,4,0,7,3,10,6,2,9 in:i32[16]=0,5,10,0,3,8,0,1,6,0,16,4,0,14,2,0 | FileCheck %s --check-prefix=SUMS
// SUMS: argument 0: 0 13 7 31 41 99 50 78 326 3 16 10 23 49 58 49 103 253 6 0 13 10 1 24 43 109 184 9 3 16 95 238 890 32 120 118 12 6 0 87 251 735 27 151 46 15 9 3{{$}}
typedef struct { int sum, mixed, total; } Sums;
kernel void sums(global Sums *all, global const int *in, global const int *ends) {
  local int tile[16];
  const int i = get_local_id(0), end = ends[i];
  tile[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  global Sums *mine = all + (end > 0 ? i : 1 << 28);
  for (int k = 0; k < end; ++k) {
    mine->sum += tile[k];
    if (tile[k] > 4)
      mine->mixed = max(mine->mixed, tile[k] * (k + i));
    mine->mixed ^= k;
    mine->total += mine->sum;
  }
}

// RUN: kiln-run %s nested --global=16 --local=16 inout:i32[64]=0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0 in:i32[64]=0,11,22,10,21,9,20,8,19,7,18,6,17,5,16,4,15,3,14,2,13,1,12,0,11,22,10,21,9,20,8,19,7,18,6,17,5,16,4,15,3,14,2,13,1,12,0,11,22,10,21,9,20,8,19,7,18,6,17,5,16,4,15,3 | FileCheck %s --check-prefix=NESTED
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s nested --global=16 --local=16 inout:i32[64]=0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0,3,6,2,5,1,4,0 in:i32[64]=0,11,22,10,21,9,20,8,19,7,18,6,17,5,16,4,15,3,14,2,13,1,12,0,11,22,10,21,9,20,8,19,7,18,6,17,5,16,4,15,3,14,2,13,1,12,0,11,22,10,21,9,20,8,19,7,18,6,17,5,16,4,15,3 | FileCheck %s --check-prefix=NESTED
// NESTED: argument 0: 129 126 169 2 197 194 266 0 189 186 250 5 181 178 234 3 180 177 246 1 172 169 230 6 164 161 214 4 156 153 205 2 155 152 210 0 147 144 194 5 139 136 178 3 138 135 190 1 130 127 174 6 122 119 158 4 114 111 149 2 113 110 154 0{{$}}
kernel void nested(global int4 *all, global const int *in) {
  local int tile[64];
  const int i = get_local_id(0);
  for (int k = i; k < 64; k += 16)
    tile[k] = in[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int row = 0; row < 3; ++row) {
    for (int k = 0; k < 4; ++k) {
      all[i].x += tile[i + k] * row;
      all[i].y = all[i].x - k;
    }
    all[i].z += all[i].y;
  }
}
