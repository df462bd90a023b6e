#include "base/support/Profile.h"
#include "base/support/Executable.h"
#include "base/support/Log.h"
#include "base/support/Options.h"

namespace kiln {
namespace {

constexpr Profile Profiles[] = {
#define KILN_PROFILE(name, executable, deviceName, vendor, version, options, ignoresStandard, subGroupSize,            \
                     extensions, maxWorkGroupSize, sentence)                                                           \
  {#name,   executable,      deviceName,   vendor,     version,                                                        \
   options, ignoresStandard, subGroupSize, extensions, maxWorkGroupSize},
#include "base/support/Profiles.def"
#undef KILN_PROFILE
};

std::string executable() {
  const std::string whole = executablePath();
  return whole.substr(whole.rfind('/') + 1);
}

const Profile *choose() {
  const std::string &requested = options().profile, program = executable();
  for (const Profile &one : Profiles)
    if (requested.empty() ? !one.executable.empty() && one.executable == program : one.name == requested) {
      KILN_LOG(Info, Api, "profile ", one.name, " for ", program);
      return &one;
    }
  if (!requested.empty()) {
    std::string names;
    for (const Profile &one : Profiles)
      names += text(names.empty() ? "" : ", ", one.name);
    KILN_LOG(Error, Api, "KILN_PROFILE is ", requested, ", must be one of ", names);
  }
  return nullptr;
}

} // namespace

const Profile *profile() {
  static const Profile *const chosen = choose();
  return chosen;
}

std::string profiled(std::string_view Profile::*member, std::string defaultText) {
  const Profile *chosen = profile();
  return chosen && !(chosen->*member).empty() ? std::string(chosen->*member) : std::move(defaultText);
}

} // namespace kiln
