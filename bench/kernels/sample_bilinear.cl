// Rotates and scales an image: each texel is the linearly filtered texel at its position in the source.
float2 sourcePosition(float4 turn) {
  float2 at = (float2)((float)get_global_id(0), (float)get_global_id(1)) + 0.5f;
  return (float2)(turn.x * at.x - turn.y * at.y + turn.z, turn.y * at.x + turn.x * at.y + turn.w);
}

__constant sampler_t edges = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

__kernel void literal(__read_only image2d_t from, __write_only image2d_t to, float4 turn) {
  write_imagef(to, (int2)((int)get_global_id(0), (int)get_global_id(1)), read_imagef(from, edges, sourcePosition(turn)));
}

__kernel void argument(__read_only image2d_t from, __write_only image2d_t to, float4 turn, sampler_t sampler) {
  write_imagef(to, (int2)((int)get_global_id(0), (int)get_global_id(1)), read_imagef(from, sampler, sourcePosition(turn)));
}
