// A fault of a kernel that ended its launch, and the place where a replay found it. For devices with
// DeviceInfo::runsInIssue.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace kiln {

/// The first fault of a launch.
struct LaunchFault {
  bool happened = false;
  int signal = 0;
  uint64_t address = 0;                  // of the access; 0 if the processor does not say it
  uint64_t firstGroup = 0, endGroup = 0; // the work-groups that its thread was running
};

/// Where a fault happened when its work-groups ran again.
struct FaultPlace {
  std::string site;             // lines "file:line", of the access and of the calls that it is in; may be empty
  bool isItem = false;          // false: in code that runs once for a work-group
  std::array<uint64_t, 3> id{}; // the work-item's global id, or the group's
  uint64_t address = 0;         // as LaunchFault's
  std::string access;           // the address and what is near, as in the error of the launch
};

} // namespace kiln
