#include "runtime/compiler/Libraries.h"
#include <atomic>
#include <cstring>
#include <link.h>
#include <sys/stat.h>

namespace kiln {
namespace {

/// The line for a file; without size and time when it is not there.
std::string line(const std::string &path) {
  struct stat about;
  std::string text = path;
  if (stat(path.c_str(), &about) == 0)
    for (long long part : {static_cast<long long>(about.st_size), static_cast<long long>(about.st_mtim.tv_sec),
                           static_cast<long long>(about.st_mtim.tv_nsec)})
      text += '\t' + std::to_string(part);
  return text + '\n';
}

bool compare(const std::string &libraries) {
  for (size_t begin = 0; begin < libraries.size();) {
    size_t end = libraries.find('\n', begin);
    if (end == std::string::npos)
      return false;
    std::string known = libraries.substr(begin, end + 1 - begin);
    size_t path = known.find('\t');
    if (path == std::string::npos || line(known.substr(0, path)) != known)
      return false;
    begin = end + 1;
  }
  return true;
}

/// What is known already. A list that only grows and needs no lock: a child of fork reads it, too.
struct Known {
  const std::string libraries;
  const bool unchanged;
  const Known *const next;
};
constinit std::atomic<const Known *> known{nullptr};

} // namespace

std::string mappedLibraries() {
  std::string lines;
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *lines) {
        if (object->dlpi_name && std::strchr(object->dlpi_name, '/')) // neither the program itself nor the vDSO
          *static_cast<std::string *>(lines) += line(object->dlpi_name);
        return 0;
      },
      &lines);
  return lines;
}

bool librariesUnchanged(const std::string &libraries) {
  const Known *first = known.load(std::memory_order_acquire);
  for (const Known *one = first; one; one = one->next)
    if (one->libraries == libraries)
      return one->unchanged;
  auto *mine = new Known{libraries, compare(libraries), first};
  if (!known.compare_exchange_strong(first, mine, std::memory_order_acq_rel)) {
    bool unchanged = mine->unchanged;
    delete mine; // the next to ask looks again
    return unchanged;
  }
  return mine->unchanged;
}

} // namespace kiln
