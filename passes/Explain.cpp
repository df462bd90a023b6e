#include "passes/Explain.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

namespace kiln {
namespace {

std::vector<std::string> &chosen() {
  static std::vector<std::string> names;
  return names;
}

} // namespace

void explainPass(std::string name) { chosen().push_back(std::move(name)); }

void explain(llvm::StringRef pass, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (!llvm::is_contained(chosen(), pass))
    return;
  std::string line;
  llvm::raw_string_ostream os(line);
  os << pass << ": ";
  write(os);
  llvm::errs() << line + "\n"; // one write, so that passes that run at the same time do not mix their lines
}

} // namespace kiln
