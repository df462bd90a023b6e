// Reduction of large arguments by Payne and Hanek. For x = m 2^e, bits of 2/pi whose product with x is a multiple of 4
// do not change n mod 4 and are skipped. Scalar, with integers: large arguments are rare, and all instances have the
// same result.
#include "backends/cpu/math/Trig.h"

namespace kiln::math {
namespace {

// 2/pi, after 64 zero bits.
constexpr unsigned long TwoOverPi[] = {0,
                                       0xa2f9836e4e441529,
                                       0xfc2757d1f534ddc0,
                                       0xdb6295993c439041,
                                       0xfe5163abdebbc561,
                                       0xb7246e3a424dd2e0,
                                       0x06492eea09d1921c,
                                       0xfe1deb1cb129a73e,
                                       0xe88235f52ebb4484,
                                       0xe99c7026b45f7e41,
                                       0x3991d639835339f4,
                                       0x9c845f8bbdf9283b,
                                       0x1ff897ffde05980f,
                                       0xef2f118b5a0a6d1f,
                                       0x6d367ecf27cb09b7,
                                       0x4f463f669e5fea2d,
                                       0x7527bac7ebe5f17b,
                                       0x3d0739f78a5292ea,
                                       0x6bfb5fb11f8d5d08,
                                       0x56033046fc7b6bab};

} // namespace

HugeRemainder reduceHuge(double x) {
  using Wide = unsigned __int128;
  unsigned long bits = __builtin_bit_cast(unsigned long, x);
  unsigned long m = (bits & ((1ul << 52) - 1)) | 1ul << 52;
  int e = int(bits >> 52 & 0x7ff) - 1075; // x = m 2^e
  // 192 bits of 2/pi, from the bit whose product with 2^e is 2. x is at least 2^17, so that bit is in the table.
  unsigned first = unsigned(64 + e - 2), word = first / 64, shift = first % 64;
  auto window = [&](unsigned i) {
    unsigned long high = TwoOverPi[word + i] << shift;
    return shift ? high | TwoOverPi[word + i + 1] >> (64 - shift) : high;
  };
  Wide low = Wide(m) * window(2), middle = Wide(m) * window(1);
  Wide product = (Wide(m * window(0)) << 64) + middle + (low >> 64); // in units of 2^-126
  unsigned long quarters = (unsigned long)(product >> 126);
  product <<= 2; // the fraction; as a signed number it is in [-1/2, 1/2)
  long high = long(product >> 64);
  quarters += high < 0;
  // The fraction times pi/2, both in two parts, so that the result has about one rounding error.
  double large = double(high & ~0xfffl) * 0x1p-64;
  double small = double(high & 0xfffl) * 0x1p-64 + double((unsigned long)product) * 0x1p-128;
  constexpr double turn = 0x1.921fb54442d18p+0, turnLow = 0x1.1a62633145c07p-54;
  double whole = large * turn;
  double rest = whole + (productError(whole, large, turn) + (large * turnLow + small * turn));
  return {rest, long(quarters & 3)};
}

} // namespace kiln::math
