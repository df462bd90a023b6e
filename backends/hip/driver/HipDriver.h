#pragma once
#include "backends/Device.h"
#include <vector>

namespace kiln::hip {

/// The devices of AMD's driver library at this path; empty: its usual names.
std::vector<std::unique_ptr<Device>> discover(const std::string &library);

} // namespace kiln::hip
