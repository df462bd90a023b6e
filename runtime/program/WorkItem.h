// The ids of a work-item in words, for errors.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace kiln {

struct Launch;

/// The first ids, one for each dimension: "(3, 1)".
std::string describeIds(const std::array<uint64_t, 3> &ids, uint32_t workDim);

/// The ids that the work-item observes. `localSize` is what the kernel observes: the launch may run with another one
/// (LocalSize.h).
std::string describeItem(const Launch &grid, const std::array<uint64_t, 3> &localSize,
                         const std::array<uint64_t, 3> &globalId);

} // namespace kiln
