// Lines of a code object (backends/cpu/driver/LineTable.h), of a hand-made ELF file.
#include "backends/cpu/driver/LineTable.h"
#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>

namespace kiln::cpu {
namespace {

template <typename Number> std::string bytes(Number value) {
  return {reinterpret_cast<const char *>(&value), sizeof value};
}

std::string text(const char *content) { return {content, std::strlen(content) + 1}; }

/// A unit of .debug_line, version 4, with a folder and two files.
std::string unit(const std::string &program) {
  std::string tables =
      text("/src") + '\0' + text("k.cl") + '\1' + '\0' + '\0' + text("other.h") + '\1' + '\0' + '\0' + '\0';
  // Instruction length 1, one operation, is_stmt, line base -5, line range 14, opcode base 13, the operands of each.
  std::string header("\1\1\1\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1", 18);
  header += tables;
  std::string body = bytes(uint16_t(4)) + bytes(uint32_t(header.size())) + header + program;
  return bytes(uint32_t(body.size())) + body;
}

std::string setAddress(uint64_t address) { return std::string("\0\x09\2", 3) + bytes(address); }
const std::string Copy = "\1", EndSequence("\0\1\1", 3);
std::string advancePc(char by) { return std::string("\2") + by; }
std::string advanceLine(char by) { return std::string("\3") + by; }
std::string setFile(char file) { return std::string("\4") + file; }

std::string elf(const std::string &lines) {
  const std::string names = std::string(1, '\0') + text(".shstrtab") + text(".debug_line");
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header, header.e_shnum = 3, header.e_shstrndx = 1;
  Elf64_Shdr sections[3]{};
  const uint64_t contents = sizeof header + sizeof sections;
  sections[1].sh_name = 1, sections[1].sh_offset = contents, sections[1].sh_size = names.size();
  sections[2].sh_name = 11, sections[2].sh_offset = contents + names.size(), sections[2].sh_size = lines.size();
  return bytes(header) + std::string(reinterpret_cast<const char *>(sections), sizeof sections) + names + lines;
}

/// Line 7 of k.cl at 0x1000, none at 0x1004, line 9 of other.h at 0x1008, the end at 0x1010.
std::string program() {
  return setAddress(0x1000) + advanceLine(6) + Copy + advancePc(4) + advanceLine(0x79) + Copy + advancePc(4) +
         setFile(2) + advanceLine(9) + Copy + advancePc(8) + EndSequence;
}

TEST(LineTable, FindsTheLineOfAnAddress) {
  const LineTable table = LineTable::of(elf(unit(program())));
  EXPECT_EQ(table.find(0xfff).line, 0u);
  EXPECT_EQ(table.find(0x1000).line, 7u);
  EXPECT_EQ(table.find(0x1003).file, "/src/k.cl");
  EXPECT_EQ(table.find(0x1008).line, 9u);
  EXPECT_EQ(table.find(0x100f).file, "/src/other.h");
  EXPECT_EQ(table.find(0x1010).line, 0u);
}

TEST(LineTable, CodeOfTheCompilerHasTheLineBefore) {
  EXPECT_EQ(LineTable::of(elf(unit(program()))).find(0x1004).line, 7u);
}

TEST(LineTable, SequencesInAnyOrderAndSeveralUnits) {
  const std::string second = setAddress(0x1010) + advanceLine(2) + Copy + advancePc(4) + EndSequence;
  const std::string first = setAddress(0x800) + advanceLine(1) + Copy + advancePc(4) + EndSequence;
  const LineTable table = LineTable::of(elf(unit(second + first) + unit(program())));
  EXPECT_EQ(table.find(0x1010).line, 3u);
  EXPECT_EQ(table.find(0x803).line, 2u);
  EXPECT_EQ(table.find(0x100f).line, 9u);
}

TEST(LineTable, SpecialOpcodesAdvanceAddressAndLine) {
  // 13 + (3 + 5) + 14 * 2: three lines and two addresses on
  const LineTable table =
      LineTable::of(elf(unit(setAddress(0x40) + Copy + char(13 + 8 + 28) + advancePc(1) + EndSequence)));
  EXPECT_EQ(table.find(0x41).line, 1u);
  EXPECT_EQ(table.find(0x42).line, 4u);
}

TEST(LineTable, DamagedFilesHaveNoMoreThanWhatIsInThem) {
  const std::string whole = elf(unit(program()));
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(LineTable::of(std::string_view(whole).substr(0, size)).find(0x1000).line, 0u) << size;
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '\xff', '\x7f'}) {
      std::string damaged = whole;
      damaged[at] = value;
      (void)LineTable::of(damaged).find(0x1000); // ends, and reads no other memory
    }
  EXPECT_EQ(LineTable("/no/such/file").find(0).line, 0u);
}

} // namespace
} // namespace kiln::cpu
