// Packed instructions (VOP3P): one operation on two halves, or on two f32 in a register pair. op_sel chooses which half
// of each source the low result reads, op_sel_hi which one the high result reads; neg_lo and neg_hi negate them.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Floats.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

/// The instruction with the operands' selections of one of the two results, for `fetch`.
struct HalfView {
  HalfView(const Instruction &instruction, bool high)
      : select(high ? instruction.opSelHi : instruction.opSel), negate(high ? instruction.negHi : instruction.negLo) {}
  const u8 select, negate;
};

/// Source `number` of a packed 16-bit instruction, for one of the results. A constant is in the low half; a literal,
/// and an integer constant sign-extended, has both.
template <typename T>
void fetchHalf(const Wave &wave, const Operand &operand, unsigned number, HalfView view, PerLane<T> &values) {
  const bool high = view.select >> number & 1, negate = view.negate >> number & 1;
  auto convert = [&](u32 word) {
    u16 bits = u16(high ? word >> 16 : word);
    return fromBits<T>(negate ? bits ^ 0x8000 : bits);
  };
  if (operand.kind == OperandKind::Vector) {
    const VectorRegister &source = wave.vector(operand.index);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      values[lane] = convert(source[lane]);
  } else if (operand.kind == OperandKind::Real) {
    values.fill(convert(toHalf(operand.real).bits));
  } else {
    values.fill(convert(u32(uniformBits<u32>(wave, operand))));
  }
}

template <typename F> struct PackedSignature;
template <typename C, typename R, typename First, typename... Rest>
struct PackedSignature<R (C::*)(First, Rest...) const> {
  using Element = First;
  using Result = R;
  static constexpr unsigned sources = 1 + sizeof...(Rest);
};

template <auto Function> void runPacked(Wave &wave, const Instruction &instruction) {
  using Signature = PackedSignature<decltype(&decltype(Function)::operator())>;
  using T = typename Signature::Element;
  if (instruction.operandCount != 1 + Signature::sources || instruction.operands[0].kind != OperandKind::Vector)
    throw Fault(FaultKind::IllegalInstruction, "the operands are not those of a packed instruction");
  u32 results[2][MaxLanes];
  for (bool high : {false, true}) {
    std::array<PerLane<T>, Signature::sources> sources;
    for (unsigned i = 0; i < Signature::sources; ++i)
      fetchHalf<T>(wave, instruction.operands[1 + i], i, HalfView(instruction, high), sources[i]);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      results[high][lane] = u32(std::apply(
          [&](auto &...source) { return u16(resultBits(wave, instruction, Function(source[lane]...))); }, sources));
  }
  VectorRegister &target = wave.vector(instruction.operands[0].index);
  for (u64 left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    target[lane] = results[0][lane] | results[1][lane] << 16;
  }
}
template <auto Function> constexpr Semantics packed{runPacked<Function>, FloatMode::HalfOrDouble};

