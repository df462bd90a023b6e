// Counts the occurrences of a pattern: each work-item compares at one position until a byte differs.
__kernel void count_pattern(__global const uchar *text, uint positions, __constant uchar *pattern, uint length,
                            __global uint *found) {
  uint i = get_global_id(0);
  if (i >= positions)
    return;
  uint same = 0;
  while (same < length && text[i + same] == pattern[same])
    ++same;
  if (same == length)
    atomic_inc(found);
}
