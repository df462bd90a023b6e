// The description of a device for applications: the driver's, with the changes of KILN_PROFILE and KILN_DEVICE_TYPE.
// Decisions of the runtime about memory use the driver's description (Device::info): a CPU that reports type GPU still
// uses the host's memory.
#pragma once
#include "backends/DeviceInfo.h"

namespace kiln {

/// Returns the driver's description with these changes. Adds no feature that the device does not have.
DeviceInfo presented(DeviceInfo own);

} // namespace kiln
