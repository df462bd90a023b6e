// A line of a program's source, for messages.
#pragma once
#include <string>
#include <string_view>

namespace kiln {

/// The line with this number, from 1 on, without the white space around it. Empty if there is none.
inline std::string sourceLine(std::string_view source, size_t line) {
  constexpr std::string_view WhiteSpace = " \t\r";
  if (!line)
    return {};
  for (; line > 1; --line) {
    const size_t end = source.find('\n');
    if (end == std::string_view::npos)
      return {};
    source.remove_prefix(end + 1);
  }
  source = source.substr(0, source.find('\n'));
  const size_t begin = source.find_first_not_of(WhiteSpace);
  if (begin == std::string_view::npos)
    return {};
  return std::string(source.substr(begin, source.find_last_not_of(WhiteSpace) + 1 - begin));
}

} // namespace kiln
