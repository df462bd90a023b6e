// The backends that this build has, one row each. KILN_DEVICES picks among them by name.
#pragma once
#include "backends/Device.h"
#include <string_view>
#include <vector>

namespace kiln {

struct Backend {
  std::string_view name;
  bool usual; // looked for when KILN_DEVICES says nothing
  /// The devices that are there; none when the driver is missing, old or broken, which is a line in the log.
  std::vector<std::unique_ptr<Device>> (*discover)();
};

std::span<const Backend> backends();

/// The devices of the backends that KILN_DEVICES selects, in its order; words that name no backend are logged.
std::vector<std::unique_ptr<Device>> discoverDevices();

} // namespace kiln
