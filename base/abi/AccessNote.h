// The located form of a program: code that notes, before each access to memory, its source line and its work-item, for
// the replay of a fault (runtime/program/FaultReplay.h).
#pragma once
#include <cstdint>

namespace kiln::abi {

/// Where the thread that runs a launch of the located form is. The passes use offsetof for its fields.
struct AccessNote {
  /// The address of text in the code: "file:line\n" of the access, then that of the call in whose callee the access is,
  /// and so on to the kernel. Empty if the module has no line; 0 before the first access.
  uint64_t site = 0;
  uint64_t isItem = 0;    // 0: the code runs once for a work-group, not for a work-item
  uint64_t globalId[3]{}; // the work-item's
  uint64_t groupId[3]{};  // the work-group's if `isItem` is 0
};

} // namespace kiln::abi
