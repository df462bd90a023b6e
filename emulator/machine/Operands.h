// Operands as values: constants and scalar registers here, vectors of all lanes in Lanes.h.
#pragma once
#include "emulator/machine/Fault.h"
#include "emulator/machine/Wave.h"

namespace kiln::emulator {

/// The bits of a constant for an operand of type T. An inline floating-point constant has the format of the operand:
/// f16 for 16-bit types, f64 for 64-bit types, else f32. A literal for f64 is the high half of the number.
template <typename T> u64 constantBits(const Operand &operand) {
  if (operand.kind == OperandKind::Real) {
    if constexpr (sizeof(T) == 2)
      return toHalf(operand.real).bits;
    else if constexpr (sizeof(T) == 8)
      return std::bit_cast<u64>(operand.real);
    else
      return std::bit_cast<u32>(f32(operand.real));
  }
  if constexpr (std::is_same_v<T, f64>)
    if (operand.integer > 64) // a literal; inline constants are -16 to 64
      return operand.integer >> 32 ? u64(operand.integer) : u64(operand.integer) << 32;
  return u64(operand.integer);
}

/// The bits of a source that is the same in all lanes.
template <typename T> u64 uniformBits(const Wave &wave, const Operand &operand) {
  switch (operand.kind) {
  case OperandKind::Scalar:
    if constexpr (sizeof(T) == 8)
      return operand.count == 1 ? wave.scalar(operand.index) : wave.scalarPair(operand.index);
    else
      return wave.scalar(operand.index);
  case OperandKind::Integer:
  case OperandKind::Real:
    return constantBits<T>(operand);
  case OperandKind::Null:
    return 0;
  case OperandKind::Scc:
    return wave.scc;
  case OperandKind::Vccz:
    return !wave.vcc();
  case OperandKind::Execz:
    return !wave.exec();
  // As 32 bits, the aperture's high half.
  case OperandKind::SharedBase:
    return sizeof(T) == 8 ? SharedBase : SharedBase >> 32;
  case OperandKind::SharedLimit:
    return sizeof(T) == 8 ? SharedBase + ApertureBytes - 1 : SharedBase >> 32;
  case OperandKind::PrivateBase:
    return sizeof(T) == 8 ? PrivateBase : PrivateBase >> 32;
  case OperandKind::PrivateLimit:
    return sizeof(T) == 8 ? PrivateBase + ApertureBytes - 1 : PrivateBase >> 32;
  default:
    throw Fault(FaultKind::IllegalInstruction, "an operand of this kind cannot be a source");
  }
}

/// The bits with the operand's |x| and -x, which change the sign bit of whatever type.
template <typename T> u64 applySigns(u64 bits, const Operand &operand) {
  constexpr u64 Sign = 1ull << (sizeof(T) * 8 - 1);
  if (operand.absolute)
    bits &= ~Sign;
  if (operand.negate)
    bits ^= Sign;
  return bits;
}

template <typename T> T fromBits(u64 bits) {
  if constexpr (std::is_same_v<T, f16>)
    return f16{u16(bits)};
  else if constexpr (std::is_same_v<T, f32>)
    return std::bit_cast<f32>(u32(bits));
  else if constexpr (std::is_same_v<T, f64>)
    return std::bit_cast<f64>(bits);
  else
    return T(bits);
}

template <typename T> u64 toBits(T value) {
  if constexpr (std::is_same_v<T, f16>)
    return value.bits;
  else if constexpr (std::is_same_v<T, f32>)
    return std::bit_cast<u32>(value);
  else if constexpr (std::is_same_v<T, f64>)
    return std::bit_cast<u64>(value);
  else
    return u64(std::make_unsigned_t<T>(value));
}

/// A scalar source.
template <typename T> T readScalar(const Wave &wave, const Operand &operand) {
  return fromBits<T>(applySigns<T>(uniformBits<T>(wave, operand), operand));
}

/// A scalar destination. `null` drops the value.
template <typename T> void writeScalar(Wave &wave, const Operand &operand, T value) {
  if (operand.kind == OperandKind::Null)
    return;
  if (operand.kind != OperandKind::Scalar)
    throw Fault(FaultKind::IllegalInstruction, "the destination is not a scalar register");
  if constexpr (sizeof(T) == 8)
    wave.setScalarPair(operand.index, toBits(value));
  else
    wave.setScalar(operand.index, u32(toBits(value)));
}

/// A mask of lanes as a destination.
inline void writeMask(Wave &wave, const Operand &operand, u64 mask) {
  if (operand.kind == OperandKind::Scalar)
    wave.setMask(operand.index, mask);
  else if (operand.kind != OperandKind::Null)
    throw Fault(FaultKind::IllegalInstruction, "the destination is not a mask");
}

} // namespace kiln::emulator
