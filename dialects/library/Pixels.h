// Converts pixels between memory and the four components of kernels (OpenCL C 3.3, 3.3.5 for sRGB).
//
// With a constant format, all of this folds to a few instructions. Otherwise a kernel calls these functions for each
// pixel, so that it contains the code of all formats once (`shared`, see ocl-inline-calls).
//
// Pixels are loaded in words of the channels' total size, up to eight bytes: the application's memory for a float4
// image may be aligned like a float.
#pragma once
#include "base/abi/ImageAbi.h"

#define shared __attribute__((noinline))

namespace kiln::abi {

using Pixel = const global uchar;

/// Converts channels in memory order to components. Missing channels are 0, a missing alpha channel is 1.
template <typename Vector, typename Scalar> Vector componentsOf(uint32_t order, Vector c, Scalar one) {
  const Scalar zero = 0;
  switch (order) {
  case OrderA:
    return Vector{zero, zero, zero, c.x};
  case OrderRG:
  case OrderRGx:
    return Vector{c.x, c.y, zero, one};
  case OrderRA:
    return Vector{c.x, zero, zero, c.y};
  case OrderRGB:
  case OrderRGBx:
  case OrderSRGB:
    return Vector{c.x, c.y, c.z, one};
  case OrderRGBA:
  case OrderSRGBA:
    return c;
  case OrderBGRA:
  case OrderSBGRA:
    return c.zyxw;
  case OrderARGB:
    return c.yzwx;
  case OrderABGR:
    return c.wzyx;
  case OrderIntensity:
    return c.xxxx;
  case OrderLuminance:
    return Vector{c.x, c.x, c.x, one};
  }
  return Vector{c.x, zero, zero, one}; // R, Rx, DEPTH
}

/// Converts components to channels in memory order.
template <typename Vector> Vector channelsFrom(uint32_t order, Vector v) {
  switch (order) {
  case OrderA:
    return v.wwww;
  case OrderRA:
    return v.xwww;
  case OrderBGRA:
  case OrderSBGRA:
    return v.zyxw;
  case OrderARGB:
    return v.wxyz;
  case OrderABGR:
    return v.wzyx;
  }
  return v;
}

// ---- channels of 8, 16 and 32 bits
// ------------------------------------------------------------------------------------

inline uchar4 loadBytes(Pixel *at, uint32_t channels) {
  switch (channels) {
  case 1:
    return (uchar4)(*at, 0, 0, 0);
  case 2:
    return (uchar4)(as_uchar2(*(const global ushort *)at), 0, 0);
  case 3:
    return (uchar4)(at[0], at[1], at[2], 0);
  }
  return as_uchar4(*(const global uint *)at);
}
inline ushort4 loadShorts(Pixel *at, uint32_t channels) {
  switch (channels) {
  case 1:
    return (ushort4)(*(const global ushort *)at, 0, 0, 0);
  case 2:
    return (ushort4)(as_ushort2(*(const global uint *)at), 0, 0);
  }
  return as_ushort4(*(const global ulong *)at);
}
inline uint4 loadWords(Pixel *at, uint32_t channels) {
  switch (channels) {
  case 1:
    return (uint4)(*(const global uint *)at, 0, 0, 0);
  case 2:
    return (uint4)(as_uint2(*(const global ulong *)at), 0, 0);
  }
  return as_uint4((ulong2)(((const global ulong *)at)[0], ((const global ulong *)at)[1]));
}

inline void store(global uchar *at, uint32_t channels, uchar4 c) {
  switch (channels) {
  case 1:
    *at = c.x;
    break;
  case 2:
    *(global ushort *)at = as_ushort(c.xy);
    break;
  case 3:
    at[0] = c.x, at[1] = c.y, at[2] = c.z;
    break;
  default:
    *(global uint *)at = as_uint(c);
  }
}
inline void store(global uchar *at, uint32_t channels, ushort4 c) {
  switch (channels) {
  case 1:
    *(global ushort *)at = c.x;
    break;
  case 2:
    *(global uint *)at = as_uint(c.xy);
    break;
  default:
    *(global ulong *)at = as_ulong(c);
  }
}
inline void store(global uchar *at, uint32_t channels, uint4 c) {
  switch (channels) {
  case 1:
    *(global uint *)at = c.x;
    break;
  case 2:
    *(global ulong *)at = as_ulong(c.xy);
    break;
  default: {
    ulong2 words = as_ulong2(c);
    ((global ulong *)at)[0] = words.x, ((global ulong *)at)[1] = words.y;
  }
  }
}

// ---- sRGB
// -------------------------------------------------------------------------------------------------------------

inline float linearOf(float c) { return c <= 0.04045f ? c / 12.92f : pow((c + 0.055f) / 1.055f, 2.4f); }
inline float srgbOf(float l) {
  l = l > 0 ? fmin(l, 1.0f) : 0; // NaN is 0
  return l < 0.0031308f ? 12.92f * l : 1.055f * pow(l, 1 / 2.4f) - 0.055f;
}

// ---- a pixel
// ----------------------------------------------------------------------------------------------------------

/// Returns the factor of the values in memory if decoding only multiplies by it; a filter then multiplies once.
inline float unitOf(uint32_t format) {
  if (imageType(format) == TypeUnorm8 && !isSrgb(imageOrder(format)))
    return 1 / 255.0f;
  return imageType(format) == TypeUnorm16 ? 1 / 65535.0f : 1;
}

/// Decodes pixels of float formats to the format's units.
shared float4 decodeUnits(uint32_t format, Pixel *at) {
  const uint32_t order = imageOrder(format), channels = channelsOf(order);
  float4 c = 0;
  switch (imageType(format)) {
  case TypeUnorm8:
    c = convert_float4(loadBytes(at, channels));
    if (isSrgb(order))
      c *= 1 / 255.0f, c.x = linearOf(c.x), c.y = linearOf(c.y), c.z = linearOf(c.z);
    break;
  case TypeSnorm8:
    c = max(convert_float4(as_char4(loadBytes(at, channels))) * (1 / 127.0f), -1.0f);
    break;
  case TypeUnorm16:
    c = convert_float4(loadShorts(at, channels));
    break;
  case TypeSnorm16:
    c = max(convert_float4(as_short4(loadShorts(at, channels))) * (1 / 32767.0f), -1.0f);
    break;
  case TypeUnorm565: {
    const uint w = *(const global ushort *)at;
    c = (float4)(float(w >> 11) * (1 / 31.0f), float(w >> 5 & 63) * (1 / 63.0f), float(w & 31) * (1 / 31.0f), 0);
    break;
  }
  case TypeUnorm555: {
    const uint w = *(const global ushort *)at;
    c = convert_float4((uint4)(w >> 10, w >> 5, w, 0) & 31u) * (1 / 31.0f);
    break;
  }
  case TypeUnorm101010: {
    const uint w = *(const global uint *)at;
    c = convert_float4((uint4)(w >> 20, w >> 10, w, 0) & 1023u) * (1 / 1023.0f);
    break;
  }
  case TypeUnorm101010_2: {
    const uint w = *(const global uint *)at;
    c = convert_float4((uint4)(w >> 22, w >> 12, w >> 2, 0) & 1023u) * (1 / 1023.0f);
    c.w = float(w & 3) * (1 / 3.0f);
    break;
  }
  case TypeHalf: {
    const ushort4 bits = loadShorts(at, channels);
    c = vload_half4(0, (const half *)&bits);
    break;
  }
  case TypeFloat:
    c = as_float4(loadWords(at, channels));
    break;
  }
  return componentsOf(order, c, 1 / unitOf(format));
}

inline float4 decodeFloat(uint32_t format, Pixel *at) { return decodeUnits(format, at) * unitOf(format); }

/// Decodes pixels of int and uint formats.
shared uint4 decodeInt(uint32_t format, Pixel *at) {
  const uint32_t order = imageOrder(format), channels = channelsOf(order);
  uint4 c = 0;
  switch (imageType(format)) {
  case TypeSigned8:
    c = as_uint4(convert_int4(as_char4(loadBytes(at, channels))));
    break;
  case TypeUnsigned8:
    c = convert_uint4(loadBytes(at, channels));
    break;
  case TypeSigned16:
    c = as_uint4(convert_int4(as_short4(loadShorts(at, channels))));
    break;
  case TypeUnsigned16:
    c = convert_uint4(loadShorts(at, channels));
    break;
  case TypeSigned32:
  case TypeUnsigned32:
    c = loadWords(at, channels);
    break;
  }
  return componentsOf(order, c, 1u);
}

shared void encodeFloat(uint32_t format, global uchar *at, float4 value) {
  const uint32_t order = imageOrder(format), channels = channelsOf(order);
  const float4 v = channelsFrom(order, value);
  switch (imageType(format)) {
  case TypeUnorm8: {
    float4 c = v;
    if (isSrgb(order))
      c.x = srgbOf(c.x), c.y = srgbOf(c.y), c.z = srgbOf(c.z);
    return store(at, channels, convert_uchar4_sat_rte(c * 255.0f));
  }
  case TypeSnorm8:
    return store(at, channels, as_uchar4(convert_char4_sat_rte(v * 127.0f)));
  case TypeUnorm16:
    return store(at, channels, convert_ushort4_sat_rte(v * 65535.0f));
  case TypeSnorm16:
    return store(at, channels, as_ushort4(convert_short4_sat_rte(v * 32767.0f)));
  case TypeUnorm565: {
    const uint4 c = min(convert_uint4_sat_rte(v * (float4)(31, 63, 31, 0)), (uint4)(31, 63, 31, 0));
    *(global ushort *)at = ushort(c.x << 11 | c.y << 5 | c.z);
    return;
  }
  case TypeUnorm555: {
    const uint4 c = min(convert_uint4_sat_rte(v * 31.0f), 31u);
    *(global ushort *)at = ushort(c.x << 10 | c.y << 5 | c.z);
    return;
  }
  case TypeUnorm101010: {
    const uint4 c = min(convert_uint4_sat_rte(v * 1023.0f), 1023u);
    *(global uint *)at = c.x << 20 | c.y << 10 | c.z;
    return;
  }
  case TypeUnorm101010_2: {
    const uint4 most = (uint4)(1023, 1023, 1023, 3), c = min(convert_uint4_sat_rte(v * convert_float4(most)), most);
    *(global uint *)at = c.x << 22 | c.y << 12 | c.z << 2 | c.w;
    return;
  }
  case TypeHalf: {
    ushort4 bits;
    vstore_half4_rte(v, 0, (half *)&bits);
    return store(at, channels, bits);
  }
  case TypeFloat:
    return store(at, channels, as_uint4(v));
  }
}

shared void encodeInt(uint32_t format, global uchar *at, uint4 value) {
  const uint32_t order = imageOrder(format), channels = channelsOf(order);
  const uint4 v = channelsFrom(order, value);
  switch (imageType(format)) {
  case TypeSigned8:
    return store(at, channels, as_uchar4(convert_char4_sat(as_int4(v))));
  case TypeUnsigned8:
    return store(at, channels, convert_uchar4_sat(v));
  case TypeSigned16:
    return store(at, channels, as_ushort4(convert_short4_sat(as_int4(v))));
  case TypeUnsigned16:
    return store(at, channels, convert_ushort4_sat(v));
  case TypeSigned32:
  case TypeUnsigned32:
    return store(at, channels, v);
  }
}

} // namespace kiln::abi

#undef shared
