// kiln-doctor: looks at everything that Kiln needs, and says what is missing and what to do.
#include "base/support/Options.h"
#include "doctor/Checks.h"
#include "runtime/cache/Cache.h"
#include "runtime/cache/UserKey.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace kiln::doctor {
namespace {

constexpr const char *Loader = "libOpenCL.so.1";

/// Prints the findings. Returns the number of problems.
unsigned print(const char *title, const Findings &findings) {
  unsigned problems = 0;
  for (const Finding &finding : findings) {
    static constexpr const char *words[] = {"ok", "note", "PROBLEM"};
    printf("%-8s %-10s %s\n", words[int(finding.level)], title, finding.what.c_str());
    if (!finding.advice.empty())
      printf("%-19s -> %s\n", "", finding.advice.c_str());
    problems += finding.level == Finding::Level::Problem;
  }
  fflush(stdout);
  return problems;
}

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char **variable = environ; *variable; ++variable)
    all.emplace_back(*variable);
  return all;
}

std::vector<std::string> orDefault(const std::string &given, std::vector<std::string> usual) {
  return given.empty() ? std::move(usual) : std::vector{given};
}

int run() {
  const Options &options = kiln::options();
  const char *vendors = getenv("OCL_ICD_VENDORS");
  std::error_code failed;
  unsigned problems = print("switches", checkSwitches(environment()));
  problems += print("loader", checkLoader(Loader));
  problems += print("platforms", checkVendors(vendors ? vendors : "/etc/OpenCL/vendors", vendors));
  for (const char *compiler : {"kiln-clc", "kilnc"})
    problems += print("compilers", checkCompiler(compiler, options.compilerDir));
  problems += print("cache", checkCache(Cache::defaultFolder(), options.cache, options.cacheSize));
  problems += print("cache", checkUserKey(settingsFolder()));
  problems += print("cache", checkTemporaryFolder(std::filesystem::temp_directory_path(failed).string()));
  problems += print("drivers", checkDriver({.name = "NVIDIA",
                                            .libraries = orDefault(options.cudaLibrary, {"libcuda.so.1"}),
                                            .files = {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"},
                                            .advice = "install NVIDIA's driver, version 530 or newer"}));
  problems += print("drivers",
                    checkDriver({.name = "AMD",
                                 .libraries = orDefault(options.hipLibrary, {"libamdhip64.so", "libamdhip64.so.7",
                                                                             "libamdhip64.so.6", "libamdhip64.so.5"}),
                                 .files = {"/dev/kfd"},
                                 .advice = "install AMD's HIP runtime (Debian: libamdhip64-5)"}));
  Limits limits = currentLimits();
  limits.buildMemory = options.buildMemory;
  problems += print("limits", checkLimits(limits));
  problems += print("run", checkPlatforms(Loader));
  printf("\n%u problem%s\n", problems, problems == 1 ? "" : "s");
  return problems ? 1 : 0;
}

} // namespace
} // namespace kiln::doctor

int main(int count, char **arguments) {
  if (count > 1) {
    const bool help = std::strcmp(arguments[1], "--help") == 0;
    fputs(
        "usage: kiln-doctor\n\nChecks what Kiln needs on this machine: switches, the OpenCL loader and its .icd files, "
        "compilers,\ncache, drivers, limits, and whether a kernel runs. Exit status: 1 if there is a problem.\n",
        help ? stdout : stderr);
    return help ? 0 : 2;
  }
  return kiln::doctor::run();
}
