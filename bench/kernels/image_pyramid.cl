// Halves an image: a linear sample at the centre of four texels is their mean.
__constant sampler_t edges = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

__kernel void halve(__read_only image2d_t from, __write_only image2d_t to, float step) {
  int2 texel = (int2)((int)get_global_id(0), (int)get_global_id(1));
  write_imagef(to, texel, read_imagef(from, edges, (convert_float2(texel) + 0.5f) * step));
}
