// Executes a function of scalar operands. The types of its parameters and of its result say how they are read and
// written:
//
//   {"s_add_u32", scalars<[](u32 a, u32 b) { return withScc(a + b, a + b < a); }>}
#pragma once
#include "emulator/machine/Operands.h"
#include <functional>
#include <tuple>

namespace kiln::emulator {

/// SCC as a parameter.
struct SccBit {
  bool set;
};
/// The destination's value before. Takes no operand.
template <typename T> struct OldScalar {
  T value;
};
/// A result and the new SCC.
template <typename T> struct WithScc {
  T value;
  bool scc;
};
template <typename T> WithScc<T> withScc(T value, bool scc) { return {value, scc}; }
/// SCC is whether the result is other than 0.
template <typename T> WithScc<T> sccIfNonzero(T value) { return {value, value != 0}; }

template <typename T> struct ScalarParameter {
  static constexpr unsigned operands = 1;
  static T read(const Wave &wave, const Instruction &, const Operand &operand) { return readScalar<T>(wave, operand); }
};
template <> struct ScalarParameter<SccBit> {
  static constexpr unsigned operands = 0;
  static SccBit read(const Wave &wave, const Instruction &, const Operand &) { return {wave.scc}; }
};
template <typename T> struct ScalarParameter<OldScalar<T>> {
  static constexpr unsigned operands = 0;
  static OldScalar<T> read(const Wave &wave, const Instruction &instruction, const Operand &) {
    return {readScalar<T>(wave, instruction.operands[0])};
  }
};
template <> struct ScalarParameter<const Wave &> {
  static constexpr unsigned operands = 0;
  static std::reference_wrapper<const Wave> read(const Wave &wave, const Instruction &, const Operand &) {
    return wave;
  }
};

template <typename F> struct ScalarSignature;
template <typename C, typename R, typename... A> struct ScalarSignature<R (C::*)(A...) const> {
  using Result = R;
  static constexpr unsigned sources = (0 + ... + ScalarParameter<A>::operands);
  /// A comparison writes SCC only.
  static constexpr unsigned destinations = std::is_same_v<R, bool> ? 0 : 1;
  static constexpr FloatMode mode =
      std::is_same_v<R, f32> || (false || ... || std::is_same_v<A, f32>) ? FloatMode::Single : FloatMode::None;
  template <typename F> static R call(F function, const Wave &wave, const Instruction &instruction) {
    // Braces order the calls that advance `at`.
    unsigned at = destinations;
    auto next = [&]<typename T>() -> decltype(auto) {
      const Operand &operand = instruction.operands[at < instruction.operands.size() ? at : 0];
      at += ScalarParameter<T>::operands;
      return ScalarParameter<T>::read(wave, instruction, operand);
    };
    std::tuple<A...> arguments{next.template operator()<A>()...};
    return std::apply(function, arguments);
  }
};

template <typename T> void finishScalar(Wave &wave, const Instruction &instruction, T result) {
  writeScalar(wave, instruction.operands[0], result);
}
template <typename T> void finishScalar(Wave &wave, const Instruction &instruction, WithScc<T> result) {
  writeScalar(wave, instruction.operands[0], result.value);
  wave.scc = result.scc;
}
inline void finishScalar(Wave &wave, const Instruction &, bool result) { wave.scc = result; }

template <auto Function> void runScalars(Wave &wave, const Instruction &instruction) {
  using Signature = ScalarSignature<decltype(&decltype(Function)::operator())>;
  if (instruction.operandCount != Signature::destinations + Signature::sources)
    throw Fault(FaultKind::IllegalInstruction, "the instruction has ", unsigned(instruction.operandCount),
                " operands, the emulator expects ", Signature::destinations + Signature::sources);
  finishScalar(wave, instruction, Signature::call(Function, wave, instruction));
}

template <auto Function> consteval Semantics scalarSemantics() {
  using Signature = ScalarSignature<decltype(&decltype(Function)::operator())>;
  return {runScalars<Function>, Signature::mode, i8(Signature::destinations), false};
}
template <auto Function> inline constexpr Semantics scalars = scalarSemantics<Function>();

} // namespace kiln::emulator
