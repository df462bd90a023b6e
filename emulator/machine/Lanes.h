// Executes a function for every active lane of a wave. The types of its parameters and of its result say how operands
// are read and written, so a row of a table in instructions/ is the whole instruction:
//
//   {"v_mad_u64_u32", lanes<[](u32 a, u32 b, u64 c) { return withCarry(u64(a) * b, c); }>}
//
// Sources are read for all lanes before a result is written, because a destination may be a source, and DPP reads other
// lanes.
#pragma once
#include "emulator/machine/Dpp.h"
#include "emulator/machine/LaneTypes.h"
#include "emulator/machine/Operands.h"
#include <algorithm>
#include <limits>
#include <tuple>

namespace kiln::emulator {

/// A value for each lane.
template <typename T> using PerLane = std::array<T, MaxLanes>;

inline u32 selectPart(u32 value, Select select, bool signExtend) {
  auto extend = [&](u32 bits, unsigned width) {
    return signExtend ? u32(i32(bits << (32 - width)) >> (32 - width)) : bits;
  };
  switch (select) {
  case Select::Dword:
    return value;
  case Select::Byte0:
  case Select::Byte1:
  case Select::Byte2:
  case Select::Byte3:
    return extend(value >> (unsigned(select) - unsigned(Select::Byte0)) * 8 & 0xff, 8);
  case Select::Word0:
  case Select::Word1:
    return extend(value >> (unsigned(select) - unsigned(Select::Word0)) * 16 & 0xffff, 16);
  }
  return value;
}

/// Reads a source. `number`: its place among the sources, for op_sel; source 0 is the one that DPP permutes.
template <typename T>
void fetch(const Wave &wave, const Instruction &instruction, const Operand &operand, unsigned number,
           const DppLanes *dpp, PerLane<T> &values) {
  const bool high = sizeof(T) == 2 && (operand.part == Part::High || (instruction.opSel >> number & 1));
  auto convert = [&](u64 bits) {
    if (operand.select != Select::Dword)
      bits = selectPart(u32(bits), operand.select, operand.signExtend);
    return fromBits<T>(applySigns<T>(high ? bits >> 16 : bits, operand));
  };
  if (operand.kind != OperandKind::Vector) {
    values.fill(convert(uniformBits<T>(wave, operand)));
    return;
  }
  const unsigned index = operand.index + wave.indexOffset(number);
  const VectorRegister &low = wave.vector(index);
  const VectorRegister *upper = sizeof(T) == 8 ? &wave.vector(index + 1) : nullptr;
  const bool permuted = dpp && number == 0;
  if (!permuted && !high && !operand.negate && !operand.absolute && operand.select == Select::Dword) {
    // The common case, without a decision for each lane.
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      values[lane] = fromBits<T>(low[lane] | (upper ? u64((*upper)[lane]) << 32 : 0));
    return;
  }
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    const int from = permuted ? dpp->from[lane] : int(lane);
    u64 bits = from < 0 ? 0 : low[unsigned(from)];
    if (upper && from >= 0)
      bits |= u64((*upper)[unsigned(from)]) << 32;
    values[lane] = convert(bits);
  }
}

/// Writes a 32-bit or 16-bit result to a part of the register, as SDWA, op_sel or the operand says.
inline u32 mergePart(const Wave &wave, const Instruction &instruction, const Operand &operand, u32 old, u32 value,
                     bool isHalf, bool keepsHigh) {
  if (instruction.sdwa && instruction.destinationSelect != Select::Dword) {
    const bool isByte = instruction.destinationSelect <= Select::Byte3;
    const unsigned width = isByte ? 8 : 16;
    const unsigned shift = isByte ? (unsigned(instruction.destinationSelect) - unsigned(Select::Byte0)) * 8
                                  : (unsigned(instruction.destinationSelect) - unsigned(Select::Word0)) * 16;
    const u32 field = (1u << width) - 1, placed = (value & field) << shift;
    switch (instruction.unused) {
    case Unused::Pad:
      return placed;
    case Unused::SignExtend:
      return u32(i32((value & field) << (32 - width)) >> (32 - width - shift)) & ~((1u << shift) - 1);
    case Unused::Preserve:
      return (old & ~(field << shift)) | placed;
    }
  }
  if (!isHalf)
    return value;
  if (operand.part == Part::High || instruction.opSel & 8)
    return (old & 0xffff) | value << 16;
  if (operand.part == Part::Low || wave.gpu.keepsHighHalf || keepsHigh)
    return (old & 0xffff0000) | (value & 0xffff);
  return value & 0xffff;
}

