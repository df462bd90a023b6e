// Coefficients of polynomials, lowest power first. They are the output of coefficients.sollya. Those of the gamma
// function, and tables of doubles with more than 20 terms, are interpolations at Chebyshev nodes, computed with 60
// digits. Some functions of floats are computed in doubles: their tables are doubles with fewer terms. The comment
// before each table is the largest error of the fit.
#pragma once

namespace kiln::math {

template <typename E> inline constexpr int expTail = 0;
// 2^-23.875
template <>
inline constexpr float expTail<float>[] = {0x1p-1f, 0x1.5554dcp-3f, 0x1.5554e8p-5f, 0x1.120c3ap-7f, 0x1.6d4ebep-10f};
// 2^-53
template <>
inline constexpr double expTail<double>[] = {
    0x1.0000000000001p-1,  0x1.5555555555558p-3,  0x1.5555555553cb7p-5,  0x1.111111110f89dp-7,  0x1.6c16c178bb531p-10,
    0x1.a01a01afe5e8fp-13, 0x1.a019b8755e8fdp-16, 0x1.71ddf6dedf097p-19, 0x1.2892244afee0ep-22, 0x1.af6336e694dedp-26};
template <typename E> inline constexpr int exp2Slope = 0;
// 2^-26.6875
template <>
inline constexpr float exp2Slope<float>[] = {0x1.62e43p-1f,  0x1.ebfbep-3f,   0x1.c6af9cp-5f,
                                             0x1.3b2a48p-7f, 0x1.5ef604p-10f, 0x1.442532p-13f};
// 2^-54.9375
template <>
inline constexpr double exp2Slope<double>[] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c598p-3,  0x1.c6b08d704a1d2p-5,
                                               0x1.3b2ab6fba1e9bp-7,  0x1.5d87fe7874df6p-10, 0x1.4309130953625p-13,
                                               0x1.ffcbfd45cac9ep-17, 0x1.62bfd4a8c3e92p-20, 0x1.b5233a6f16a83p-24,
                                               0x1.e6060c6134da8p-28, 0x1.ec639137d837p-32};
template <typename E> inline constexpr int fastExp2Slope = 0;
// 2^-21.625
template <>
inline constexpr float fastExp2Slope<float>[] = {0x1.62e43p-1f, 0x1.ebfa4ap-3f, 0x1.c6af5ap-5f, 0x1.3cc00ap-7f,
                                                 0x1.5f1d8ep-10f};
template <typename E> inline constexpr int exp10Slope = 0;
// 2^-24.90625
template <>
inline constexpr float exp10Slope<float>[] = {0x1.26bb1cp1f, 0x1.53524cp1f,  0x1.046fa8p1f,
                                              0x1.2bd77cp0f, 0x1.1560d2p-1f, 0x1.a8dff4p-3f};
// 2^-51.9375
template <>
inline constexpr double exp10Slope<double>[] = {0x1.26bb1bbb55516p1,  0x1.53524c73cea6fp1,  0x1.0470591de2afap1,
                                                0x1.2bd7609fd6b1ap0,  0x1.1429ffd23a3bfp-1, 0x1.a7ed709ab6416p-3,
                                                0x1.16e4de8a53d2fp-4, 0x1.41166a13988c5p-6, 0x1.489b02597117ep-8,
                                                0x1.2f674393141ep-10, 0x1.f506bfc5f4961p-13};
template <typename E> inline constexpr int roughExp2Slope = 0;
// 2^-32.5
template <>
inline constexpr double roughExp2Slope<double>[] = {0x1.62e42fef95c94p-1, 0x1.ebfbe04672278p-3,  0x1.c6b08dc68f3adp-5,
                                                    0x1.3b2a1acbc93fbp-7, 0x1.5d874b8173d47p-10, 0x1.4440a4516181ap-13,
                                                    0x1.00dd010b1db05p-16};
template <typename E> inline constexpr int logTailOf = 0;
// 2^-22.6875
template <>
inline constexpr float logTailOf<float>[] = {0x1.55555p-2f,  -0x1.0000bcp-2f, 0x1.99a3fep-3f, -0x1.54dc5ap-3f,
                                             0x1.2291cap-3f, -0x1.09039ap-3f, 0x1.066bfep-3f, -0x1.554aeep-4f};
template <typename E> inline constexpr int fastLogTailOf = 0;
// 2^-17.40625
template <>
inline constexpr float fastLogTailOf<float>[] = {0x1.55567ap-2f,  -0x1.ffdd4p-3f, 0x1.983b48p-3f,
                                                 -0x1.5afab2p-3f, 0x1.47589cp-3f, -0x1.c2c682p-4f};
