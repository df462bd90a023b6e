// An asm statement of OpenCL C in SPIR-V: a call of an imported function that has the statement as its name. SPIR-V's
// own instructions for it (SPV_INTEL_inline_assembly) are no choice: SPIRV-Tools 2023.1 misreads them, and no version
// links modules that have them.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kiln::abi {

struct Assembly {
  std::string_view text, constraints; // as LLVM IR has them
  bool hasSideEffects = false;
};

inline constexpr std::string_view AssemblyPrefix = "kiln.asm|";

/// The name is AssemblyPrefix, "volatile" or "", the constraints and the text, separated by '|', which is no character
/// of a constraint.
inline std::string nameOf(const Assembly &assembly) {
  std::string name(AssemblyPrefix);
  name += assembly.hasSideEffects ? "volatile|" : "|";
  return name.append(assembly.constraints).append("|").append(assembly.text);
}

/// Returns the parts of a name, which refer to it; nullopt if it is not the name of an asm statement.
inline std::optional<Assembly> assemblyOf(std::string_view name) {
  if (!name.starts_with(AssemblyPrefix))
    return std::nullopt;
  name.remove_prefix(AssemblyPrefix.size());
  const size_t flagEnd = name.find('|');
  if (flagEnd == name.npos)
    return std::nullopt;
  const size_t end = name.find('|', flagEnd + 1);
  const std::string_view flag = name.substr(0, flagEnd);
  if (end == name.npos || (!flag.empty() && flag != "volatile"))
    return std::nullopt;
  return Assembly{name.substr(end + 1), name.substr(flagEnd + 1, end - flagEnd - 1), !flag.empty()};
}

} // namespace kiln::abi
