#include "base/protocol/IncludedFile.h"
#include <utility>

namespace kiln::protocol {

bool usesTimeMacros(std::string_view text) {
  return text.find("__TIME__") != std::string_view::npos || text.find("__DATE__") != std::string_view::npos ||
         text.find("__TIMESTAMP__") != std::string_view::npos;
}

IncludedFile describeInclude(std::string name, std::string_view text) {
  return {std::move(name), text.size(), Sha256::of(text.data(), text.size()), usesTimeMacros(text)};
}

} // namespace kiln::protocol
