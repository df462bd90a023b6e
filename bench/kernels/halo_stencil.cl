// One step of diffusion on a grid with insulated edges. A work-group stages its tile in local memory; the work-items on
// the tile's edges also load the points around it.
#define TILE 16

// A point outside of the grid has the value of the nearest point inside.
float valueAt(__global const float *grid, int x, int y, int width, int height) {
  return grid[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}

__kernel void diffuse(__global const float *from, __global float *to, int width, int height, float rate) {
  __local float tile[TILE + 2][TILE + 2];
  int x = get_global_id(0), y = get_global_id(1);
  int column = get_local_id(0) + 1, row = get_local_id(1) + 1;
  tile[row][column] = valueAt(from, x, y, width, height);
  if (column == 1)
    tile[row][0] = valueAt(from, x - 1, y, width, height);
  if (column == TILE)
    tile[row][TILE + 1] = valueAt(from, x + 1, y, width, height);
  if (row == 1)
    tile[0][column] = valueAt(from, x, y - 1, width, height);
  if (row == TILE)
    tile[TILE + 1][column] = valueAt(from, x, y + 1, width, height);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x >= width || y >= height)
    return;
  float sum = tile[row][column - 1] + tile[row][column + 1] + tile[row - 1][column] + tile[row + 1][column];
  to[y * width + x] = tile[row][column] + rate * (sum - 4.0f * tile[row][column]);
}
