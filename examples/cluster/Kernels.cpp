// The kernels' sources, embedded.
#include "examples/cluster/Kernels.h"

#include <cstdlib>
#include <utility>

namespace cluster {

static constexpr std::pair<std::string_view, const char *> Sources[] = {
#include "examples/cluster/Kernels.inc"
};

const char *kernelSource(std::string_view name) {
  for (const auto &[file, source] : Sources)
    if (file == name)
      return source;
  std::abort(); // a file that the programs name is missing
}

} // namespace cluster
