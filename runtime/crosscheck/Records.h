// What the launches of a kernel that prints leave in their buffer (backends/KernelAbi.h), for the cross-check.
#pragma once
#include "runtime/compiler/ProgramInfo.h"
#include <cstddef>
#include <string>
#include <vector>

namespace kiln::crosscheck {

struct Records {
  std::vector<std::string> sorted; // the bytes of each, without pointers: those differ between forms
  bool overflowed = false;         // the buffer was full: which records are in it depends on the order of work-items

  /// Takes the records out of a buffer and leaves it as it was before the launch.
  static Records take(std::byte *buffer, const PrintfTables &tables);
  /// The same and leaves the buffer as it is.
  static Records read(const std::byte *buffer, const PrintfTables &tables);
};

/// The first record that only one of the two has, as text; empty if they have the same.
std::string difference(const Records &usual, const Records &scalar, const PrintfTables &tables);

} // namespace kiln::crosscheck
