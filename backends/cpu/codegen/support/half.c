// Conversions to and from half precision for processors without the instruction: double to half on all processors, since
// conversion through float would round twice, and the others without F16C. Half values are passed in the low lane of an
// SSE register, as for the compiler's _Float16.
typedef _Float16 half;
typedef unsigned long long u64;
typedef unsigned int u32;

static half halfOfBits(unsigned short bits) {
  half value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// Rounds magnitude * 2^exponent (53 significant bits at most) to the nearest half, ties to even.
static unsigned short roundToHalf(u64 fraction, int exponent) {
  // Half's smallest subnormal is 2^-24; normals keep 11 bits.
  int top = 63 - __builtin_clzll(fraction);        // value lies in [2^(top+exponent), 2^(top+exponent+1))
  int scale = top + exponent < -14 ? -24 : top + exponent - 10; // weight of the last kept bit
  int shift = scale - exponent;                    // bits to drop
  if (shift <= 0) {
    fraction <<= -shift;
  } else if (shift > 62) {
    return 0; // below half of the smallest subnormal
  } else {
    u64 rest = fraction & ((1ull << shift) - 1), middle = 1ull << (shift - 1);
    fraction >>= shift;
    if (rest > middle || (rest == middle && (fraction & 1)))
      ++fraction;
  }
  // A carry out of the fraction correctly increments the exponent field.
  u64 bits = scale == -24 ? fraction : fraction + ((u64)(scale + 24) << 10);
  return bits >= 0x7c00 ? 0x7c00 : (unsigned short)bits;
}

half __truncdfhf2(double value) {
  u64 bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  unsigned short sign = (unsigned short)(bits >> 48 & 0x8000);
  int exponent = (int)(bits >> 52 & 0x7ff);
  u64 fraction = bits & 0xfffffffffffffull;
  if (exponent == 0x7ff)
    return halfOfBits(sign | 0x7c00 | (fraction ? 0x200 | (unsigned short)(fraction >> 42) : 0));
  if (exponent < 1023 - 26)
    return halfOfBits(sign);
  return halfOfBits(sign | roundToHalf(fraction | 1ull << 52, exponent - 1075));
}

half __truncsfhf2(float value) {
  u32 bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  unsigned short sign = (unsigned short)(bits >> 16 & 0x8000);
  int exponent = (int)(bits >> 23 & 0xff);
  u32 fraction = bits & 0x7fffff;
  if (exponent == 0xff)
    return halfOfBits(sign | 0x7c00 | (fraction ? 0x200 | (unsigned short)(fraction >> 13) : 0));
  if (exponent < 127 - 26)
    return halfOfBits(sign);
  return halfOfBits(sign | roundToHalf(fraction | 1u << 23, exponent - 150));
}

float __extendhfsf2(half value) {
  unsigned short bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  u32 sign = (u32)(bits & 0x8000) << 16, exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff, result;
  if (exponent == 0x1f) {
    result = sign | 0x7f800000 | fraction << 13;
  } else if (exponent) {
    result = sign | (exponent + 112) << 23 | fraction << 13;
  } else if (fraction) {
    int shift = __builtin_clz(fraction) - 21; // to bring the top bit to bit 10
    result = sign | (u32)(113 - shift) << 23 | (fraction << shift & 0x3ff) << 13;
  } else {
    result = sign;
  }
  float wide;
  __builtin_memcpy(&wide, &result, sizeof wide);
  return wide;
}
