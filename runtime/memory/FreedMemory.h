// Memory of freed SVM and USM allocations, for KILN_CHECK: it is kept for a while, so that no other object has its
// addresses, and an access to one of them is known to be wrong.
#pragma once
#include "backends/Device.h"
#include <optional>
#include <vector>

namespace kiln {

struct FreedRange {
  uintptr_t begin = 0;
  size_t size = 0;
  const void *allocatedAt = nullptr; // return address of the application's call
};

/// Keeps the memory of an allocation until 64 MiB have been freed after it.
void keepFreed(std::unique_ptr<Memory> memory, size_t size, const void *allocatedAt) noexcept;
/// The freed allocation that has the address.
std::optional<FreedRange> findFreed(uintptr_t address) noexcept;
/// All of them. May throw std::bad_alloc.
std::vector<FreedRange> allFreed();

} // namespace kiln
