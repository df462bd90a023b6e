// The edit distance of one pair of strings per work-group, whose length is the local size. All cells of an anti-diagonal
// of the table are computed at once: work-item i those of row i. Local memory has the last three anti-diagonals.
__kernel void edit_distance(__global const uchar *a, __global const uchar *b, __global int *distances,
                            __local int *room) {
  int row = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n;
  __local int *before = room, *last = room + n, *now = room + 2 * n;
  uchar own = a[first + row];
  for (int diagonal = 0; diagonal < 2 * n - 1; ++diagonal) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int column = diagonal - row;
    if (column >= 0 && column < n) {
      int up = row > 0 ? last[row - 1] : column + 1;
      int left = column > 0 ? last[row] : row + 1;
      int corner = row == 0 ? column : column == 0 ? row : before[row - 1];
      now[row] = min(min(up, left) + 1, corner + (own != b[first + column]));
    }
    __local int *free = before;
    before = last;
    last = now;
    now = free;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (row == n - 1)
    distances[get_group_id(0)] = last[row];
}
