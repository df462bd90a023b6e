// printf records of a launch (base/abi/KernelAbi.h), for the cross-check.
#pragma once
#include "base/abi/ProgramInfo.h"
#include <cstddef>
#include <string>
#include <vector>

namespace kiln::crosscheck {

struct Records {
  std::vector<std::string> sorted; // the bytes of each, without addresses, which differ between forms
  bool overflowed = false;         // the buffer was full, so the order of work-items decides which records it has

  /// Reads the records and resets the buffer to its state before the launch.
  static Records take(std::byte *buffer, const PrintfTables &tables);
  /// Reads the records; does not change the buffer.
  static Records read(const std::byte *buffer, const PrintfTables &tables);
};

/// Describes the first record that only one of them has; empty if they are equal.
std::string difference(const Records &normal, const Records &scalar, const PrintfTables &tables);

} // namespace kiln::crosscheck
