// Vectors of 16 bytes; n counts vectors.

// (alpha * a + (255 - alpha) * b) / 255, rounded
__kernel void blend(__global const uchar16 *a, __global const uchar16 *b, __global uchar16 *to, uchar alpha, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  ushort16 sum = convert_ushort16(a[i]) * (ushort)alpha + convert_ushort16(b[i]) * (ushort)(255 - alpha) + (ushort)128;
  to[i] = convert_uchar16((sum + (sum >> (ushort)8)) >> (ushort)8);
}

// Converts ASCII text to lower case.
__kernel void lower_case(__global const uchar16 *from, __global uchar16 *to, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  uchar16 text = from[i];
  char16 isUpper = text >= (uchar)'A' && text <= (uchar)'Z';
  to[i] = select(text, text | (uchar)0x20, isUpper);
}
