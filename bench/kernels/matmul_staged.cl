// c = a * b for square matrices whose side n is a multiple of TILE. A work-group computes one tile of c: it stages DEPTH
// columns of a, transposed, and DEPTH rows of b in local memory, and each work-item sums up a block in private arrays.
#define TILE 64
#define DEPTH 16
#define BLOCK 4

__kernel void matmul(__global const float *a, __global const float *b, __global float *c, int n) {
  __local float tileOfA[DEPTH][TILE], tileOfB[DEPTH][TILE];
  int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
  int item = get_local_id(0), size = get_local_size(0);
  int x = item % (TILE / BLOCK) * BLOCK, y = item / (TILE / BLOCK) * BLOCK;
  float sums[BLOCK][BLOCK] = {{0.0f}};
  for (int start = 0; start < n; start += DEPTH) {
    for (int i = item; i < TILE * DEPTH; i += size) {
      tileOfA[i % DEPTH][i / DEPTH] = a[(top + i / DEPTH) * n + start + i % DEPTH];
      tileOfB[i / TILE][i % TILE] = b[(start + i / TILE) * n + left + i % TILE];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < DEPTH; ++k) {
      float ofA[BLOCK], ofB[BLOCK];
      for (int i = 0; i < BLOCK; ++i) {
        ofA[i] = tileOfA[k][y + i];
        ofB[i] = tileOfB[k][x + i];
      }
      for (int i = 0; i < BLOCK; ++i)
        for (int j = 0; j < BLOCK; ++j)
          sums[i][j] += ofA[i] * ofB[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < BLOCK; ++i)
    for (int j = 0; j < BLOCK; ++j)
      c[(top + y + i) * n + left + x + j] = sums[i][j];
}
