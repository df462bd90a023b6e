// A queue of words without pipes: a buffer, and counters of appended and taken words.
__kernel void append(__global uint *words, __global volatile uint *count, uint capacity) {
  uint at = atomic_inc(count);
  if (at < capacity)
    words[at] = (uint)get_global_id(0);
}

__kernel void take(__global const uint *words, __global volatile uint *count, uint available, __global uint *out) {
  uint at = atomic_inc(count);
  if (at < available)
    out[get_global_id(0)] = words[at];
}
