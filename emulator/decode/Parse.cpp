#include "emulator/decode/Parse.h"
#include "base/support/Status.h"
#include "emulator/decode/ParseOperand.h"
#include <charconv>
#include <vector>

namespace kiln::emulator {
namespace {

std::string_view trim(std::string_view text) {
  size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

/// Splits at `separator`, except inside of brackets.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : separator;
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (i == text.size() || (c == separator && depth == 0)) {
      if (std::string_view part = trim(text.substr(start, i - start)); !part.empty())
        parts.push_back(part);
      start = i + 1;
    }
  }
  return parts;
}

std::string stripEncoding(std::string_view mnemonic, Instruction &instruction) {
  for (std::string_view suffix : {"_dpp", "_sdwa", "_e64", "_e32"})
    if (mnemonic.ends_with(suffix)) {
      instruction.sdwa |= suffix == "_sdwa";
      mnemonic.remove_suffix(suffix.size());
    }
  return std::string(mnemonic);
}

bool parseNumber(std::string_view text, i64 &value) {
  bool negative = text.starts_with('-');
  text.remove_prefix(negative);
  int base = text.starts_with("0x") ? 16 : 10;
  text.remove_prefix(base == 16 ? 2 : 0);
  u64 magnitude = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  value = negative ? -i64(magnitude) : i64(magnitude);
  return error == std::errc() && end == text.data() + text.size();
}

/// The numbers of "[1,0,3,2]".
std::vector<i64> parseList(std::string_view text) {
  std::vector<i64> numbers;
  if (!text.starts_with('[') || !text.ends_with(']'))
    return numbers;
  for (std::string_view part : split(text.substr(1, text.size() - 2), ','))
    if (i64 value; parseNumber(part, value))
      numbers.push_back(value);
  return numbers;
}

u8 parseBits(std::string_view text) {
  u8 bits = 0;
  unsigned i = 0;
  for (i64 value : parseList(text))
    bits |= u8(value != 0) << i++;
  return bits;
}

bool parseSelect(std::string_view text, Select &select) {
  constexpr std::string_view Names[] = {"DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"};
  for (size_t i = 0; i < std::size(Names); ++i)
    if (text == Names[i]) {
      select = Select(i);
      return true;
    }
  return false;
}

bool parseDpp(std::string_view name, std::string_view value, Instruction &instruction) {
  struct Row {
    std::string_view name;
    DppKind kind;
  };
  constexpr Row Rows[] = {{"quad_perm", DppKind::QuadPermute},
                          {"dpp8", DppKind::Dpp8},
                          {"row_shl", DppKind::RowShiftLeft},
                          {"row_shr", DppKind::RowShiftRight},
                          {"row_ror", DppKind::RowRotate},
                          {"wave_shl", DppKind::WaveShiftLeft},
                          {"wave_rol", DppKind::WaveRotateLeft},
                          {"wave_shr", DppKind::WaveShiftRight},
                          {"wave_ror", DppKind::WaveRotateRight},
                          {"row_mirror", DppKind::RowMirror},
                          {"row_half_mirror", DppKind::RowHalfMirror},
                          {"row_newbcast", DppKind::RowNewBroadcast},
                          {"row_share", DppKind::RowNewBroadcast},
                          {"row_xmask", DppKind::RowXorMask}};
  if (name == "row_bcast") {
    instruction.dpp = value == "15" ? DppKind::RowBroadcast15 : DppKind::RowBroadcast31;
    return value == "15" || value == "31";
  }
  for (const Row &row : Rows) {
    if (name != row.name)
      continue;
    instruction.dpp = row.kind;
    std::vector<i64> numbers = parseList(value);
    if (i64 number; parseNumber(value, number))
      numbers = {number};
    if (numbers.size() > instruction.dppLanes.size())
      return false;
    std::copy(numbers.begin(), numbers.end(), instruction.dppLanes.begin());
    return true;
  }
  return false;
}

/// Parses "name:value" or a flag. Returns false if it is not known.
bool parseModifier(std::string_view word, Instruction &instruction) {
  size_t colon = word.find(':');
  std::string_view name = word.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : word.substr(colon + 1);
  i64 number = 0;
  const bool isNumber = parseNumber(value, number);
  auto set = [&](auto &field) {
    field = std::remove_reference_t<decltype(field)>(number);
    return isNumber;
  };
  if (name == "offset")
    return set(instruction.offset);
  if (name == "offset0")
    return set(instruction.offset0);
  if (name == "offset1")
    return set(instruction.offset1);
  if (name == "clamp")
    return instruction.clamp = true;
  if (name == "mul" || name == "div") {
    instruction.outputScale = name == "mul" ? f32(number) : 1 / f32(number);
    return isNumber;
  }
  if (name == "op_sel")
    return instruction.opSel = parseBits(value), true;
  if (name == "op_sel_hi")
    return instruction.opSelHi = parseBits(value), true;
  if (name == "neg_lo")
    return instruction.negLo = parseBits(value), true;
  if (name == "neg_hi")
    return instruction.negHi = parseBits(value), true;
  if (name == "row_mask")
    return set(instruction.rowMask);
  if (name == "bank_mask")
    return set(instruction.bankMask);
  if (name == "bound_ctrl")
    return instruction.boundControl = true; // "bound_ctrl:0" and "bound_ctrl:1" both mean that it is set
  if (name == "fi")
    return set(instruction.fetchInactive);
  if (name == "dst_sel")
    return parseSelect(value, instruction.destinationSelect);
  // In SDWA, sources follow the destinations. v_cndmask_b32 and others have more operands after the two selected.
  if (name == "src0_sel" || name == "src1_sel") {
    unsigned first = 1;
    // v_add_co_u32 and v_addc_co_u32 have a mask after the destination.
    if (instruction.operandCount > 3 && instruction.operands[1].kind == OperandKind::Scalar &&
        instruction.operands[1].index == Vcc)
      first = 2;
    return parseSelect(value, instruction.operands[first + (name == "src1_sel")].select);
  }
  if (name == "dst_unused") {
    instruction.unused = value == "UNUSED_PAD"    ? Unused::Pad
                         : value == "UNUSED_SEXT" ? Unused::SignExtend
                                                  : Unused::Preserve;
    return true;
  }
  if (word == "offen")
    return true; // a buffer's address has a vector register, as the operands say
  // Scope and temporal hints: the caches are not emulated. For atomic operations sc0 and glc mean a returned value.
  if (name == "sc0" || name == "glc" || word == "th:TH_ATOMIC_RETURN")
    return instruction.returns = true;
  if (name == "sc1" || name == "nt" || name == "slc" || name == "dlc" || name == "scc" || name == "th" ||
      name == "scope")
    return true;
  return parseDpp(name, value, instruction);
}

void parseOperands(std::string_view rest, Instruction &instruction) {
  auto addWord = [&](std::string_view word) {
    Operand operand;
    const bool isOperand =
        word.find(':') == std::string_view::npos || word.find('[') < word.find(':') || word.find('(') < word.find(':');
    if (isOperand && instruction.operandCount < instruction.operands.size() && parseOperand(word, operand))
      instruction.operands[instruction.operandCount++] = operand;
    else if (!parseModifier(word, instruction) && instruction.why.empty())
      instruction.why = text("its part '", word, "' is not known");
  };
  for (std::string_view part : split(rest, ','))
    for (std::string_view word : split(part, ' '))
      addWord(word);
}

/// Instructions whose operands are not registers, such as s_waitcnt and s_delay_alu.
bool hasFreeText(std::string_view mnemonic) {
  return mnemonic.starts_with("s_wait") || mnemonic == "s_delay_alu" || mnemonic == "s_clause" ||
         mnemonic == "ds_swizzle_b32" || mnemonic.starts_with("s_sendmsg");
}

} // namespace

