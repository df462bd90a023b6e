#pragma once
#include "backends/Device.h"
#include <vector>

namespace kiln::cuda {

/// The devices of NVIDIA's driver library at this path; empty: its usual name.
std::vector<std::unique_ptr<Device>> discover(const std::string &library);

} // namespace kiln::cuda
