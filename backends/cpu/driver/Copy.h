// Copies and fills boxes of bytes, on the calling thread, and on others if waking them pays.
#pragma once
#include "backends/Device.h"
#include "backends/cpu/driver/DeviceThreads.h"

namespace kiln::cpu {

Status copyRegion(const ThreadAllotment &allotment, const Region &to, const Region &from);
Status fillRegion(const ThreadAllotment &allotment, const Region &to, std::span<const std::byte> pattern);

} // namespace kiln::cpu
