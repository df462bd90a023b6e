// Conversions between number formats. To an integer they truncate, saturate, and give 0 for a NaN.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Floats.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

template <unsigned Byte> f32 byteToFloat(u32 a) { return f32(a >> Byte * 8 & 0xff); }
u16 packHalf(f32 value, Rounding rounding) { return toHalf(value, rounding).bits; }

const Row rows[] = {
    {"v_cvt_f32_i32", lanes<[](i32 a) { return f32(a); }>},
    {"v_cvt_f32_u32", lanes<[](u32 a) { return f32(a); }>},
    {"v_cvt_f64_i32", lanes<[](i32 a) { return f64(a); }>},
    {"v_cvt_f64_u32", lanes<[](u32 a) { return f64(a); }>},
    {"v_cvt_f32_f64", lanes<[](f64 a) { return f32(a); }>},
    {"v_cvt_f64_f32", lanes<[](f32 a) { return f64(a); }>},
    {"v_cvt_f32_f16", lanes<[](f16 a) { return toFloat(a); }>},
    {"v_cvt_f16_f32", lanes<[](f32 a) { return exact<f16>(a); }>},
    {"v_cvt_f16_u16", lanes<[](u16 a) { return exact<f16>(a); }>},
    {"v_cvt_f16_i16", lanes<[](i16 a) { return exact<f16>(a); }>},
    {"v_cvt_i32_f32", lanes<[](f32 a) { return toInteger<i32>(a); }>},
    {"v_cvt_u32_f32", lanes<[](f32 a) { return toInteger<u32>(a); }>},
    {"v_cvt_i32_f64", lanes<[](f64 a) { return toInteger<i32>(a); }>},
    {"v_cvt_u32_f64", lanes<[](f64 a) { return toInteger<u32>(a); }>},
    {"v_cvt_i16_f16", lanes<[](f16 a) { return toInteger<i16>(toFloat(a)); }>},
    {"v_cvt_u16_f16", lanes<[](f16 a) { return toInteger<u16>(toFloat(a)); }>},
    {"v_cvt_rpi_i32_f32 v_cvt_nearest_i32_f32", lanes<[](f32 a) { return toInteger<i32>(std::floor(f64(a) + 0.5)); }>},
    {"v_cvt_flr_i32_f32 v_cvt_floor_i32_f32", lanes<[](f32 a) { return toInteger<i32>(std::floor(f64(a))); }>},
    {"v_cvt_f32_ubyte0", lanes<[](u32 a) { return byteToFloat<0>(a); }>},
    {"v_cvt_f32_ubyte1", lanes<[](u32 a) { return byteToFloat<1>(a); }>},
    {"v_cvt_f32_ubyte2", lanes<[](u32 a) { return byteToFloat<2>(a); }>},
    {"v_cvt_f32_ubyte3", lanes<[](u32 a) { return byteToFloat<3>(a); }>},
    {"v_cvt_pkrtz_f16_f32 v_cvt_pk_rtz_f16_f32", lanes<[](f32 a, f32 b) {
       return u32(packHalf(a, Rounding::TowardZero)) | u32(packHalf(b, Rounding::TowardZero)) << 16;
     }>},
    {"v_cvt_pk_u16_u32", lanes<[](u32 a, u32 b) { return std::min(a, 0xffffu) | std::min(b, 0xffffu) << 16; }>},
    {"v_cvt_pk_i16_i32", lanes<[](i32 a, i32 b) {
       return u32(u16(std::clamp(a, -32768, 32767))) | u32(u16(std::clamp(b, -32768, 32767))) << 16;
     }>},
};

} // namespace

const Table vectorConversion = rows;

} // namespace kiln::emulator
