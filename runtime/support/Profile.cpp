#include "runtime/support/Profile.h"
#include "runtime/support/Executable.h"
#include "runtime/support/Log.h"
#include "runtime/support/Options.h"

namespace kiln {
namespace {

constexpr Profile Profiles[] = {
#define KILN_PROFILE(name, executable, deviceName, vendor, version, options, ignoresStandard, subGroupSize, sentence)  \
  {#name, executable, deviceName, vendor, version, options, ignoresStandard, subGroupSize},
#include "runtime/support/Profiles.def"
#undef KILN_PROFILE
};

std::string executable() {
  const std::string whole = executablePath();
  return whole.substr(whole.rfind('/') + 1);
}

const Profile *choose() {
  const std::string &asked = options().profile, program = executable();
  for (const Profile &one : Profiles)
    if (asked.empty() ? !one.executable.empty() && one.executable == program : one.name == asked) {
      KILN_LOG(Info, Api, "profile ", one.name, " for ", program);
      return &one;
    }
  if (!asked.empty()) {
    std::string names;
    for (const Profile &one : Profiles)
      names += text(names.empty() ? "" : ", ", one.name);
    KILN_LOG(Error, Api, "KILN_PROFILE is ", asked, ", which is none of ", names);
  }
  return nullptr;
}

} // namespace

const Profile *profile() {
  static const Profile *const chosen = choose();
  return chosen;
}

std::string profiled(std::string_view Profile::*member, std::string usual) {
  const Profile *chosen = profile();
  return chosen && !(chosen->*member).empty() ? std::string(chosen->*member) : std::move(usual);
}

} // namespace kiln
