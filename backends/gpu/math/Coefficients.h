// Coefficients of the single-precision polynomials that only GPUs use, lowest power first: the last tables of
// backends/cpu/math/coefficients.sollya. The comment before each table is the error that the fit adds to the function.
#pragma once
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {

// Fractions 1 + x from 2/3 to 4/3. 2^-23
inline constexpr float gpuLogTail[] = {0x1.555542p-2f, -0x1.0004bep-2f, 0x1.99ba2ep-3f, -0x1.52b87ap-3f,
                                       0x1.1ff4dap-3f, -0x1.2d2548p-3f, 0x1.1a0dccp-3f};
// 2^-24.7
inline constexpr float gpuLog2Slope[] = {0x1.715476p0f,   -0x1.715456p-1f, 0x1.ec707ap-2f,
                                         -0x1.717298p-2f, 0x1.279a6cp-2f,  -0x1.e4f75ap-3f,
                                         0x1.9dc488p-3f,  -0x1.c6fb1ep-3f, 0x1.9e9a4cp-3f};
// log10(1 + x) = x (log10(e) + x p(x)), from 0.7 to 1.4. 2^-23.6875
inline constexpr float gpuLog10Tail[] = {-0x1.bcb7acp-3f, 0x1.287b1p-3f,  -0x1.bcc422p-4f, 0x1.6363a4p-4f,
                                         -0x1.262a2p-4f,  0x1.052d42p-4f, -0x1.033bfcp-4f, 0x1.603064p-5f};
// 2^-34.9 of log2
inline constexpr float gpuPowRatio[] = {0x1.ec709ep-1f, 0x1.2776b2p-1f, 0x1.a5f254p-2f, 0x1.559bep-2f};
// 2^-26.3
inline constexpr float gpuSinTail[] = {-0x1.555552p-3f, 0x1.110be4p-7f, -0x1.9ab296p-13f};
// 2^-30.3
inline constexpr float gpuCosTail[] = {0x1.555554p-5f, -0x1.6c129cp-10f, 0x1.9bc614p-16f};
// 2^-24.4
inline constexpr float gpuErfNear[] = {0x1.06eba2p-3f,  -0x1.81267ep-2f, 0x1.ce0ab8p-4f,
                                       -0x1.b5b518p-6f, 0x1.429b42p-8f,  -0x1.285448p-11f};
// 2^-24.3
inline constexpr float gpuErfFar[] = {0x1.a0d62cp0f,  0x1.d5237p-1f,    0x1.3a79fap-3f, -0x1.1c0b2ap-5f,
                                      0x1.67f73ap-8f, -0x1.17b5ccp-11f, 0x1.8c44dp-16f};

// exp(x^2) erfc(x) (1 + 2 x), of t = (x - 2) / (x + 2). 2^-25.3
inline constexpr float gpuErfcRatio[] = {0x1.46e80ep0f,    -0x1.7bf616p-4f, -0x1.5407f8p-3f, 0x1.4ffc54p-3f,
                                         -0x1.bc1462p-5f,  -0x1.082baep-7f, 0x1.1b457cp-7f,  0x1.5a632ap-10f,
                                         -0x1.45a47cp-10f, -0x1.adcd5p-12f};

/// Horner's scheme. GPUs hide latency with other work-items, so the shortest evaluation is the fastest.
template <typename V, typename E, unsigned N> KILN_INLINE V horner(V x, const E (&c)[N]) {
  V sum = c[N - 1];
#pragma unroll
  for (int i = int(N) - 2; i >= 0; --i)
    sum = __builtin_elementwise_fma(sum, x, V(c[i]));
  return sum;
}

} // namespace kiln::math
