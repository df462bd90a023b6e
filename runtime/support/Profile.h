// The row of Profiles.def that this process has, if any.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kiln {

struct Profile {
  std::string_view name, executable, deviceName, vendor, version, options;
  bool ignoresStandard;
  uint32_t subGroupSize;
};

/// The one that KILN_PROFILE names, else the one for this executable; null where there is none. Its first use is
/// logged, and so is a name that no profile has.
const Profile *profile();

/// What the profile says, or `usual` where it says nothing.
std::string profiled(std::string_view Profile::*text, std::string usual);

} // namespace kiln