template <typename E> inline constexpr int roughLog2Slope = 0;
// 2^-40.5625
template <>
inline constexpr double roughLog2Slope<double>[] = {
    0x1.71547652b8b48p0,   -0x1.7154765293552p-1, 0x1.ec709dbc0a259p-2,  -0x1.715476a709a69p-2, 0x1.2776c9c9caedep-2,
    -0x1.ec706a982b745p-3, 0x1.a6151807ab0dbp-3,  -0x1.715a43fe1ed4ep-3, 0x1.48903dc3013e6p-3,  -0x1.2743ffd64f583p-3,
    0x1.086ab437f7af8p-3,  -0x1.e838e4917019bp-4, 0x1.01f18ab1f1e25p-3,  -0x1.00260ad0c761ep-3, 0x1.0a355b59837bfp-4};
template <typename E> inline constexpr int logRatio = 0;
// 2^-51.5
template <>
inline constexpr double logRatio<double>[] = {0x1.5555555555558p-1, 0x1.9999999995137p-2, 0x1.2492492e2e9c6p-2,
                                              0x1.c71c6290f395p-3,  0x1.7462cd846fe5cp-3, 0x1.39fb1a4ee6ee6p-3,
                                              0x1.2b81043341b14p-3};
template <typename E> inline constexpr int sinTail = 0;
// 2^-27.59375
template <>
inline constexpr float sinTail<float>[] = {-0x1.555556p-3f, 0x1.111198p-7f, -0x1.a08312p-13f, 0x1.877536p-19f};
// 2^-55.3125
template <>
inline constexpr double sinTail<double>[] = {-0x1.5555555555555p-3, 0x1.1111111110c7ap-7,   -0x1.a01a019e9eaf2p-13,
                                             0x1.71de37ae58898p-19, -0x1.ae601d5079ac4p-26, 0x1.5e1033fed3ec8p-33};
template <typename E> inline constexpr int cosTail = 0;
// 2^-28.59375
template <> inline constexpr float cosTail<float>[] = {0x1.555554p-5f, -0x1.6c129cp-10f, 0x1.9bc614p-16f};
// 2^-58.5625
template <>
inline constexpr double cosTail<double>[] = {0x1.5555555555555p-5,   -0x1.6c16c16c168c8p-10, 0x1.a01a019f37922p-16,
                                             -0x1.27e4fa01e48dfp-22, 0x1.1eeb56ab2f1a3p-29,  -0x1.90729f5367692p-37};
template <typename E> inline constexpr int sinPiTail = 0;
// 2^-23.375
template <>
inline constexpr float sinPiTail<float>[] = {-0x1.4abbcep2f, 0x1.466b62p1f, -0x1.329df2p-1f, 0x1.3efdf2p-4f};
// 2^-52
template <>
inline constexpr double sinPiTail<double>[] = {-0x1.4abbce625be53p2,  0x1.466bc6775abc5p1,   -0x1.32d2cce64806fp-1,
                                               0x1.507834b7bf04cp-4,  -0x1.e3079e48a14f3p-8, 0x1.e93102ab2503ap-12,
                                               -0x1.80acce53b07a4p-16};
template <typename E> inline constexpr int cosPiTail = 0;
// 2^-22.71875
template <> inline constexpr float cosPiTail<float>[] = {-0x1.3bd3ccp2f, 0x1.03c19ep2f, -0x1.55a5b6p0f, 0x1.d0976ap-3f};
// 2^-51.5
template <>
inline constexpr double cosPiTail<double>[] = {-0x1.3bd3cc9be45dep2,  0x1.03c1f081b5a23p2,   -0x1.55d3c7e3b77c5p0,
                                               0x1.e1f50664dd68fp-3,  -0x1.a6d1d2ecd305ap-6, 0x1.f9b7be6550bc1p-10,
                                               -0x1.ac11c85c4b6b9p-14};
template <typename E> inline constexpr int asinTail = 0;
// 2^-23.875
template <>
inline constexpr float asinTail<float>[] = {0x1.55555ep-3f, 0x1.332634p-4f, 0x1.70cf0cp-5f, 0x1.b107f8p-6f,
                                            0x1.3a0ca4p-5f};
// 2^-52.125
template <>
inline constexpr double asinTail<double>[] = {0x1.555555555554ep-3, 0x1.33333333374a6p-4,  0x1.6db6db67bbbbbp-5,
                                              0x1.f1c71fdc396cbp-6, 0x1.6e8b224060e17p-6,  0x1.1c59e58df3818p-6,
                                              0x1.c862e96366831p-7, 0x1.85975e1a5df65p-7,  0x1.fafa76632c2bfp-8,
                                              0x1.0a05192b1000fp-6, -0x1.6b616b2eab375p-7, 0x1.d19a13a91574bp-6};
