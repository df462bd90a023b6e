// One step: orders pairs that are `distance` apart, ascending or descending in alternating runs of `run` keys.
__kernel void bitonic_step(__global uint *keys, uint pairs, uint distance, uint run) {
  uint pair = get_global_id(0);
  if (pair >= pairs)
    return;
  uint left = 2 * pair - (pair & (distance - 1));
  uint right = left + distance;
  uint a = keys[left], b = keys[right];
  int up = (left & run) == 0;
  if ((a > b) == up) {
    keys[left] = b;
    keys[right] = a;
  }
}
