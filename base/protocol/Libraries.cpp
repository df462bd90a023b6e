#include "base/protocol/Libraries.h"
#include <atomic>
#include <cstring>
#include <link.h>
#include <sys/stat.h>

namespace kiln {
namespace {

/// The line for a file; without size and time if it does not exist.
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
    std::string recorded = libraries.substr(begin, end + 1 - begin);
    size_t path = recorded.find('\t');
    if (path == std::string::npos || line(recorded.substr(0, path)) != recorded)
      return false;
    begin = end + 1;
  }
  return true;
}

/// Results of earlier comparisons. A list that only grows, without a lock, because a child of fork reads it too.
struct CheckedList {
  const std::string libraries;
  const bool unchanged;
  const CheckedList *const next;
};
constinit std::atomic<const CheckedList *> checked{nullptr};

} // namespace

std::string mappedLibraries() {
  std::string lines;
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *lines) {
        if (object->dlpi_name && std::strchr(object->dlpi_name, '/')) // excludes the program and the vDSO
          *static_cast<std::string *>(lines) += line(object->dlpi_name);
        return 0;
      },
      &lines);
  return lines;
}

bool librariesUnchanged(const std::string &libraries) {
  const CheckedList *first = checked.load(std::memory_order_acquire);
  for (const CheckedList *one = first; one; one = one->next)
    if (one->libraries == libraries)
      return one->unchanged;
  auto *entry = new CheckedList{libraries, compare(libraries), first};
  if (!checked.compare_exchange_strong(first, entry, std::memory_order_acq_rel)) {
    bool unchanged = entry->unchanged;
    delete entry; // another thread added an entry; the next call compares again
    return unchanged;
  }
  return entry->unchanged;
}

} // namespace kiln
