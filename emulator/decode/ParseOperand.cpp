#include "emulator/decode/ParseOperand.h"
#include <charconv>
#include <cstdlib>

namespace kiln::emulator {
namespace {

bool wholeNumber(std::string_view text, unsigned &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

/// "7" or "[4:7]".
bool parseRange(std::string_view text, unsigned &first, unsigned &count) {
  count = 1;
  if (wholeNumber(text, first))
    return true;
  if (!text.starts_with('[') || !text.ends_with(']'))
    return false;
  text = text.substr(1, text.size() - 2);
  unsigned last = 0;
  size_t colon = text.find(':');
  if (!wholeNumber(text.substr(0, colon), first))
    return false;
  if (colon == std::string_view::npos)
    return true;
  if (!wholeNumber(text.substr(colon + 1), last) || last < first)
    return false;
  count = last - first + 1;
  return true;
}

struct Named {
  std::string_view name;
  OperandKind kind;
  u16 index;
  u8 count;
};

constexpr Named Names[] = {
    {"vcc", OperandKind::Scalar, Vcc, 2},
    {"vcc_lo", OperandKind::Scalar, Vcc, 1},
    {"vcc_hi", OperandKind::Scalar, Vcc + 1, 1},
    {"exec", OperandKind::Scalar, Exec, 2},
    {"exec_lo", OperandKind::Scalar, Exec, 1},
    {"exec_hi", OperandKind::Scalar, Exec + 1, 1},
    {"m0", OperandKind::Scalar, M0, 1},
    {"flat_scratch", OperandKind::Scalar, FlatScratch, 2},
    {"flat_scratch_lo", OperandKind::Scalar, FlatScratch, 1},
    {"flat_scratch_hi", OperandKind::Scalar, FlatScratch + 1, 1},
    {"xnack_mask", OperandKind::Scalar, XnackMask, 2},
    {"null", OperandKind::Null, 0, 0},
    {"off", OperandKind::Off, 0, 0},
    {"scc", OperandKind::Scc, 0, 0},
    {"src_scc", OperandKind::Scc, 0, 0},
    {"vccz", OperandKind::Vccz, 0, 0},
    {"src_vccz", OperandKind::Vccz, 0, 0},
    {"execz", OperandKind::Execz, 0, 0},
    {"src_execz", OperandKind::Execz, 0, 0},
    {"src_shared_base", OperandKind::SharedBase, 0, 0},
    {"src_shared_limit", OperandKind::SharedLimit, 0, 0},
    {"src_private_base", OperandKind::PrivateBase, 0, 0},
    {"src_private_limit", OperandKind::PrivateLimit, 0, 0},
};

bool parseRegister(std::string_view text, Operand &operand) {
  for (const Named &named : Names)
    if (text == named.name) {
      operand.kind = named.kind;
      operand.index = named.index;
      operand.count = named.count;
      return true;
    }
  if (text.ends_with(".l") || text.ends_with(".h")) {
    operand.part = text.ends_with(".l") ? Part::Low : Part::High;
    text.remove_suffix(2);
  }
  u16 base = 0;
  if (text.starts_with("ttmp")) {
    operand.kind = OperandKind::Scalar;
    base = Trap;
    text.remove_prefix(4);
  } else if (text.starts_with('v') || text.starts_with('a')) {
    operand.kind = OperandKind::Vector;
    base = text[0] == 'a' ? FirstAccumulator : 0;
    text.remove_prefix(1);
  } else if (text.starts_with('s')) {
    operand.kind = OperandKind::Scalar;
    text.remove_prefix(1);
  } else {
    return false;
  }
  unsigned first = 0, count = 0;
  if (!parseRange(text, first, count) || first + count > 256)
    return false;
  operand.index = u16(base + first);
  operand.count = u8(count);
  return true;
}

bool parseConstant(std::string_view text, Operand &operand) {
  const std::string copy(text);
  char *end = nullptr;
  if (text.find('.') != std::string_view::npos) {
    operand.kind = OperandKind::Real;
    operand.real = std::strtod(copy.c_str(), &end);
  } else {
    operand.kind = OperandKind::Integer;
    operand.integer =
        text.starts_with('-') ? std::strtoll(copy.c_str(), &end, 0) : i64(std::strtoull(copy.c_str(), &end, 0));
  }
  return !text.empty() && *end == 0;
}

/// hwreg(HW_REG_MODE, 4, 2). `index` is the register's number.
bool parseHardwareRegister(std::string_view text, Operand &operand) {
  struct Register {
    std::string_view name;
    u16 number;
  };
  constexpr Register Registers[] = {
      {"HW_REG_MODE", 1},      {"HW_REG_STATUS", 2},        {"HW_REG_TRAPSTS", 3},        {"HW_REG_HW_ID", 4},
      {"HW_REG_LDS_ALLOC", 6}, {"HW_REG_SH_MEM_BASES", 15}, {"HW_REG_FLAT_SCR_LO", 20},   {"HW_REG_FLAT_SCR_HI", 21},
      {"HW_REG_HW_ID1", 23},   {"HW_REG_HW_ID2", 24},       {"HW_REG_SHADER_CYCLES", 29}, {"HW_REG_XCC_ID", 20 + 256}};
  text.remove_prefix(6);
  text.remove_suffix(1);
  operand.kind = OperandKind::HardwareRegister;
  operand.bit = 0;
  operand.bits = 32;
  std::string_view name = text.substr(0, text.find(','));
  for (const Register &candidate : Registers)
    if (name == candidate.name)
      operand.index = candidate.number;
  if (!operand.index)
    return false;
  if (size_t comma = text.find(", "); comma != std::string_view::npos) {
    std::string_view rest = text.substr(comma + 2);
    size_t second = rest.find(", ");
    unsigned bit = 0, bits = 0;
    if (second == std::string_view::npos || !wholeNumber(rest.substr(0, second), bit) ||
        !wholeNumber(rest.substr(second + 2), bits))
      return false;
    operand.bit = u8(bit);
    operand.bits = u8(bits);
  }
  return true;
}

/// gpr_idx(SRC0,DST): a bit for each.
bool parseIndexedOperands(std::string_view text, Operand &operand) {
  constexpr std::string_view Names[] = {"SRC0", "SRC1", "SRC2", "DST"};
  operand.kind = OperandKind::Integer;
  for (size_t i = 0; i < std::size(Names); ++i)
    if (text.find(Names[i]) != std::string_view::npos)
      operand.integer |= 1 << i;
  return true;
}

} // namespace

bool parseOperand(std::string_view text, Operand &operand) {
  operand = {};
  if (text.starts_with("hwreg(") && text.ends_with(')'))
    return parseHardwareRegister(text, operand);
  if (text.starts_with("gpr_idx(") && text.ends_with(')'))
    return parseIndexedOperands(text, operand);
  if (parseConstant(text, operand)) // before the signs: "-1" is a constant
    return true;
  operand = {};
  // "-|v1|", "neg(0x40400000)", "sext(v2)"
  auto unwrap = [&](std::string_view before, std::string_view after, bool &flag) {
    if (text.size() <= before.size() + after.size() || !text.starts_with(before) || !text.ends_with(after))
      return;
    text = text.substr(before.size(), text.size() - before.size() - after.size());
    flag = true;
  };
  unwrap("-", "", operand.negate);
  unwrap("neg(", ")", operand.negate);
  unwrap("|", "|", operand.absolute);
  unwrap("abs(", ")", operand.absolute);
  unwrap("sext(", ")", operand.signExtend);
  bool isLiteral = false; // "lit(0x1)" is a literal with the value of an inline constant
  unwrap("lit(", ")", isLiteral);
  const Operand modifiers = operand;
  if (parseConstant(text, operand)) {
    operand.negate = modifiers.negate;
    operand.absolute = modifiers.absolute;
    return true;
  }
  operand = modifiers;
  return parseRegister(text, operand);
}

} // namespace kiln::emulator
