// Replaces each colour of a picture by that of its table.
__kernel void tone_curves(__global const uchar4 *in, __global uchar4 *out, __constant uchar *tables, int count) {
  int i = get_global_id(0);
  if (i >= count)
    return;
  uchar4 pixel = in[i];
  out[i] = (uchar4)(tables[pixel.x], tables[256 + pixel.y], tables[512 + pixel.z], pixel.w);
}
