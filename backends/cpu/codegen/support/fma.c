// Fused multiply-add for processors without the instruction. Rounds the exact sum once.
typedef unsigned long long u64;
typedef unsigned __int128 u128;

static u64 bitsOf(double value) {
  u64 bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
static double ofBits(u64 bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// The product of two floats is exact in double. The sum is rounded to odd: its last bit is set if bits were lost, so the
// second rounding has the result of rounding the exact sum.
float fmaf(float x, float y, float z) {
  double product = (double)x * y, sum = product + z;
  if (sum - sum != 0) // infinite or NaN
    return (float)sum;
  double added = sum - product, lost = (product - (sum - added)) + (z - added);
  u64 bits = bitsOf(sum);
  if (lost != 0 && !(bits & 1))
    bits = (lost > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return (float)ofBits(bits);
}

// A finite nonzero number as fraction * 2^exponent.
typedef struct {
  u64 fraction;
  int exponent;
} Parts;

static Parts partsOf(double value) {
  u64 bits = bitsOf(value), fraction = bits & 0xfffffffffffffull;
  int exponent = (int)(bits >> 52 & 0x7ff);
  if (exponent)
    return (Parts){fraction | 1ull << 52, exponent - 1075};
  int shift = __builtin_clzll(fraction) - 11;
  return (Parts){fraction << shift, -1074 - shift};
}

// Shifts right; the last bit is the OR of the bits shifted out.
static u128 shiftedRight(u128 value, int count) {
  if (count > 127)
    return 1;
  return value >> count | ((value & (((u128)1 << count) - 1)) != 0);
}

static double rounded(u64 sign, u128 fraction, int exponent) {
  u64 high = (u64)(fraction >> 64);
  int top = high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((u64)fraction);
  int isNormal = top + exponent >= -1022;
  int shift = isNormal ? top - 52 : -1074 - exponent; // bits to drop
  u64 kept = 0;
  if (shift <= 0) {
    kept = (u64)(fraction << -shift);
  } else if (shift < 128) {
    kept = (u64)(fraction >> shift);
    u128 rest = fraction & (((u128)1 << shift) - 1), middle = (u128)1 << (shift - 1);
    kept += rest > middle || (rest == middle && (kept & 1));
  }
  if (!isNormal)
    return ofBits(sign | kept); // the bits are also correct if the result became normal
  // A carry out of the fraction correctly increments the exponent.
  int biased = top + exponent + 1023;
  u64 bits = biased >= 0x7ff ? 0x7ffull << 52 : ((u64)biased << 52) + (kept - (1ull << 52));
  return ofBits(sign | bits);
}

double fma(double x, double y, double z) {
  if (x - x != 0 || y - y != 0 || x == 0 || y == 0)
    return x * y + z;
  if (z - z != 0) // the rounded product may be infinite while the exact one is finite
    return z;
  if (z == 0)
    return x * y; // a sum would lose the sign of a product that rounds to zero
  const u64 Sign = 1ull << 63;
  Parts a = partsOf(x), b = partsOf(y), c = partsOf(z);
  u64 productSign = (bitsOf(x) ^ bitsOf(y)) & Sign, addendSign = bitsOf(z) & Sign;
  u128 product = (u128)a.fraction * b.fraction, addend = c.fraction; // 106 and 53 bits
  int exponent = a.exponent + b.exponent, distance = c.exponent - exponent;
  // Aligns the exponents. Bits are lost only if the exponents differ by much, and then enough bits remain for rounding.
  if (distance > 73) {
    addend <<= 64;
    product = shiftedRight(product, distance - 64);
    exponent = c.exponent - 64;
  } else if (distance >= 0) {
    addend <<= distance;
  } else {
    int up = -distance < 20 ? -distance : 20;
    product <<= up;
    addend = shiftedRight(addend, -distance - up);
    exponent -= up;
  }
  if (productSign == addendSign)
    return rounded(productSign, product + addend, exponent);
  if (product == addend)
    return 0;
  return product > addend ? rounded(productSign, product - addend, exponent)
                          : rounded(addendSign, addend - product, exponent);
}
