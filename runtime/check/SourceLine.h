// The text of a line of a program's source.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::check {

/// The line without the spaces around it. Empty if the program has no source, or if the line is in another file.
/// `file`: as the compiler names it.
std::string sourceLine(std::string_view source, std::string_view file, uint32_t line);

} // namespace kiln::check
