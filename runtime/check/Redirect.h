// A wrong access reads or writes this memory, so that the kernel can go on.
#pragma once
#include <cstdint>

namespace kiln::check {

/// The address of at least `bytes` bytes that no object has. Reads get zeros.
void *redirected(uint64_t bytes, bool isRead) noexcept;

} // namespace kiln::check
