// A histogram of bytes: each work-group counts in local memory, then adds its counts to the global bins.
#define BINS 256

__kernel void histogram(__global const uint *words, __global uint *bins, uint count) {
  __local uint mine[BINS];
  for (uint bin = get_local_id(0); bin < BINS; bin += get_local_size(0))
    mine[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
    uint word = words[i];
    atomic_inc(&mine[word & 255]);
    atomic_inc(&mine[word >> 8 & 255]);
    atomic_inc(&mine[word >> 16 & 255]);
    atomic_inc(&mine[word >> 24]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint bin = get_local_id(0); bin < BINS; bin += get_local_size(0))
    atomic_add(&bins[bin], mine[bin]);
}
