// llvm.trap (`__builtin_trap`) in SPIR-V, which has no instruction for it: a call of an imported function of this name.
#pragma once
#include <string_view>

namespace kiln::abi {

inline constexpr std::string_view TrapName = "kiln.trap";

} // namespace kiln::abi