template <typename E> inline constexpr int atanTail = 0;
// 2^-23.59375
template <>
inline constexpr float atanTail<float>[] = {-0x1.55555p-2f,  0x1.9993ecp-3f, -0x1.240faep-3f, 0x1.bdfa6cp-4f,
                                            -0x1.4aad5cp-4f, 0x1.984998p-5f, -0x1.531654p-6f, 0x1.09e3bap-8f};
// 2^-52.6875
template <>
inline constexpr double atanTail<double>[] = {
    -0x1.5555555555553p-2, 0x1.9999999998b35p-3,   -0x1.2492492420ba8p-3, 0x1.c71c719add076p-4,  -0x1.745d12b74b624p-4,
    0x1.3b1367c13d8b8p-4,  -0x1.110dfa8c6720ep-4,  0x1.e1b2f1aba61cp-5,   -0x1.ae2230fb6e559p-5, 0x1.81c3d9b827909p-5,
    -0x1.56039c863dff6p-5, 0x1.23380fdc2bb45p-5,   -0x1.c892d0a45f2f8p-6, 0x1.3919469e78f6dp-6,  -0x1.6359f511f4665p-7,
    0x1.39ce7ddc10855p-8,  -0x1.8eb1e121f4d31p-10, 0x1.4128aa6b941f3p-12, -0x1.e9c4aff5546fp-16};
template <typename E> inline constexpr int inverseCubeRoot = 0;
// 2^-14.859375
template <>
inline constexpr float inverseCubeRoot<float>[] = {0x1.ac185ap0f, -0x1.2de13ap0f, 0x1.6775ecp-1f, -0x1.cb3544p-3f,
                                                   0x1.dc96cap-6f};
// 2^-20.25
template <>
inline constexpr double inverseCubeRoot<double>[] = {0x1.e1af78c075a92p0,  -0x1.fe370efdf73a9p0, 0x1.fd8783cec182cp0,
                                                     -0x1.492102c1b4c07p0, 0x1.043dc8fbe171bp-1, -0x1.cb30cbb37b40fp-4,
                                                     0x1.5a97fc69af2d8p-7};
template <typename E> inline constexpr int erfTail = 0;
// 2^-29.53125
template <>
inline constexpr float erfTail<float>[] = {0x1.06eba8p-3f, -0x1.81274p-2f,   0x1.ce2d52p-4f, -0x1.b7fec4p-6f,
                                           0x1.542fecp-8f, -0x1.a5197ap-11f, 0x1.4c5cb2p-14f};
// 2^-56.915
template <>
inline constexpr double erfTail<double>[] = {0x1.06eba8214db68p-3,   -0x1.812746b0379c1p-2,  0x1.ce2f21a040f66p-4,
                                             -0x1.b82ce31203772p-6,  0x1.565bccfa44156p-8,   -0x1.c02db0665e53dp-11,
                                             0x1.f9a2be4f731a1p-14,  -0x1.f4ca838adb73bp-17, 0x1.b981d78881a5dp-20,
                                             -0x1.5c131500d3f88p-23, 0x1.d76af6ca49787p-27,  -0x1.ac9585a44fe29p-31};
template <typename E> inline constexpr int erfLog = 0;
// 2^-26.34375
template <>
inline constexpr float erfLog<float>[] = {-0x1.31b17p-12f,  0x1.214fa6p0f,   0x1.4396e2p-1f,
                                          0x1.c23358p-4f,   -0x1.af5f24p-6f, 0x1.35dc94p-8f,
                                          -0x1.357af6p-11f, 0x1.7c1098p-15f, -0x1.ad903p-20f};
template <typename E> inline constexpr int erfcRatio = 0;
// 2^-37.75
template <>
inline constexpr double erfcRatio<float>[] = {0x1.46e80e227ae57p0,    -0x1.7bf5ec12deffdp-4,  -0x1.5407bed1f6f42p-3,
                                              0x1.4ffa1d9299da2p-3,   -0x1.bc2b8d21a907fp-5,  -0x1.074198a440abdp-7,
                                              0x1.1dd1a6af1a479p-7,   0x1.4d1bbf7ca66c2p-10,  -0x1.7dbb561977173p-10,
                                              -0x1.d95f198f6826ep-12, 0x1.af2c0f577f762p-13,  0x1.2da5d39be533p-13,
                                              -0x1.b71801bbda5a1p-19, -0x1.cccf8a66c0993p-16, -0x1.f6dd41b3943b5p-18};
