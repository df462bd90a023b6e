#include "backends/kilnc/explorer/Registers.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace kiln::explorer {
namespace {

struct Counts {
  std::string function;
  llvm::StringSet<> vectors, masks, integers; // of x86
  unsigned spills = 0, reloads = 0;
};

/// Returns the name of the register that an x86 name is a part of: "ax" for rax, eax and al.
std::string wholeRegister(llvm::StringRef name) {
  if (name.starts_with("r") && name.size() > 1 && llvm::isDigit(name[1]))
    return ("r" + name.drop_front(1).take_while(llvm::isDigit)).str();
  if (name.size() == 3 && (name[0] == 'r' || name[0] == 'e'))
    return name.drop_front(1).str();
  if (name.size() == 3 && name.ends_with("l")) // sil, dil, bpl
    return name.drop_back(1).str();
  if (name.size() == 2 && (name[1] == 'l' || name[1] == 'h'))
    return (name.take_front(1) + "x").str();
  return name.str();
}

/// Adds the registers of an x86 instruction. The names xmm3, ymm3 and zmm3 are one register.
void addX86Registers(llvm::StringRef instruction, Counts &counts) {
  for (size_t at = instruction.find('%'); at != llvm::StringRef::npos; at = instruction.find('%', at + 1)) {
    llvm::StringRef name = instruction.drop_front(at + 1).take_while(llvm::isAlnum);
    if (name.size() > 3 && name.drop_front(1).starts_with("mm"))
      counts.vectors.insert(name.drop_front(3));
    else if (name.size() == 2 && name[0] == 'k' && llvm::isDigit(name[1]))
      counts.masks.insert(name);
    else if (name != "rip" && name != "rsp")
      counts.integers.insert(wholeRegister(name));
  }
}

void report(const Counts &counts, Recorder &recorder) {
  if (counts.function.empty())
    return;
  auto add = [&](llvm::StringRef name, size_t value) {
    if (value)
      recorder.addFact(counts.function, name, std::to_string(value));
  };
  add("vector registers", counts.vectors.size());
  add("mask registers", counts.masks.size());
  add("integer registers", counts.integers.size());
  if (counts.vectors.size() + counts.integers.size()) {
    recorder.addFact(counts.function, "spills", std::to_string(counts.spills));
    recorder.addFact(counts.function, "reloads", std::to_string(counts.reloads));
  }
}

/// Returns the name of the function that a PTX line begins; empty for other lines.
llvm::StringRef ptxFunction(llvm::StringRef line) {
  for (llvm::StringRef mark : {".entry ", ".func "})
    if (size_t at = line.find(mark); at != llvm::StringRef::npos && line.trim().starts_with(".")) {
      llvm::StringRef rest = line.drop_front(at + mark.size()).ltrim();
      if (rest.starts_with("(")) // the parameter that a .func returns its result in
        rest = rest.drop_front(rest.find(')') + 1).ltrim();
      return rest.take_until([](char c) { return c == '(' || c == ' '; });
    }
  return {};
}

} // namespace

void countRegisters(llvm::StringRef assembly, Recorder &recorder) {
  llvm::SmallVector<llvm::StringRef> lines;
  assembly.split(lines, '\n');
  Counts counts;
  std::string ptx;
  for (llvm::StringRef line : lines) {
    if (llvm::StringRef name = ptxFunction(line); !name.empty())
      ptx = name.str();
    llvm::StringRef declared = line.trim();
    if (declared.consume_front(".reg ") && !ptx.empty()) { // .reg .b32 %r<57>;
      unsigned long long number = 0;
      auto [type, rest] = declared.trim().split(' ');
      if (!rest.split('<').second.split('>').first.trim().getAsInteger(10, number) && number > 1)
        recorder.addFact(ptx, ("virtual registers " + type.trim().drop_front(1)).str(), std::to_string(number - 1));
      continue;
    }
    if (llvm::StringRef text = line.trim(); text.starts_with("//") || text.starts_with(";")) // of PTX and of AMD's code
      continue;
    auto [code, comment] = line.split('#');
    if (!code.starts_with(" ") && !code.starts_with("\t") && code.trim().ends_with(":") && !code.starts_with(".")) {
      report(counts, recorder);
      counts = Counts{code.trim().drop_back(1).str(), {}, {}, {}};
      continue;
    }
    addX86Registers(code, counts);
    counts.spills += comment.contains("Spill");
    counts.reloads += comment.contains("Reload");
  }
  report(counts, recorder);
}

} // namespace kiln::explorer
