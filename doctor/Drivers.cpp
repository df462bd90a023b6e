#include "doctor/Checks.h"
#include "doctor/Child.h"
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

namespace kiln::doctor {

Findings checkDriver(const Driver &driver) {
  Findings all;
  bool hasFiles = false;
  for (const std::string &file : driver.files) {
    if (access(file.c_str(), F_OK) != 0)
      continue;
    hasFiles = true;
    if (access(file.c_str(), R_OK | W_OK) != 0)
      all.push_back(problem(file + " cannot be opened: " + strerror(errno),
                            "add this user to the group that owns the file (on Debian render or video), and log in "
                            "again"));
  }
  std::string why;
  for (const std::string &library : driver.libraries) {
    const ChildResult result = inChild(
        [&] {
          if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL))
            return std::string();
          const char *reason = dlerror();
          return std::string(reason ? reason : "no reason given");
        },
        30);
    const std::string reason = result.failure.empty() ? result.output : library + ": loading it " + result.failure;
    if (reason.empty()) {
      all.push_back(good(driver.name + ": " + library + (hasFiles ? "" : ", but no device file")));
      return all;
    }
    if (why.empty())
      why = reason;
  }
  if (hasFiles)
    all.push_back(problem(driver.name + ": there is a device, but no driver library: " + why, driver.advice));
  else
    all.push_back(good(driver.name + ": no device and no driver library"));
  return all;
}

} // namespace kiln::doctor
