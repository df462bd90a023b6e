// An operation that the calling thread waits for: for device memory that must be initialised before its first use.
#pragma once
#include "backends/Device.h"
#include <functional>

namespace kiln {

/// Runs `issue` on a new stream.
Status runSynchronously(Device &device, std::function<Status(Issuer &)> issue);

} // namespace kiln