/// Two f32 in register pairs; a selection chooses the register of the pair. A constant is the same in both.
template <auto Function> void runPackedSingle(Wave &wave, const Instruction &instruction) {
  using Signature = PackedSignature<decltype(&decltype(Function)::operator())>;
  f32 results[2][MaxLanes];
  for (bool high : {false, true}) {
    std::array<PerLane<f32>, Signature::sources> sources;
    const HalfView view(instruction, high);
    for (unsigned i = 0; i < Signature::sources; ++i) {
      const Operand &operand = instruction.operands[1 + i];
      const bool upper = view.select >> i & 1, negate = view.negate >> i & 1;
      auto convert = [&](u32 bits) { return std::bit_cast<f32>(negate ? bits ^ 0x8000'0000 : bits); };
      if (operand.kind == OperandKind::Vector) {
        const VectorRegister &source = wave.vector(operand.index + upper);
        for (unsigned lane = 0; lane < wave.lanes; ++lane)
          sources[i][lane] = convert(source[lane]);
      } else if (operand.kind == OperandKind::Scalar) {
        sources[i].fill(convert(wave.scalar(operand.index + upper)));
      } else {
        sources[i].fill(convert(u32(uniformBits<f32>(wave, operand))));
      }
    }
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      results[high][lane] = std::apply(
          [&](auto &...source) { return scaleAndClamp(wave, instruction, Function(source[lane]...)); }, sources);
  }
  for (bool high : {false, true}) {
    VectorRegister &target = wave.vector(instruction.operands[0].index + high);
    for (u64 left = wave.exec(); left; left &= left - 1) {
      const unsigned lane = unsigned(std::countr_zero(left));
      target[lane] = std::bit_cast<u32>(results[high][lane]);
    }
  }
}
template <auto Function> constexpr Semantics packedSingle{runPackedSingle<Function>, FloatMode::Single};

/// v_fma_mix: each source is an f32, or with op_sel_hi the half that op_sel chooses. neg_lo negates, neg_hi is |x|.
template <typename T, bool High> void runMix(Wave &wave, const Instruction &instruction) {
  std::array<PerLane<f32>, 3> sources;
  for (unsigned i = 0; i < 3; ++i) {
    Operand operand = instruction.operands[1 + i];
    const bool isHalf = instruction.opSelHi >> i & 1;
    Instruction plain;
    plain.opSel = instruction.opSel & 7;
    if (isHalf) {
      PerLane<f16> halves;
      fetch<f16>(wave, plain, operand, i, nullptr, halves);
      for (unsigned lane = 0; lane < wave.lanes; ++lane)
        sources[i][lane] = toFloat(halves[lane]);
    } else {
      fetch<f32>(wave, plain, operand, i, nullptr, sources[i]);
    }
    for (f32 &value : sources[i]) {
      if (instruction.negHi >> i & 1)
        value = std::fabs(value);
      if (instruction.negLo >> i & 1)
        value = -value;
    }
  }
  PerLane<T> results;
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    const f32 sum = std::fma(sources[0][lane], sources[1][lane], sources[2][lane]);
    if constexpr (std::is_same_v<T, f32>)
      results[lane] = sum;
    else
      results[lane] = keepsHigh(exact<f16>(sum));
  }
  Instruction target;
  target.clamp = instruction.clamp;
  target.opSel = High ? 8 : 0;
  store<T>(wave, target, instruction.operands[0], wave.exec(), results);
}

long double wide(f16 half) { return toFloat(half); }
Exact<f16> rounded(long double value) { return exact<f16>(value); }

const Row rows[] = {
    {"v_pk_add_u16", packed<[](u16 a, u16 b) { return exact<u16>(a + b); }>},
    {"v_pk_sub_u16", packed<[](u16 a, u16 b) { return exact<u16>(a - b); }>},
    {"v_pk_add_i16", packed<[](i16 a, i16 b) { return exact<i16>(a + b); }>},
    {"v_pk_sub_i16", packed<[](i16 a, i16 b) { return exact<i16>(a - b); }>},
    {"v_pk_mul_lo_u16", packed<[](u16 a, u16 b) { return u16(u32(a) * b); }>},
    {"v_pk_mad_u16", packed<[](u16 a, u16 b, u16 c) { return exact<u16>(i64(a) * b + c); }>},
    {"v_pk_mad_i16", packed<[](i16 a, i16 b, i16 c) { return exact<i16>(i64(a) * b + c); }>},
    {"v_pk_min_i16", packed<[](i16 a, i16 b) { return std::min(a, b); }>},
    {"v_pk_max_i16", packed<[](i16 a, i16 b) { return std::max(a, b); }>},
    {"v_pk_min_u16", packed<[](u16 a, u16 b) { return std::min(a, b); }>},
    {"v_pk_max_u16", packed<[](u16 a, u16 b) { return std::max(a, b); }>},
    {"v_pk_lshlrev_b16", packed<[](u16 by, u16 a) { return u16(a << (by & 15)); }>},
    {"v_pk_lshrrev_b16", packed<[](u16 by, u16 a) { return u16(a >> (by & 15)); }>},
    {"v_pk_ashrrev_i16", packed<[](i16 by, i16 a) { return i16(a >> (by & 15)); }>},
    {"v_pk_add_f16", packed<[](f16 a, f16 b) { return rounded(wide(a) + wide(b)); }>},
    {"v_pk_mul_f16", packed<[](f16 a, f16 b) { return rounded(wide(a) * wide(b)); }>},
    {"v_pk_fma_f16", packed<[](f16 a, f16 b, f16 c) { return rounded(wide(a) * wide(b) + wide(c)); }>},
    {"v_pk_min_f16 v_pk_min_num_f16",
     packed<[](f16 a, f16 b) { return rounded(minimum(toFloat(a), toFloat(b), false)); }>},
    {"v_pk_max_f16 v_pk_max_num_f16",
     packed<[](f16 a, f16 b) { return rounded(maximum(toFloat(a), toFloat(b), false)); }>},
    {"v_pk_add_f32", packedSingle<[](f32 a, f32 b) { return a + b; }>},
    {"v_pk_mul_f32", packedSingle<[](f32 a, f32 b) { return a * b; }>},
    {"v_pk_fma_f32", packedSingle<[](f32 a, f32 b, f32 c) { return std::fma(a, b, c); }>},
    {"v_fma_mix_f32 v_mad_mix_f32", {runMix<f32, false>, FloatMode::Single}},
    {"v_fma_mixlo_f16 v_mad_mixlo_f16", {runMix<KeepsHigh<Exact<f16>>, false>, FloatMode::Single}},
    {"v_fma_mixhi_f16 v_mad_mixhi_f16", {runMix<KeepsHigh<Exact<f16>>, true>, FloatMode::Single}},
};

} // namespace

const Table vectorPacked = rows;

} // namespace kiln::emulator