/// omod and clamp of a floating-point result.
template <typename T> T scaleAndClamp(const Wave &wave, const Instruction &instruction, T value) {
  value *= T(instruction.outputScale);
  if (!instruction.clamp)
    return value;
  if (std::isnan(value))
    return wave.dx10Clamp() ? T(0) : value;
  return value < T(0) ? T(0) : value > T(1) ? T(1) : value;
}

template <typename T> inline u64 resultBits(const Wave &wave, const Instruction &instruction, T value) {
  if constexpr (std::is_floating_point_v<T>)
    return toBits(scaleAndClamp(wave, instruction, value));
  else if (instruction.clamp)
    throw Fault(FaultKind::IllegalInstruction, "the emulator does not have the clamp of this instruction");
  else
    return toBits(value);
}
template <typename T> inline u64 resultBits(const Wave &wave, const Instruction &instruction, Exact<T> result) {
  if constexpr (std::is_same_v<T, f16>) {
    f16 half = toHalf(scaleAndClamp(wave, instruction, result.value), wave.rounding(false));
    if (wave.flushesOutput(false) && !(half.bits & 0x7c00))
      half.bits &= 0x8000;
    return half.bits;
  } else {
    if (instruction.clamp)
      result.value = std::clamp<decltype(result.value)>(result.value, std::numeric_limits<T>::min(),
                                                        std::numeric_limits<T>::max());
    return toBits(T(result.value));
  }
}
template <typename T> inline u64 resultBits(const Wave &wave, const Instruction &instruction, KeepsHigh<T> result) {
  return resultBits(wave, instruction, result.value);
}

/// The kind of value that a result has: T of Exact<T>.
template <typename T> struct ValueOf {
  using Type = T;
  static constexpr bool keepsHigh = false;
};
template <typename T> struct ValueOf<Exact<T>> : ValueOf<T> {};
template <typename T> struct ValueOf<KeepsHigh<T>> {
  using Type = typename ValueOf<T>::Type;
  static constexpr bool keepsHigh = true;
};

/// Writes the results of the lanes in `written`.
template <typename R>
void store(Wave &wave, const Instruction &instruction, const Operand &operand, u64 written, const PerLane<R> &results) {
  using T = typename ValueOf<R>::Type;
  if (operand.kind != OperandKind::Vector)
    throw Fault(FaultKind::IllegalInstruction, "the destination is not a vector register");
  const unsigned index = operand.index + wave.indexOffset(3);
  VectorRegister &low = wave.vector(index);
  VectorRegister *upper = sizeof(T) == 8 ? &wave.vector(index + 1) : nullptr;
  const bool plain = sizeof(T) >= 4 && !instruction.sdwa;
  for (u64 left = written; left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    const u64 bits = resultBits(wave, instruction, results[lane]);
    low[lane] =
        plain ? u32(bits)
              : mergePart(wave, instruction, operand, low[lane], u32(bits), sizeof(T) == 2, ValueOf<R>::keepsHigh);
    if (sizeof(T) == 8)
      (*upper)[lane] = u32(bits >> 32);
  }
}

// ---- parameters
//
// Each kind of parameter has a reader: how many operands it takes, and its value in a lane.

template <typename T> struct Parameter {
  static constexpr unsigned operands = 1;
  PerLane<T> values;
  void read(const Wave &wave, const Instruction &instruction, const Operand &operand, unsigned number,
            const DppLanes *dpp) {
    fetch<T>(wave, instruction, operand, number, dpp, values);
  }
  T operator[](unsigned lane) const { return values[lane]; }
};
template <> struct Parameter<LaneBit> {
  static constexpr unsigned operands = 1;
  u64 mask;
  void read(const Wave &wave, const Instruction &, const Operand &operand, unsigned, const DppLanes *) {
    mask = operand.kind == OperandKind::Scalar ? wave.mask(operand.index) : uniformBits<u64>(wave, operand);
  }
  LaneBit operator[](unsigned lane) const { return {bool(mask >> lane & 1)}; }
};
template <> struct Parameter<VccBit> {
  static constexpr unsigned operands = 0;
  u64 mask;
  void read(const Wave &wave, const Instruction &, const Operand &, unsigned, const DppLanes *) { mask = wave.vcc(); }
  VccBit operator[](unsigned lane) const { return {bool(mask >> lane & 1)}; }
};
template <typename T> struct Parameter<Old<T>> {
  static constexpr unsigned operands = 0;
  PerLane<T> values;
  void read(const Wave &wave, const Instruction &instruction, const Operand &, unsigned, const DppLanes *) {
    const Operand &destination = instruction.operands[0];
    Instruction plain; // op_sel of a source is not the destination's
    plain.opSel = instruction.opSel & 8;
    fetch<T>(wave, plain, destination, 3, nullptr, values);
  }
  Old<T> operator[](unsigned lane) const { return {values[lane]}; }
};
template <> struct Parameter<LaneContext> {
  static constexpr unsigned operands = 0;
  const Wave *wave;
  void read(const Wave &from, const Instruction &, const Operand &, unsigned, const DppLanes *) { wave = &from; }
  LaneContext operator[](unsigned lane) const { return {*wave, lane}; }
};

