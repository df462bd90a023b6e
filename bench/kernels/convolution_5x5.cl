// The weighted sum of the 25 texels around each texel, clamped to the edge.
__constant sampler_t edges = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void convolve(__read_only image2d_t from, __write_only image2d_t to, __constant float *weights) {
  int2 texel = (int2)((int)get_global_id(0), (int)get_global_id(1));
  float4 sum = (float4)(0.0f);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x)
      sum += weights[y * 5 + x] * read_imagef(from, edges, texel + (int2)(x - 2, y - 2));
  write_imagef(to, texel, sum);
}

// For images with one channel.
__kernel void convolve_channel(__read_only image2d_t from, __write_only image2d_t to, __constant float *weights) {
  int2 texel = (int2)((int)get_global_id(0), (int)get_global_id(1));
  float sum = 0.0f;
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x)
      sum += weights[y * 5 + x] * read_imagef(from, edges, texel + (int2)(x - 2, y - 2)).x;
  write_imagef(to, texel, (float4)(sum, 0.0f, 0.0f, 1.0f));
}
