// Unroll-and-jam of four rows (passes/wg/UnrollAndJam): transposed tiles, with edges in both directions.
// FEATURES: EXEC-3.2.2b

// RUN: kiln-run %s turn --global=16,16,1 --local=8,8,1 out:i32[143] in:i32[143]=0,7,14,21,28,35,42,49,56,63,70,77,84,91,98,4,11,18,25,32,39,46,53,60,67,74,81,88,95,1,8,15,22,29,36,43,50,57,64,71,78,85,92,99,5,12,19,26,33,40,47,54,61,68,75,82,89,96,2,9,16,23,30,37,44,51,58,65,72,79,86,93,100,6,13,20,27,34,41,48,55,62,69,76,83,90,97,3,10,17,24,31,38,45,52,59,66,73,80,87,94,0,7,14,21,28,35,42,49,56,63,70,77,84,91,98,4,11,18,25,32,39,46,53,60,67,74,81,88,95,1,8,15,22,29,36,43,50,57,64,71,78,85 i32=13 i32=11 | FileCheck %s --check-prefix=TURN
// TURN: argument 0: 0 91 81 71 61 51 41 31 21 11 1 7 98 88 78 68 58 48 38 28 18 8 14 4 95 85 75 65 55 45 35 25 15 21 11 1 92 82 72 62 52 42 32 22 28 18 8 99 89 79 69 59 49 39 29 35 25 15 5 96 86 76 66 56 46 36 42 32 22 12 2 93 83 73 63 53 43 49 39 29 19 9 100 90 80 70 60 50 56 46 36 26 16 6 97 87 77 67 57 63 53 43 33 23 13 3 94 84 74 64 70 60 50 40 30 20 10 0 91 81 71 77 67 57 47 37 27 17 7 98 88 78 84 74 64 54 44 34 24 14 4 95 85{{$}}
kernel __attribute__((reqd_work_group_size(8, 8, 1))) void turn(global int *to, global const int *from, int width, int height) {
  local int tile[8][9];
  const int x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * 8, top = get_group_id(1) * 8;
  if (left + x < width && top + y < height)
    tile[y][x] = from[(top + y) * width + left + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (top + x < height && left + y < width)
    to[(left + y) * height + top + x] = tile[x][y];
}

// Control flow differs between rows, and the kernel uses the global id.
// RUN: kiln-run %s choose --global=16,8,1 --local=16,8,1 out:i32[128] in:i32[128]=0,5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80,85,90,95,3,8,13,18,23,28,33,38,43,48,53,58,63,68,73,78,83,88,93,1,6,11,16,21,26,31,36,41,46,51,56,61,66,71,76,81,86,91,96,4,9,14,19,24,29,34,39,44,49,54,59,64,69,74,79,84,89,94,2,7,12,17,22,27,32,37,42,47,52,57,62,67,72,77,82,87,92,0,5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80,85,90,95,3,8,13,18,23,28,33,38,43,48,53 | FileCheck %s --check-prefix=CHOOSE
// CHOOSE: argument 0: 0 80 160 46 126 12 92 172 58 138 24 104 184 70 150 36 105 145 185 128 168 111 151 191 134 174 117 157 100 140 180 123 22 102 182 68 148 34 114 194 80 160 46 126 12 92 172 58 115 155 195 138 178 121 161 104 144 184 127 167 110 150 190 133 44 124 10 90 170 56 136 22 102 182 68 148 34 114 194 80 125 165 108 148 188 131 171 114 154 194 137 177 120 160 103 143 66 146 32 112 192 78 158 44 124 10 90 170 56 136 22 102 135 175 118 158 101 141 181 124 164 107 147 187 130 170 113 153{{$}}
kernel __attribute__((reqd_work_group_size(16, 8, 1))) void choose(global int *to, global const int *from) {
  local int tile[128];
  const int x = get_local_id(0), y = get_local_id(1);
  tile[y * 16 + x] = from[y * 16 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int at = get_global_id(1) * 16 + get_global_id(0);
  if (y & 1)
    to[at] = tile[x * 8 + y] + 100;
  else
    to[at] = tile[x * 8 + y] * 2 + y;
}