std::string parseInstruction(std::string_view line, Instruction &instruction, std::string &secondName) {
  if (size_t at = line.find(" :: "); at != std::string_view::npos) {
    instruction.second = std::make_unique<Instruction>();
    std::string ignored;
    secondName = parseInstruction(line.substr(at + 4), *instruction.second, ignored);
    instruction.why = instruction.second->why;
    line = line.substr(0, at);
  }
  size_t space = line.find_first_of(" \t");
  std::string mnemonic = stripEncoding(trim(line.substr(0, space)), instruction);
  std::string_view rest = space == std::string_view::npos ? std::string_view() : trim(line.substr(space));
  if (mnemonic.starts_with("v_dual_"))
    mnemonic.erase(2, 5); // v_dual_mov_b32 is v_mov_b32
  if (mnemonic.starts_with("v_fma_mix") || mnemonic.starts_with("v_mad_mix"))
    instruction.opSelHi = 0; // the text leaves out 0 here, and all ones for packed instructions
  if (!hasFreeText(mnemonic)) {
    parseOperands(rest, instruction);
  } else if (mnemonic == "ds_swizzle_b32" || mnemonic.starts_with("s_sendmsg_rtn")) {
    // The handler reads the pattern from the text.
    for (std::string_view part : split(rest, ','))
      if (Operand operand; parseOperand(part.substr(0, part.find(' ')), operand))
        instruction.operands[instruction.operandCount++] = operand;
  }
  // As half of a dual instruction, its mask is VCC and not in the text.
  if (mnemonic == "v_cndmask_b32" && instruction.operandCount == 3) {
    Operand &mask = instruction.operands[instruction.operandCount++];
    mask.kind = OperandKind::Scalar;
    mask.index = Vcc;
  }
  return mnemonic;
}

