// A histogram of bytes, read one at a time: each work-group counts its part in local memory, then adds its counts to the
// global bins.
#define BINS 256

__kernel void byte_histogram(__global const uchar *bytes, __global uint *bins, int part, int count) {
  __local uint mine[BINS];
  int item = get_local_id(0), size = get_local_size(0);
  for (int bin = item; bin < BINS; bin += size)
    mine[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int start = get_group_id(0) * part, end = min(start + part, count);
  for (int i = start + item; i < end; i += size)
    atomic_inc(&mine[bytes[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int bin = item; bin < BINS; bin += size)
    atomic_add(&bins[bin], mine[bin]);
}
