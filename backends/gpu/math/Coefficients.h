// Coefficients of the polynomials that only GPUs use, lowest power first: the last tables of
// backends/cpu/math/coefficients.sollya, and the output of weighted_fit.py. The comment before each table is the error
// that the fit adds to the function.
#pragma once
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {

// Fractions 1 + x from 2/3 to 4/3. 2^-23
inline constexpr float gpuLogTail[] = {0x1.555542p-2f, -0x1.0004bep-2f, 0x1.99ba2ep-3f, -0x1.52b87ap-3f,
                                       0x1.1ff4dap-3f, -0x1.2d2548p-3f, 0x1.1a0dccp-3f};
// Fractions from 3/4 to 3/2. 2^-24.5
inline constexpr float gpuLog1pTail[] = {0x1.55555cp-2f, -0x1.00008ep-2f, 0x1.998c68p-3f, -0x1.54e816p-3f,
                                         0x1.261506p-3f, -0x1.0c00dp-3f,  0x1.c80f84p-4f, -0x1.bb9ff2p-5f};
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
// 2^-24.2
inline constexpr float gpuTanTail[] = {0x1.55554ep-2f, 0x1.11174ep-3f, 0x1.b85d0ap-5f,
                                       0x1.7cecaap-6f, 0x1.434244p-8f, 0x1.11ec7p-7f};
// 2^-30.3
inline constexpr float gpuCosTail[] = {0x1.555554p-5f, -0x1.6c129cp-10f, 0x1.9bc614p-16f};
// 2^-24.4
inline constexpr float gpuErfNear[] = {0x1.06eba2p-3f,  -0x1.81267ep-2f, 0x1.ce0ab8p-4f,
                                       -0x1.b5b518p-6f, 0x1.429b42p-8f,  -0x1.285448p-11f};
// 2^-24.3
inline constexpr float gpuErfFar[] = {0x1.a0d62cp0f,  0x1.d5237p-1f,    0x1.3a79fap-3f, -0x1.1c0b2ap-5f,
                                      0x1.67f73ap-8f, -0x1.17b5ccp-11f, 0x1.8c44dp-16f};
// erfc(x) = 2^(-x q(x)), from 1 to 5.93: output of weighted_fit.py. 2^-55.1
inline constexpr double gpuErfFarOfDouble[] = {0x1.a0be7c85b7aaep+0,   0x1.d63f5ee07113cp-1,   0x1.2f9ee9f98ad93p-3,
                                               -0x1.c36998cf60a08p-6,  -0x1.8dbee462529bep-12, 0x1.4d2db779facdp-9,
                                               -0x1.e8d936913b86ap-11, 0x1.54dff3104bc71p-14,  0x1.6859139a22ee4p-14,
                                               -0x1.cf3a5f359bbfcp-15, 0x1.451b4a695b136p-16,  -0x1.3cdce091e205dp-18,
                                               0x1.c06e2716a08cbp-21,  -0x1.c8537ed0c7882p-24, 0x1.3e32ccecd915ep-27,
                                               -0x1.10f7232fe5e83p-31, 0x1.b2efbb835109cp-37};

// exp(x^2) erfc(x) (1 + 2 x), of t = (x - 2) / (x + 2). 2^-25.3
inline constexpr float gpuErfcRatio[] = {0x1.46e80ep0f,    -0x1.7bf616p-4f, -0x1.5407f8p-3f, 0x1.4ffc54p-3f,
                                         -0x1.bc1462p-5f,  -0x1.082baep-7f, 0x1.1b457cp-7f,  0x1.5a632ap-10f,
                                         -0x1.45a47cp-10f, -0x1.adcd5p-12f};

// (asin(sqrt z) / sqrt z - 1) / z, up to 0.57. 2^-26.9
inline constexpr float gpuAsinTail[] = {0x1.555552p-3f, 0x1.333888p-4f, 0x1.6c4ea2p-5f,
                                        0x1.0a1978p-5f, 0x1.6c032p-7f,  0x1.5f5fe2p-5f};
// (tanh(sqrt z) / sqrt z - 1) / z, up to 0.55. 2^-22.9
inline constexpr float gpuTanhTail[] = {-0x1.555538p-2f, 0x1.10f84p-3f, -0x1.b37a06p-5f, 0x1.1bce68p-6f};
// (sinh(sqrt z) / sqrt z - 1) / z, up to 7/4. 2^-24.2
inline constexpr float gpuSinhTail[] = {0x1.555552p-3f, 0x1.1112cap-7f, 0x1.9f7024p-13f, 0x1.8755b8p-19f};
// sin(pi sqrt z) / sqrt z, less pi rounded down, up to 1/2. 2^-27.1
inline constexpr float gpuSinPiTail[] = {0x1.2c7f7cp-23f, -0x1.4abbc4p2f, 0x1.46691p1f, -0x1.32560cp-1f,
                                         0x1.3e3facp-4f};
// The same of doubles. 2^-61
inline constexpr double gpuSinPiTailOfDouble[] = {0x1.173d2549ed524p-53, -0x1.4abbce625be52p2,  0x1.466bc6775aa59p1,
                                                  -0x1.32d2cce626d6ep-1, 0x1.50783484e8315p-4,  -0x1.e3074dc7a437ep-8,
                                                  0x1.e8f3593ece43ap-12, -0x1.6f78c0740222p-16, 0x1.9d078141b8a42p-21};
// (log2(1 + x) - x log2(e)) / x^2, fractions from 2/3 to 4/3. 2^-27.8
inline constexpr float gpuLog2Tail[] = {-0x1.715476p-1f, 0x1.ec7062p-2f,  -0x1.715414p-2f,
                                        0x1.27926cp-2f,  -0x1.ecc2ccp-3f, 0x1.9f4194p-3f,
                                        -0x1.68e5ep-3f,  0x1.966f3ep-3f,  -0x1.79e12ap-3f};
// x times the correction of Stirling's formula at x >= 3, of 1 / x^2. 2^-27.2
inline constexpr float gpuStirling[] = {0x1.55555p-4f, -0x1.6ba782p-9f, 0x1.73ded8p-11f};
// The same in base 2. 2^-26.7
inline constexpr float gpuStirling2[] = {0x1.ec7096p-4f, -0x1.06520ep-8f, 0x1.0c3ad8p-10f};
// log gamma(2 + x) / (x (x + 1)), from -1 to 1. 2^-23.1
inline constexpr float gpuLogGamma[] = {0x1.b0ee6p-2f,   -0x1.9ae6b8p-4f, 0x1.0e0e76p-5f,  -0x1.958f14p-7f,
                                        0x1.46f494p-8f,  -0x1.199f04p-9f, 0x1.f34b0ap-11f, -0x1.4ea134p-12f,
                                        0x1.fb8ff4p-14f, -0x1.4d412p-13f, 0x1.58814cp-14f};

// (1 / gamma(1 + x) - 1) / x, up to 1/2. 2^-23.9
inline constexpr float gpuInverseGamma[] = {0x1.2788ccp-1f,  -0x1.4fcfaep-1f, -0x1.5810a4p-5f, 0x1.553b68p-3f,
                                            -0x1.59c5a6p-5f, -0x1.4d15bp-7f,  0x1.d62696p-8f};
// The same of doubles. 2^-55.5
inline constexpr double gpuInverseGammaOfDouble[] = {
    0x1.2788cfc6fb619p-1,   -0x1.4fcf4026afa26p-1,  -0x1.5815e8fa272d5p-5,  0x1.5512320b4335dp-3,
    -0x1.59af103c2c64fp-5,  -0x1.3b4af282dc745p-7,  0x1.d919c522f7a9cp-8,   -0x1.317113a5332ddp-10,
    -0x1.c364f7a2d0144p-13, 0x1.0c8ab33bbb324p-13,  -0x1.51cfd4cf8be92p-16, -0x1.5038ed8cfe995p-20,
    0x1.306a937f8ab3bp-20,  -0x1.aecb90f661a11p-23, 0x1.2c1103ac9c868p-28};

// (e^x - 1 - x) / x^2, up to log(2) / 2. The coefficients of high powers have 21 bits (DoubleExp.h). 2^-54.2
inline constexpr double gpuExpTailOfDouble[] = {
    0.5,          0x1.5555555555524p-3, 0x1.5555555555015p-5, 0x1.111111113d04ep-7, 0x1.6c16c171f13d6p-10,
    0x1.a01ap-13, 0x1.a019dp-16,        0x1.71e34p-19,        0x1.28791p-22,        0x1.a4de3p-26};
// (2^x - 1) / x, up to 1/2. 2^-56
inline constexpr double gpuExp2SlopeOfDouble[] = {0x1.62e42fefa39efp-1, 0x1.ebfbdff82c59bp-3,  0x1.c6b08d704a37ap-5,
                                                  0x1.3b2ab6fba15cap-7, 0x1.5d87fe77fc261p-10, 0x1.4309130b2ad1ep-13,
                                                  0x1.ffccp-17,         0x1.62bfdp-20,         0x1.b51cfp-24,
                                                  0x1.e60ep-28,         0x1.f677dp-32};
// (10^x - 1) / x, up to log10(2) / 2. 2^-56.2
inline constexpr double gpuExp10SlopeOfDouble[] = {0x1.26bb1bbb55515p1, 0x1.53524c73cea6dp1,  0x1.0470591de2da9p1,
                                                   0x1.2bd7609fd7543p0, 0x1.1429ffd1b0d5fp-1, 0x1.a7ed70977db28p-3,
                                                   0x1.16e4ep-4,        0x1.41167p-6,         0x1.48977p-8,
                                                   0x1.2f601p-10,       0x1.fb835p-13};

// Tables whose high powers have 21 bits: output of weighted_fit.py.
// (2 atanh(sqrt z) / sqrt z - 2) / z, up to 0.0296. 2^-55.1 of a fraction's logarithm
inline constexpr double gpuLogRatioOfDouble[] = {0x1.5555555555556p-1, 0x1.9999999995a12p-2, 0x1.2492492de4068p-2,
                                                 0x1.c71c62a2f4a5dp-3, 0x1.7462dp-3,         0x1.39fa9p-3,
                                                 0x1.2b866p-3};
// x times the correction of Stirling's formula at x >= 3, of 1 / x^2. 2^-55.2
inline constexpr double gpuStirlingOfDouble[] = {0x1.5555555555516p-4, -0x1.6c16c16b88f91p-9, 0x1.a01a00107014fp-11,
                                                 -0x1.3812d57d44cp-11, 0x1.b9264p-11,         -0x1.f32cfp-10,
                                                 0x1.8c225p-8,         -0x1.702e5p-6,         0x1.3d25ep-4,
                                                 -0x1.88714p-3,        0x1.e24b3p-3};
// (asin(sqrt z) / sqrt z - 1) / z, up to 1/4. 2^-55.5
inline constexpr double gpuAsinTailOfDouble[] = {0x1.555555555536ep-3, 0x1.3333333370f9fp-4, 0x1.6db6db4156c6dp-5,
                                                 0x1.f1c72c85b0d4p-6,  0x1.6e89edd057574p-6, 0x1.1c6c3d400dea6p-6,
                                                 0x1.c6f6e9a5f93d5p-7, 0x1.8eefp-7,          0x1.aa58ap-8,
                                                 0x1.40f19p-6,         -0x1.0b5b1p-6,        0x1.05f23p-5};
// (asinh(sqrt z) / sqrt z - 1) / z, up to 1/4. 2^-55.1
inline constexpr double gpuAsinhTailOfDouble[] = {
    -0x1.555555555545bp-3, 0x1.333333330eb8cp-4, -0x1.6db6db54b6c9fp-5, 0x1.f1c714462cb3ap-6,
    -0x1.6e8ade7f30772p-6, 0x1.1c4327c95bdd1p-6, -0x1.c8b17p-7,         0x1.7469ap-7,
    -0x1.23f32p-7,         0x1.7bdp-8,           -0x1.1e6cap-9};
// log gamma(2 + x) / (x (x + 1)), from -1 to 1. 2^-53.0
inline constexpr double gpuLogGammaOfDouble[] = {0x1.b0ee6072093cfp-2,   -0x1.9ae6509ea10c8p-4,  0x1.0e0c9df292cdbp-5,
                                                 -0x1.95ce223a93aadp-7,  0x1.4797485490c71p-8,   -0x1.145121fe63faap-9,
                                                 0x1.dfebcef21b016p-11,  -0x1.a96a3db99fe1ap-12, 0x1.7ed74f2492b5fp-13,
                                                 -0x1.5c87090601f1ep-14, 0x1.402c3417d7296p-15,  -0x1.28493800ac563p-16,
                                                 0x1.1414d5a3941c4p-17,  -0x1.0297be7034cc8p-18, 0x1.e109d5afd4b61p-20,
                                                 -0x1.c1f18ad55b5a7p-21, 0x1.d2b50a98b0c8ap-22,  -0x1.d21c3p-23,
                                                 0x1.b62a3p-25,          -0x1.da3e2p-27,         0x1.dap-25,
                                                 -0x1.1bf1ap-25,         -0x1.c6d24p-27,         0x1.2d615p-27,
                                                 0x1.97117p-28,          -0x1.bd716p-29};

/// Horner's scheme. GPUs hide latency with other work-items, so the shortest evaluation is the fastest.
template <typename V, typename E, unsigned N> KILN_INLINE V horner(V x, const E (&c)[N]) {
  V sum = c[N - 1];
#pragma unroll
  for (int i = int(N) - 2; i >= 0; --i)
    sum = __builtin_elementwise_fma(sum, x, V(c[i]));
  return sum;
}

} // namespace kiln::math
