// One Fourier transform of n points per work-group of n / 2 work-items, radix 2, between two halves of local memory
// (Stockham's form, which needs no bit reversal). Twiddle k is exp(-2 pi i k / n).
float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__kernel void fft(__global const float2 *in, __global float2 *out, __global const float2 *twiddles, int n,
                  __local float2 *room) {
  int item = get_local_id(0), half_n = n / 2;
  in += get_group_id(0) * n;
  out += get_group_id(0) * n;
  __local float2 *from = room, *to = room + n;
  from[item] = in[item];
  from[item + half_n] = in[item + half_n];
  for (int span = 1; span < n; span *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = item & (span - 1);
    float2 a = from[item], b = times(twiddles[k * (half_n / span)], from[item + half_n]);
    int at = 2 * item - k;
    to[at] = a + b;
    to[at + span] = a - b;
    __local float2 *swap = from;
    from = to;
    to = swap;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[item] = from[item];
  out[item + half_n] = from[item + half_n];
}
