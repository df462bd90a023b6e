#include "backends/cuda/codegen/SeparateNarrowStores.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace kiln {
namespace {

/// The width of a register, by the names that LLVM gives; 0 for anything else.
unsigned bitsOfRegister(llvm::StringRef name) {
  for (auto [prefix, bits] : {std::pair{"%rd", 64u}, {"%rs", 16u}, {"%r", 32u}})
    if (llvm::StringRef number = name;
        number.consume_front(prefix) && !number.empty() && llvm::all_of(number, llvm::isDigit))
      return bits;
  return 0;
}

struct Store {
  llvm::StringRef start; // up to the stored registers
  llvm::SmallVector<llvm::StringRef, 4> registers;
  unsigned bits = 0; // of each

  static std::optional<Store> parse(llvm::StringRef line) {
    llvm::StringRef text = line.ltrim();
    if (!text.starts_with("st."))
      return {};
    llvm::StringRef type = text.take_until(llvm::isSpace).rsplit('.').second;
    const size_t at = line.find("],");
    Store store;
    if (type.empty() || type.drop_front().getAsInteger(10, store.bits) || at == llvm::StringRef::npos)
      return {};
    store.start = line.take_front(at + 2);
    llvm::StringRef values = line.drop_front(at + 2).take_until([](char c) { return c == ';'; }).trim();
    values.trim("{}").split(store.registers, ',');
    for (llvm::StringRef &value : store.registers)
      value = value.trim();
    return store;
  }
  bool isNarrow(llvm::StringRef value) const { return bitsOfRegister(value) > bits; }
  bool isNarrow() const {
    return llvm::any_of(registers, [&](llvm::StringRef value) { return isNarrow(value); });
  }

  void print(llvm::raw_ostream &to) const {
    to << "\t{\n";
    llvm::SmallVector<std::string, 4> names;
    for (llvm::StringRef value : registers) {
      const std::string name = isNarrow(value) ? "%part" + std::to_string(names.size()) : value.str();
      if (isNarrow(value)) {
        const unsigned width = bitsOfRegister(value);
        to << "\t.reg .b" << width << " \t" << name << ";\n\tmov.b" << width << " \t" << name << ", " << value << ";\n";
      }
      names.push_back(name);
    }
    const bool isVector = names.size() > 1;
    to << start << ' ' << (isVector ? "{" : "") << llvm::join(names, ", ") << (isVector ? "}" : "") << ";\n\t}\n";
  }
};

} // namespace

std::string separateNarrowStores(llvm::StringRef ptx) {
  std::string result;
  result.reserve(ptx.size());
  llvm::raw_string_ostream to(result);
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    if (std::optional<Store> store = Store::parse(line); store && store->isNarrow())
      store->print(to);
    else
      to << line << (line.size() < ptx.size() ? "\n" : "");
    ptx = rest;
  }
  return result;
}

} // namespace kiln