WaitCounts parseWaits(std::string_view mnemonic, std::string_view line) {
  WaitCounts waits;
  auto set = [&](WaitCounter counter, i64 value) {
    if (value >= 0)
      waits[size_t(counter)] = u8(std::min<i64>(value, NoWait - 1));
  };
  i64 number = -1;
  size_t space = line.find_last_of(' ');
  if (space == std::string_view::npos || !parseNumber(line.substr(space + 1), number))
    number = -1;
  if (mnemonic == "s_waitcnt") {
    set(WaitCounter::Load, parseCounter(line, "vmcnt"));
    set(WaitCounter::Local, parseCounter(line, "lgkmcnt"));
    if (number == 0) // all counters at once
      waits.fill(0);
  } else if (mnemonic == "s_waitcnt_vscnt" || mnemonic == "s_wait_storecnt") {
    set(WaitCounter::Store, number);
  } else if (mnemonic == "s_waitcnt_vmcnt" || mnemonic == "s_wait_loadcnt") {
    set(WaitCounter::Load, number);
  } else if (mnemonic == "s_waitcnt_lgkmcnt" || mnemonic == "s_wait_dscnt") {
    set(WaitCounter::Local, number);
  } else if (mnemonic == "s_wait_kmcnt") {
    set(WaitCounter::Scalar, number);
  } else if (mnemonic == "s_wait_loadcnt_dscnt" || mnemonic == "s_wait_storecnt_dscnt") {
    set(mnemonic == "s_wait_loadcnt_dscnt" ? WaitCounter::Load : WaitCounter::Store, number < 0 ? -1 : number >> 8);
    set(WaitCounter::Local, number < 0 ? -1 : number & 0x3f);
  } else if (mnemonic == "s_wait_idle") {
    waits.fill(0);
  }
  return waits;
}

int parseCounter(std::string_view text, std::string_view name) {
  size_t at = text.find(std::string(name) + "(");
  if (at == std::string_view::npos || (at && text[at - 1] != ' ' && text[at - 1] != '&'))
    return -1;
  int value = -1;
  text.remove_prefix(at + name.size() + 1);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

} // namespace kiln::emulator