// ---- results

template <typename R> struct ResultWriter {
  static constexpr unsigned operands = 1;
  PerLane<R> results;
  void set(unsigned lane, R result) { results[lane] = result; }
  void write(Wave &wave, const Instruction &instruction, u64 written, unsigned) {
    store<R>(wave, instruction, instruction.operands[0], written, results);
  }
};
/// A comparison: a mask. v_cmpx of newer generations has no destination and writes EXEC.
template <> struct ResultWriter<bool> {
  static constexpr unsigned operands = 1;
  u64 mask = 0;
  void set(unsigned lane, bool result) { mask |= u64(result) << lane; }
  void write(Wave &wave, const Instruction &instruction, u64, unsigned destinations) {
    if (destinations)
      writeMask(wave, instruction.operands[0], mask);
  }
};
template <typename T> struct ResultWriter<WithMask<T>> {
  static constexpr unsigned operands = 2;
  PerLane<T> results;
  u64 mask = 0;
  void set(unsigned lane, WithMask<T> result) {
    results[lane] = result.value;
    mask |= u64(result.bit) << lane;
  }
  void write(Wave &wave, const Instruction &instruction, u64 written, unsigned) {
    store<T>(wave, instruction, instruction.operands[0], written, results);
    writeMask(wave, instruction.operands[1], mask);
  }
};

template <typename F> struct SignatureOf;
template <typename C, typename R, typename... A> struct SignatureOf<R (C::*)(A...) const> {
  using Result = R;
  using Parameters = std::tuple<Parameter<A>...>;
  template <typename T>
  static constexpr bool mentions = (std::is_same_v<typename ValueOf<R>::Type, T> || ... || std::is_same_v<A, T>);
  static constexpr FloatMode mode = mentions<f64>                         ? FloatMode::HalfOrDouble
                                    : mentions<f32> || mentions<Old<f32>> ? FloatMode::Single
                                                                          : FloatMode::None;
  static constexpr i8 destinations = i8(ResultWriter<R>::operands);
  static constexpr bool readsVcc = (false || ... || std::is_same_v<A, VccBit>);
};

/// Executes `Function` in the active lanes. `ToExec`: a comparison that also sets EXEC.
template <auto Function, bool ToExec = false> void runLanes(Wave &wave, const Instruction &instruction) {
  using Signature = SignatureOf<decltype(&decltype(Function)::operator())>;
  typename Signature::Parameters parameters;
  ResultWriter<typename Signature::Result> result;
  DppLanes dpp;
  const bool permuted = instruction.dpp != DppKind::None;
  if (permuted)
    dpp = dppLanes(wave, instruction);
  const u64 active = permuted ? dpp.written : wave.exec();

  std::apply(
      [&](auto &...parameter) {
        constexpr unsigned Sources = (0 + ... + std::remove_reference_t<decltype(parameter)>::operands);
        unsigned destinations = ResultWriter<typename Signature::Result>::operands;
        if (ToExec && instruction.operandCount == Sources)
          destinations = 0;
        if (instruction.operandCount != destinations + Sources)
          throw Fault(FaultKind::IllegalInstruction, "the instruction has ", unsigned(instruction.operandCount),
                      " operands, the emulator expects ", destinations + Sources);
        unsigned number = 0;
        (..., (parameter.read(wave, instruction, instruction.operands[destinations + number], number,
                              permuted ? &dpp : nullptr),
               number += std::remove_reference_t<decltype(parameter)>::operands));
        for (u64 left = active; left; left &= left - 1) {
          const unsigned lane = unsigned(std::countr_zero(left));
          result.set(lane, Function(parameter[lane]...));
        }
        result.write(wave, instruction, active, destinations);
      },
      parameters);
  if constexpr (ToExec)
    wave.setMask(Exec, result.mask);
}

template <auto Function, bool ToExec> consteval Semantics laneSemantics() {
  using Signature = SignatureOf<decltype(&decltype(Function)::operator())>;
  return {runLanes<Function, ToExec>, Signature::mode, Signature::destinations, Signature::readsVcc};
}
/// A row's semantics: a function of one lane.
template <auto Function> inline constexpr Semantics lanes = laneSemantics<Function, false>();
/// A comparison that also sets EXEC.
template <auto Function> inline constexpr Semantics lanesToExec = laneSemantics<Function, true>();

} // namespace kiln::emulator
