// Something that a device does once, while the caller waits: for memory that must be in order before anybody uses it.
#pragma once
#include "backends/Device.h"
#include <functional>

namespace kiln {

/// On a stream of its own.
Status runSynchronously(Device &device, std::function<Status(Stream &)> issue);

} // namespace kiln
