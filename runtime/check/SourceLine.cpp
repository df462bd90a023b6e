#include "runtime/check/SourceLine.h"
#include "base/protocol/Protocol.h"

namespace kiln::check {

std::string sourceLine(std::string_view source, std::string_view file, uint32_t line) {
  if (!line || file.substr(file.rfind('/') + 1) != protocol::SourceName) // Clang may name the folder
    return {};
  for (; line > 1; --line) {
    const size_t end = source.find('\n');
    if (end == std::string_view::npos)
      return {};
    source.remove_prefix(end + 1);
  }
  source = source.substr(0, source.find('\n'));
  const size_t begin = source.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos)
    return {};
  return std::string(source.substr(begin, source.find_last_not_of(" \t\r") + 1 - begin));
}

} // namespace kiln::check
