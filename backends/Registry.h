// The backends of this build. KILN_DEVICES selects among them by name.
#pragma once
#include "backends/Device.h"
#include <string_view>
#include <vector>

namespace kiln {

struct Backend {
  std::string_view name;
  bool onByDefault; // used if KILN_DEVICES is empty
  /// The devices of the backend. Empty, with a line in the log, if the driver is missing, too old or broken.
  std::vector<std::unique_ptr<Device>> (*discover)();
};

std::span<const Backend> backends();

/// The devices of the backends that KILN_DEVICES selects, in its order. Unknown names are logged.
std::vector<std::unique_ptr<Device>> discoverDevices();

} // namespace kiln