// 2^-53.5164
template <>
inline constexpr double erfcRatio<double>[] = {
    0x1.46e80e2277954p+0,   -0x1.7bf5ec170064ap-4,  -0x1.5407bebf32820p-3,  0x1.4ffa1e14e2cbep-3,
    -0x1.bc2b95615ec0ep-5,  -0x1.07423405180f0p-7,  0x1.1dd2ec7b4286ap-7,   0x1.4d461d640f144p-10,
    -0x1.7de518c17909ap-10, -0x1.dc693637bd1aep-12, 0x1.b0c6a5a7f7684p-13,  0x1.3cc095b85ee49p-13,
    -0x1.90cb38742f733p-20, -0x1.3186c82f70ee6p-15, -0x1.c684ab26f01bcp-17, 0x1.f08b89c4471f6p-19,
    0x1.661c8ef98b556p-18,  0x1.9cef763b24dd4p-20,  -0x1.cb7d9b37a4444p-21, -0x1.e1f3b0fcfa272p-21,
    -0x1.ec8c804b48080p-24, 0x1.c010ddc2245f7p-23,  0x1.5c4f84547811cp-24,  -0x1.4c1c0bda8b1a9p-26,
    -0x1.8a7d3baa68d7dp-27};
template <typename E> inline constexpr int log2Ratio = 0;
// 2^-54.0625
template <>
inline constexpr double log2Ratio<double>[] = {0x1.2776c50ef9bfep-1, 0x1.a61762a7ae41dp-2, 0x1.484b13d735fcep-2,
                                               0x1.0c9a84ffec58p-2,  0x1.c68f051925138p-3, 0x1.8a0619c07a2f1p-3,
                                               0x1.593bbff174a54p-3, 0x1.6034d8e2e2e93p-3};
// log gamma(2 + x) / (x (x + 1)): 2^-37
template <typename E> inline constexpr int logGammaMiddle = 0;
template <>
inline constexpr double logGammaMiddle<float>[] = {
    0x1.b0ee607212bfep-2,  -0x1.9ae6509eb3461p-4,  0x1.0e0c9dc27d93dp-5,   -0x1.95ce21de6e169p-7,
    0x1.4797701bdcb77p-8,  -0x1.1451481b48ad7p-9,  0x1.dfdf38f4c7653p-11,  -0x1.a95e2f4faa8acp-12,
    0x1.7fd475da91848p-13, -0x1.5d796f0e3529bp-14, 0x1.3523b0ca03e3cp-15,  -0x1.1dbae6f5e1dcep-16,
    0x1.5ae0bb4b3da4bp-17, -0x1.4633d059d15dfp-18, -0x1.a1f4d573c0929p-24, 0x1.ff79df87c5399p-25,
    0x1.4d463ea22db4fp-20, -0x1.3e287c80cacbbp-21};
// 2^-53.4711
template <>
inline constexpr double logGammaMiddle<double>[] = {
    0x1.b0ee6072093cfp-2,  -0x1.9ae6509ea10a1p-4,  0x1.0e0c9df292d5bp-5,   -0x1.95ce223a9bc8bp-7,
    0x1.4797485484c1ep-8,  -0x1.145121fa7189fp-9,  0x1.dfebcef929400p-11,  -0x1.a96a3f7fb4c4ep-12,
    0x1.7ed74e12dbab9p-13, -0x1.5c86d000e3f00p-14, 0x1.402c4c8d56f0ap-15,  -0x1.284da3da45530p-16,
    0x1.1413732576744p-17, -0x1.025e72952c6b1p-18, 0x1.e1243e40c0ff4p-20,  -0x1.c5d73b8ef91fcp-21,
    0x1.d20d224f8ec65p-22, -0x1.bb2317a3ff0d5p-23, 0x1.bbabe3a7ed217p-25,  -0x1.a205c5a078659p-26,
    0x1.d6561d85a8c01p-25, -0x1.c5fb91d86f96dp-26, -0x1.c138d72451ee9p-27, 0x1.b4d1a7280a00cp-28,
    0x1.9532528835fbep-28, -0x1.8843be8ffad56p-29};
// z times the correction of Stirling's formula at z, as a polynomial of 1 / z^2: 2^-42
template <typename E> inline constexpr int stirlingTail = 0;
template <>
inline constexpr double stirlingTail<float>[] = {0x1.5555555552ab4p-4,   -0x1.6c16c044e745bp-9, 0x1.a01758de5c087p-11,
                                                 -0x1.377c9899fafc7p-11, 0x1.a8bc8dee19164p-11, -0x1.751ce09a31889p-10,
                                                 0x1.d548f367e7714p-10};
// 2^-57.7918
template <>
inline constexpr double stirlingTail<double>[] = {0x1.5555555555555p-4,   -0x1.6c16c16c10e31p-9, 0x1.a01a01781724cp-11,
                                                  -0x1.3813661cb3f7ep-11, 0x1.b94839823eb38p-11, -0x1.f5a098f665229p-10,
                                                  0x1.9aabfe19aa44ap-8,   -0x1.a8a27132db78fp-6, 0x1.cbf7990eae2eap-4,
                                                  -0x1.a6f12de4e4c76p-2,  0x1.0953f9f7b3121p+0,  -0x1.42593c7e1f17ap+0};

} // namespace kiln::math
