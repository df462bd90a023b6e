#include "backends/kilnc/compiler/LinkedLines.h"
#include <map>
#include <unordered_map>

namespace kiln {
namespace {

using spirv::Instruction;
using spirv::Words;

constexpr size_t LineWords = 4, File = 1, Column = 3; // of OpLine
constexpr uint32_t ColumnBits = 20, MaxColumn = (1u << ColumnBits) - 1, MaxFiles = 1u << (32 - ColumnBits);

bool isLine(Instruction ins) { return spirv::opcode(ins) == spv::Op::Line && ins.size() == LineWords; }

/// Calls `each` with the id and the text of each string.
template <typename Each> void eachString(const Words &words, Each each) {
  spirv::each(words, [&](Instruction ins) {
    if (spirv::opcode(ins) == spv::Op::String && ins.size() > 2)
      each(ins[1], spirv::text(ins, 2));
  });
}

/// Replaces each OpLine by what `change` makes of it, or by OpNoLine if it returns false.
template <typename Change> Words withLines(const Words &words, Change change) {
  Words changed(words.begin(), words.begin() + spirv::HeaderWords);
  changed.reserve(words.size());
  spirv::each(words, [&](Instruction ins) {
    if (!isLine(ins))
      return spirv::append(changed, ins);
    Words line(ins.begin(), ins.end());
    if (!change(line))
      line = {spirv::head(spv::Op::NoLine, 1)};
    spirv::append(changed, line);
  });
  return changed;
}

} // namespace

void LinkedLines::take(std::vector<Words> &modules) {
  std::map<std::string, uint32_t, std::less<>> numbers;
  for (Words &words : modules) {
    std::unordered_map<uint32_t, uint32_t> numberOfString;
    eachString(words, [&](uint32_t id, std::string_view text) {
      const auto [place, isNew] = numbers.try_emplace(std::string(text), uint32_t(files_.size()));
      if (isNew)
        files_.emplace_back(text);
      numberOfString[id] = place->second;
    });
    words = withLines(words, [&](Words &line) {
      const auto found = numberOfString.find(line[File]);
      if (found == numberOfString.end() || found->second >= MaxFiles)
        return false;
      line[Column] = std::min(line[Column], MaxColumn) | found->second << ColumnBits;
      return true;
    });
  }
}

void LinkedLines::putBack(Words &linked) const {
  std::map<std::string, uint32_t, std::less<>> ids;
  eachString(linked, [&](uint32_t id, std::string_view text) { ids.try_emplace(std::string(text), id); });
  linked = withLines(linked, [&](Words &line) {
    const uint32_t number = line[Column] >> ColumnBits;
    const auto found = number < files_.size() ? ids.find(files_[number]) : ids.end();
    if (found == ids.end())
      return false;
    line[File] = found->second, line[Column] &= MaxColumn;
    return true;
  });
}

} // namespace kiln
