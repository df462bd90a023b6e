// Texts of SPIR-V, assembly and PTX.
#include "backends/kilnc/explorer/Texts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <spirv-tools/libspirv.h>

namespace kiln::explorer {
namespace {

/// Takes the next word or string literal from the front of `line`.
llvm::StringRef takeWord(llvm::StringRef &line) {
  line = line.ltrim(" \t,");
  const size_t end = line.starts_with("\"") ? line.find('"', 1) + 1 : line.find_first_of(" \t,");
  llvm::StringRef word = line.take_front(end ? end : llvm::StringRef::npos);
  line = line.drop_front(word.size());
  return word;
}

unsigned takeNumber(llvm::StringRef &line) {
  unsigned value = 0;
  return takeWord(line).getAsInteger(10, value) ? 0 : value;
}

bool isSpirvTerminator(llvm::StringRef op) {
  return op.starts_with("OpReturn") || op.starts_with("OpBranch") || op == "OpSwitch" || op == "OpUnreachable" ||
         op == "OpKill" || op == "OpFunctionEnd";
}

/// Reads the debug directives of assembly and PTX.
class AssemblyReader {
public:
  explicit AssemblyReader(Recorder &recorder) : recorder_(recorder) {}

  LinkedText read(llvm::StringRef assembly) {
    llvm::SmallVector<llvm::StringRef> lines;
    assembly.split(lines, '\n');
    for (llvm::StringRef line : lines) // first, because PTX has them at its end
      if (llvm::StringRef rest = line.trim(); takeWord(rest) == ".file")
        readFile(rest);
    for (llvm::StringRef line : lines)
      readLine(line);
    return std::move(result_);
  }

private:
  void readLine(llvm::StringRef line) {
    llvm::StringRef rest = line.trim();
    llvm::StringRef word = takeWord(rest);
    if (word == ".section" || word == ".text" || word == ".data")
      inDebugSection_ = takeWord(rest).trim("\"").starts_with(".debug");
    if (inDebugSection_) {
      inDebugSection_ = line.trim() != "}"; // PTX has braces around a section
      return;
    }
    if (word == ".file")
      return;
    if (word == ".loc")
      return readLocation(rest);
    if (word.starts_with(".cfi_") || word == ".ident" || isDebugLabel(word))
      return;
    if (word.starts_with(".Lfunc_end") || line.starts_with("}")) // PTX indents the braces around a call
      places_.clear();
    else if (!word.empty() && !word.ends_with(":") && !word.starts_with(".") && !word.starts_with("//") &&
             !word.starts_with("#") && !word.starts_with(";"))
      result_.link(number_, places_);
    else if (isFunctionLabel(word))
      places_.clear();
    result_.text += line.str() + "\n";
    ++number_;
  }

  static bool isDebugLabel(llvm::StringRef word) {
    return word.starts_with(".Ltmp") || word.starts_with("$L__tmp") || word.starts_with(".Lfunc_begin") ||
           word.starts_with("$L__func_begin") || word.starts_with(".Lline_table");
  }
  static bool isFunctionLabel(llvm::StringRef word) { return word.ends_with(":") && !word.starts_with(".L"); }

  // .file 1 "folder" "name", or without the folder; a check sum may follow.
  void readFile(llvm::StringRef rest) {
    unsigned id = 0;
    if (takeWord(rest).getAsInteger(10, id))
      return; // .file "name": the module's name
    llvm::StringRef first = takeWord(rest).trim('"'), second = takeWord(rest);
    if (!second.starts_with("\""))
      files_[id] = first.str();
    else if (second = second.trim('"'); first.empty() || llvm::sys::path::is_absolute(second))
      files_[id] = second.str();
    else
      files_[id] = (first + "/" + second).str();
  }

  // .loc file line column; in PTX, function_name ..., inlined_at file line column may follow.
  void readLocation(llvm::StringRef rest) {
    places_.clear();
    do {
      const unsigned file = takeNumber(rest), line = takeNumber(rest);
      if (auto found = files_.find(file); found != files_.end())
        recorder_.addPlace(places_, found->second, line);
      const size_t next = rest.find("inlined_at");
      rest = next == llvm::StringRef::npos ? llvm::StringRef() : rest.drop_front(next + strlen("inlined_at"));
    } while (!rest.empty());
  }

  Recorder &recorder_;
  LinkedText result_;
  std::map<unsigned, std::string> files_; // of .file
  Places places_;                         // of the last .loc
  size_t number_ = 0;                     // of the next line
  bool inDebugSection_ = false;
};

} // namespace

LinkedText disassemble(std::span<const uint8_t> spirv, Recorder &recorder) {
  LinkedText result;
  spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  std::vector<uint32_t> words(spirv.size() / 4);
  std::memcpy(words.data(), spirv.data(), words.size() * 4);
  spv_text text = nullptr;
  constexpr uint32_t options = SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT;
  const spv_result_t status =
      spvBinaryToText(context, words.data(), words.size(), options, &text, /*diagnostic=*/nullptr);
  spvContextDestroy(context);
  if (status != SPV_SUCCESS)
    return {"the module has no disassembly: SPIRV-Tools' error " + std::to_string(status) + "\n", {}};
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text->str, text->length).split(lines, '\n');
  std::map<llvm::StringRef, llvm::StringRef> strings; // of OpString, by id
  Places places;
  size_t number = 0;
  for (llvm::StringRef line : lines) {
    llvm::StringRef rest = line.trim(), id;
    if (rest.contains(" = "))
      std::tie(id, rest) = rest.split(" = ");
    const llvm::StringRef op = takeWord(rest);
    if (op == "OpString")
      strings[id.trim()] = takeWord(rest).trim('"');
    if (op == "OpLine") {
      const llvm::StringRef file = takeWord(rest);
      const unsigned row = takeNumber(rest);
      places.clear();
      if (auto found = strings.find(file); found != strings.end())
        recorder.addPlace(places, found->second, row);
      continue;
    }
    if (op == "OpNoLine") {
      places.clear();
      continue;
    }
    result.link(number++, places);
    result.text += line.str() + "\n";
    if (isSpirvTerminator(op))
      places.clear();
  }
  spvTextDestroy(text);
  return result;
}

LinkedText linkedAssembly(llvm::StringRef assembly, Recorder &recorder) {
  return AssemblyReader(recorder).read(assembly);
}

} // namespace kiln::explorer
