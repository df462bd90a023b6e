#pragma once
#include "backends/Device.h"
#include <vector>

namespace kiln::hip {

/// The devices of AMD's driver library at this path, or found by its usual names when that is empty.
std::vector<std::unique_ptr<Device>> discover(const std::string &library);

} // namespace kiln::hip
