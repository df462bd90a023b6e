#include "backends/cpu/driver/LineTable.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <tuple>

namespace kiln::cpu {
namespace {

/// Reads little-endian numbers. After a read past the end, all reads give zero.
class Cursor {
public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
  bool atEnd() const { return bytes_.empty(); }
  std::string_view take(uint64_t size) {
    if (size > bytes_.size()) {
      bytes_ = {};
      isShort_ = true;
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  bool isShort() const { return isShort_; }
  template <typename Number> Number number() {
    Number value{};
    const std::string_view bytes = take(sizeof value);
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  uint64_t unsignedLeb() { return leb(false); }
  int64_t signedLeb() { return int64_t(leb(true)); }
  std::string_view string() {
    const std::string_view text = take(std::min(bytes_.find('\0'), bytes_.size()));
    take(1);
    return text;
  }

private:
  uint64_t leb(bool isSigned) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    do {
      byte = number<uint8_t>();
      if (shift < 64)
        value |= uint64_t(byte & 0x7f) << shift;
      shift += 7;
    } while (byte & 0x80);
    if (isSigned && byte & 0x40 && shift < 64)
      value |= ~uint64_t(0) << shift;
    return value;
  }
  std::string_view bytes_;
  bool isShort_ = false;
};

/// The contents of a section; empty if there is none.
std::string_view sectionOf(std::string_view elf, std::string_view wanted) {
  auto at = [&]<typename Header>(uint64_t offset, Header header) -> std::optional<Header> {
    if (offset > elf.size() || elf.size() - offset < sizeof header)
      return {};
    std::memcpy(&header, elf.data() + offset, sizeof header);
    return header;
  };
  const auto header = at(0, Elf64_Ehdr{});
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  auto section = [&](unsigned index) { return at(header->e_shoff + index * sizeof(Elf64_Shdr), Elf64_Shdr{}); };
  auto contents = [&](const Elf64_Shdr &of) {
    const bool isInside = of.sh_offset <= elf.size() && of.sh_size <= elf.size() - of.sh_offset;
    return isInside && !(of.sh_flags & SHF_COMPRESSED) ? elf.substr(of.sh_offset, of.sh_size) : std::string_view();
  };
  const auto names = section(header->e_shstrndx);
  if (!names)
    return {};
  for (unsigned i = 0; i < header->e_shnum; ++i)
    if (const auto one = section(i); one && one->sh_name < contents(*names).size())
      if (Cursor(contents(*names).substr(one->sh_name)).string() == wanted)
        return contents(*one);
  return {};
}

} // namespace

/// One unit of .debug_line.
class LineProgram {
public:
  LineProgram(LineTable &table, std::string_view unit) : table_(table), in_(unit) {}

  void read() {
    const auto version = in_.number<uint16_t>();
    if (version < 2 || version > 4 || !readHeader(version))
      return;
    std::vector<LineTable::Row> before = table_.rows_;
    while (!in_.atEnd())
      step();
    if (in_.isShort())
      table_.rows_ = std::move(before);
  }

private:
  enum Opcode : uint8_t { // DWARF 4, 7.21
    Extended,
    Copy,
    AdvancePc,
    AdvanceLine,
    SetFile,
    SetColumn,
    NegateStatement,
    SetBasicBlock,
    ConstAddPc,
    FixedAdvancePc,
  };
  enum ExtendedOpcode : uint8_t { EndSequence = 1, SetAddress = 2 };

  bool readHeader(uint16_t version) {
    Cursor header(in_.take(in_.number<uint32_t>()));
    instructionLength_ = header.number<uint8_t>();
    if (version >= 4)
      header.number<uint8_t>(); // operations per instruction, of VLIW machines
    header.number<uint8_t>();   // is_stmt
    lineBase_ = header.number<int8_t>();
    lineRange_ = header.number<uint8_t>();
    opcodeBase_ = header.number<uint8_t>();
    if (!lineRange_ || !opcodeBase_)
      return false;
    lengths_ = header.take(opcodeBase_ - 1u);
    std::vector<std::string_view> folders{""};
    for (std::string_view folder; !(folder = header.string()).empty();)
      folders.push_back(folder);
    firstFile_ = table_.files_.size();
    for (std::string_view name; !(name = header.string()).empty();) {
      const uint64_t folder = header.unsignedLeb();
      header.unsignedLeb(), header.unsignedLeb(); // time and size
      const bool isIn = folder < folders.size() && !folders[folder].empty() && !name.starts_with('/');
      table_.files_.push_back(isIn ? std::string(folders[folder]).append("/").append(name) : std::string(name));
    }
    return !header.isShort();
  }

  void emit(bool isEnd) {
    const uint64_t file = firstFile_ + file_ - 1;
    table_.rows_.push_back({address_, file < table_.files_.size() ? uint32_t(file) : UINT32_MAX, uint32_t(line_), isEnd,
                            table_.rows_.size()});
  }
  void advance(uint64_t operation) { address_ += operation * instructionLength_; }

  void step() {
    const auto opcode = in_.number<uint8_t>();
    if (opcode >= opcodeBase_) {
      const unsigned adjusted = unsigned(opcode) - opcodeBase_;
      advance(adjusted / lineRange_);
      line_ += uint64_t(int64_t(lineBase_) + adjusted % lineRange_);
      return emit(false);
    }
    switch (opcode) {
    case Extended:
      return extended(Cursor(in_.take(in_.unsignedLeb())));
    case Copy:
      return emit(false);
    case AdvancePc:
      return advance(in_.unsignedLeb());
    case AdvanceLine:
      line_ += uint64_t(in_.signedLeb());
      return;
    case SetFile:
      file_ = in_.unsignedLeb();
      return;
    case ConstAddPc:
      return advance((255u - opcodeBase_) / lineRange_);
    case FixedAdvancePc:
      address_ += in_.number<uint16_t>();
      return;
    default: // without an effect here: it has as many operands as the header says
      for (uint8_t left = uint8_t(lengths_[opcode - 1]); left; --left)
        in_.unsignedLeb();
    }
  }

  void extended(Cursor in) {
    switch (in.number<uint8_t>()) {
    case EndSequence:
      emit(true);
      address_ = 0, file_ = line_ = 1;
      return;
    case SetAddress:
      address_ = in.number<uint64_t>();
      return;
    default:
      return;
    }
  }

  LineTable &table_;
  Cursor in_;
  uint8_t instructionLength_ = 1, lineRange_ = 1, opcodeBase_ = 1;
  int8_t lineBase_ = 0;
  std::string_view lengths_;
  size_t firstFile_ = 0;
  uint64_t address_ = 0, file_ = 1, line_ = 1;
};

LineTable::LineTable(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  read(std::string(std::istreambuf_iterator<char>(file), {}));
}

LineTable LineTable::of(std::string_view elf) {
  LineTable table;
  table.read(elf);
  return table;
}

void LineTable::read(std::string_view elf) {
  Cursor lines(sectionOf(elf, ".debug_line"));
  while (!lines.atEnd())
    LineProgram(*this, lines.take(lines.number<uint32_t>())).read();
  // A sequence may begin where another one ends.
  std::ranges::sort(rows_, {}, [](const Row &row) { return std::tuple(row.address, !row.isEnd, row.position); });
}

SourcePlace LineTable::find(uint64_t address) const {
  auto row = std::ranges::upper_bound(rows_, address, {}, &Row::address);
  while (row != rows_.begin()) {
    --row;
    if (row->isEnd)
      return {};
    if (row->line && row->file < files_.size())
      return {files_[row->file], row->line};
  }
  return {};
}

} // namespace kiln::cpu
