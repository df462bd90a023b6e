// The row of Profiles.def that applies to this process.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kiln {

struct Profile {
  std::string_view name, executable, deviceName, vendor, version, options;
  bool ignoresStandard;
  uint32_t subGroupSize;
  std::string_view extensions;
  uint32_t maxWorkGroupSize;
};

/// Returns the profile that KILN_PROFILE names, else the one for this executable, else null. Logs the choice, and an
/// unknown name, on the first call.
const Profile *profile();

/// Returns the profile's text, or `defaultText` if there is no profile or its text is empty.
std::string profiled(std::string_view Profile::*text, std::string defaultText);

} // namespace kiln
