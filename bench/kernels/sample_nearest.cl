// Rotates an image: each texel is the source texel that contains its position.
__constant sampler_t edges = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void sample(__read_only image2d_t from, __write_only image2d_t to, float4 turn) {
  int2 texel = (int2)((int)get_global_id(0), (int)get_global_id(1));
  float2 at = convert_float2(texel) + 0.5f;
  float2 position = (float2)(turn.x * at.x - turn.y * at.y + turn.z, turn.y * at.x + turn.x * at.y + turn.w);
  write_imagef(to, texel, read_imagef(from, edges, position));
}
