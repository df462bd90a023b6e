// Each work-group moves one tile through local memory, so that global reads and writes are both consecutive. The unused
// column of the tile avoids bank conflicts.
#define TILE 16

__kernel void transpose(__global const float *from, __global float *to, int width, int height) {
  __local float tile[TILE][TILE + 1];
  int x = get_local_id(0), y = get_local_id(1);
  int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
  if (left + x < width && top + y < height)
    tile[y][x] = from[(top + y) * width + left + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (top + x < height && left + y < width)
    to[(left + y) * height + top + x] = tile[x][y];
}
