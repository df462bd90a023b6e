#include "backends/cuda/driver/PtxLibrary.h"
#include "base/support/Log.h"
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>
#include <sys/stat.h>

namespace kiln::cuda {
namespace {

constexpr char Name[] = "libnvidia-ptxjitcompiler.so.1";

/// The path without symbolic links; empty if there is no such file.
std::string resolved(const std::string &path) {
  char found[PATH_MAX];
  return realpath(path.c_str(), found) ? found : std::string();
}

std::string folderOf(const std::string &path) { return path.substr(0, path.rfind('/') + 1); }

/// The version of the driver in a file's name: 580.159.04 of libcuda.so.580.159.04. Empty if the name has none.
std::string_view versionOf(std::string_view path) {
  constexpr std::string_view Ending = ".so.";
  const size_t at = path.rfind(Ending);
  const std::string_view version = at == path.npos ? std::string_view() : path.substr(at + Ending.size());
  return version.find('.') == version.npos ? std::string_view() : version;
}

} // namespace

PtxLibrary findPtxLibrary(const void *function, bool maySearch) {
  Dl_info about{};
  if (!dladdr(function, &about) || !about.dli_fname)
    return {};
  const std::string driver = resolved(about.dli_fname);
  for (const std::string &folder : {folderOf(about.dli_fname), folderOf(driver)}) {
    const std::string path = folder + Name, file = resolved(path);
    struct stat status;
    if (folder.empty() || file.empty() || stat(file.c_str(), &status) != 0)
      continue;
    const std::string_view ours = versionOf(driver), its = versionOf(file);
    if (!ours.empty() && !its.empty() && ours != its) {
      KILN_LOG(Warn, Device, "cuda: ", path, " is of driver ", its, ", must be of ", ours,
               ": the driver assembles code in this process");
      return {};
    }
    return {path, text(status.st_size, " ", status.st_mtim.tv_sec, ".", status.st_mtim.tv_nsec)};
  }
  KILN_LOG(Info, Device, "cuda: no ", Name, " is beside ", about.dli_fname, ": ",
           maySearch ? "the loader searches it" : "the driver assembles code in this process");
  return {maySearch ? Name : "", ""};
}

} // namespace kiln::cuda
