#include "base/support/Outputs.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln {
namespace {

enum class Kind : uint8_t { File, Folder };
constexpr std::pair<std::string_view, Kind> Outputs[] = {
    {"TRACE", Kind::File},     {"CROSSCHECK_REPORT", Kind::File}, {"CHECK_REPORT", Kind::File},
    {"HOT_LINES", Kind::File}, {"EMULATOR_COUNTS", Kind::File},   {"DUMP", Kind::Folder},
    {"EXPLORE", Kind::Folder}, {"CAPTURE_DIR", Kind::Folder},     {"CACHE_DIR", Kind::Folder},
};

std::string folderOf(const std::string &path) {
  const size_t slash = path.find_last_not_of('/') == std::string::npos
                           ? std::string::npos
                           : path.find_last_of('/', path.find_last_not_of('/'));
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// With the effective ids, which open uses.
std::string whyNoAccess(const std::string &path, int how) {
  return faccessat(AT_FDCWD, path.c_str(), how, AT_EACCESS) == 0 ? std::string() : strerror(errno);
}

std::string whyNotFolder(std::string path, bool mayCreate) {
  struct stat about;
  while (stat(path.c_str(), &about) != 0) {
    if (errno != ENOENT || !mayCreate)
      return strerror(errno);
    path = folderOf(path);
  }
  return S_ISDIR(about.st_mode) ? whyNoAccess(path, W_OK | X_OK) : strerror(ENOTDIR);
}

std::string whyNotFile(const std::string &path) {
  struct stat about;
  if (stat(path.c_str(), &about) == 0)
    return S_ISDIR(about.st_mode) ? strerror(EISDIR) : whyNoAccess(path, W_OK);
  return errno == ENOENT ? whyNotFolder(folderOf(path), /*mayCreate=*/false) : strerror(errno);
}

} // namespace

std::string whyNotWritable(std::string_view name, const std::string &value) {
  const auto *output = std::ranges::find(Outputs, name, &std::pair<std::string_view, Kind>::first);
  if (output == std::end(Outputs) || value.empty() || value == "-") // standard error
    return {};
  return output->second == Kind::Folder ? whyNotFolder(value, /*mayCreate=*/true) : whyNotFile(value);
}

} // namespace kiln
