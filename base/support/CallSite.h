// Where a function was called from, for reports about what the application did.
#pragma once
#include <array>

namespace kiln {

/// The file and the offset of the call before a return address, as addr2line takes them, and the function if the
/// file exports it: "app+0x1a2f (solve)". Allocates no memory. An empty string if no loaded file has the address.
std::array<char, 256> describeCallSite(const void *returnAddress) noexcept;

} // namespace kiln
