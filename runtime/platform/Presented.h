// What applications see of a device: its own description, with the changes of KILN_PROFILE and KILN_DEVICE_TYPE. Kiln
// itself asks a device what it is (Device::info), where a false type would matter: a CPU that reports to be a GPU still
// uses the host's memory.
#pragma once
#include "backends/DeviceInfo.h"

namespace kiln {

DeviceInfo presented(DeviceInfo own);

} // namespace kiln
