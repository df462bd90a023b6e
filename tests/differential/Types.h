// Scalars and vectors of OpenCL C, as bits.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <string>

namespace kiln::differential {

enum class Kind : uint8_t { I8, U8, I16, U16, I32, U32, I64, U64, F32, F64 };
inline constexpr unsigned Kinds = 10, IntKinds = 8;

constexpr bool isFloat(Kind kind) { return kind >= Kind::F32; }
constexpr bool isSigned(Kind kind) { return !isFloat(kind) && unsigned(kind) % 2 == 0; }
constexpr unsigned bytes(Kind kind) { return isFloat(kind) ? (kind == Kind::F32 ? 4 : 8) : 1u << unsigned(kind) / 2; }
constexpr Kind signedKind(unsigned bytes) { return Kind(2 * std::countr_zero(bytes)); }
constexpr Kind unsignedKind(unsigned bytes) { return Kind(2 * std::countr_zero(bytes) + 1); }

struct Type {
  Kind kind = Kind::I32;
  unsigned components = 1;
  bool operator==(const Type &) const = default;
};

/// The result type of a comparison of two values of this type.
constexpr Type comparisonOf(Type type) {
  return type.components == 1 ? Type{Kind::I32, 1} : Type{signedKind(bytes(type.kind)), type.components};
}

inline std::string name(Type type) {
  static constexpr const char *Names[Kinds] = {"char", "uchar", "short", "ushort", "int",
                                               "uint", "long",  "ulong", "float",  "double"};
  return Names[unsigned(type.kind)] + (type.components > 1 ? std::to_string(type.components) : std::string());
}

/// The bits of each component, zero-extended.
struct Value {
  Type type;
  std::array<uint64_t, 16> components{};
};

template <typename T> struct BitsOf {
  using Type = std::make_unsigned_t<T>;
};
template <> struct BitsOf<float> {
  using Type = uint32_t;
};
template <> struct BitsOf<double> {
  using Type = uint64_t;
};
template <typename T> T fromBits(uint64_t bits) {
  return std::bit_cast<T>(static_cast<typename BitsOf<T>::Type>(bits));
}
template <typename T> uint64_t toBits(T value) { return std::bit_cast<typename BitsOf<T>::Type>(value); }

/// Calls `body` with a zero of the C++ type of `kind`.
template <typename Body> auto withNumber(Kind kind, Body body) {
  switch (kind) {
  case Kind::I8:
    return body(int8_t());
  case Kind::U8:
    return body(uint8_t());
  case Kind::I16:
    return body(int16_t());
  case Kind::U16:
    return body(uint16_t());
  case Kind::I32:
    return body(int32_t());
  case Kind::U32:
    return body(uint32_t());
  case Kind::I64:
    return body(int64_t());
  case Kind::U64:
    return body(uint64_t());
  case Kind::F32:
    return body(float());
  case Kind::F64:
    return body(double());
  }
  __builtin_unreachable();
}

} // namespace kiln::differential
