#include "dialects/import/LlvmFunctions.h"
#include "base/abi/TrapName.h"

using namespace mlir;

namespace kiln::import {
namespace {

struct Row {
  llvm::StringLiteral prefix;
  spv::Std same;
  bool isSigned;
  unsigned arguments;
};
constexpr Row Rows[] = {
    {"llvm.uadd.sat.", spv::Std::u_add_sat, false, 2}, {"llvm.sadd.sat.", spv::Std::s_add_sat, true, 2},
    {"llvm.usub.sat.", spv::Std::u_sub_sat, false, 2}, {"llvm.ssub.sat.", spv::Std::s_sub_sat, true, 2},
    {"llvm.umin.", spv::Std::u_min, false, 2},         {"llvm.smin.", spv::Std::s_min, true, 2},
    {"llvm.umax.", spv::Std::u_max, false, 2},         {"llvm.smax.", spv::Std::s_max, true, 2},
    {"llvm.ctpop.", spv::Std::popcount, false, 1},
};

} // namespace

std::optional<LlvmFunction> llvmFunction(llvm::StringRef name, FunctionType type) {
  for (const Row &row : Rows) {
    if (!name.starts_with(row.prefix) || type.getNumInputs() != row.arguments || type.getNumResults() != 1)
      continue;
    Type one = type.getResult(0);
    auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(one));
    if (element && element.getWidth() > 1 &&
        llvm::all_of(type.getInputs(), [&](Type builtInPointer) { return builtInPointer == one; }))
      return LlvmFunction{row.same, row.isSigned};
  }
  return std::nullopt;
}

bool isTrap(llvm::StringRef name, FunctionType type) {
  return std::string_view(name) == abi::TrapName && !type.getNumInputs() && !type.getNumResults();
}

} // namespace kiln::import
