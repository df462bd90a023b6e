// The source lines of a code object: the rows of its .debug_line section (DWARF 4, 6.2). kilnc writes version 4, whose
// tables name their files without other sections. A unit of another version, or one that is damaged, has no rows.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::cpu {

struct SourcePlace {
  std::string_view file; // valid as long as the table
  uint32_t line = 0;     // 0: unknown
};

class LineTable {
public:
  LineTable() = default;
  /// Reads an ELF file. The table has no rows if there is none or it cannot be read.
  explicit LineTable(const std::string &path);
  /// Reads the contents of an ELF file.
  static LineTable of(std::string_view elf);

  /// The line of the code at an address of the file. For code that the compiler has added, which has line 0, that of
  /// the code before it.
  SourcePlace find(uint64_t address) const;

private:
  friend class LineProgram;
  struct Row {
    uint64_t address;
    uint32_t file, line;
    bool isEnd;      // the first address after a sequence
    size_t position; // in the file: the last of several rows with one address counts
  };
  void read(std::string_view elf);
  std::vector<Row> rows_; // by address
  std::vector<std::string> files_;
};

} // namespace kiln::cpu
