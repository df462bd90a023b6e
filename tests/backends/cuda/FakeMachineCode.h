// Machine code of the fake assembler, which the fake driver loads: this prefix, the PTX, and each of the assembler's
// options as a comment on a separate line.
#pragma once
#include <string_view>

namespace kiln::fake {

inline constexpr std::string_view MachineCode("\x7f"
                                              "ELF\2fake",
                                              9);

} // namespace kiln::fake
