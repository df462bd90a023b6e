#include "runtime/cache/UserKey.h"
#include "base/support/Log.h"
#include "runtime/cache/Files.h"
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln {
namespace {

enum class Found { Key, Nothing, Invalid };

Found read(const std::string &path, UserKey &key) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (file < 0)
    return errno == ENOENT ? Found::Nothing : Found::Invalid;
  struct stat about;
  bool valid = fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
               !(about.st_mode & (S_IRWXG | S_IRWXO)) && about.st_size == off_t(key.size()) &&
               pread(file, key.data(), key.size(), 0) == ssize_t(key.size());
  close(file);
  return valid ? Found::Key : Found::Invalid;
}

/// Writes under a temporary name and links it into place, so that of two concurrent processes one uses the other's key.
void make(const std::string &path) {
  UserKey key;
  if (getrandom(key.data(), key.size(), 0) != ssize_t(key.size()))
    return;
  std::string other = path + ".new-XXXXXX";
  int file = mkostemp(other.data(), O_CLOEXEC); // readable by this user alone
  if (file < 0)
    return;
  bool written = files::write(file, {key.begin(), key.end()}) && fsync(file) == 0;
  if (close(file) == 0 && written)
    (void)!link(other.c_str(), path.c_str());
  unlink(other.c_str());
}

} // namespace

std::string settingsFolder() {
  if (const char *folder = secure_getenv("XDG_CONFIG_HOME"); folder && *folder == '/')
    return std::string(folder) + "/kiln";
  if (const char *home = secure_getenv("HOME"); home && *home == '/')
    return std::string(home) + "/.config/kiln";
  return {};
}

std::optional<UserKey> userKeyIn(const std::string &folder) {
  if (folder.empty())
    return {};
  files::makeFolders(folder);
  if (const char *reason = files::reasonNotTrusted(folder)) {
    KILN_LOG(Info, Cache, "no key for program binaries: ", folder, " ", reason);
    return {};
  }
  std::string path = folder + "/key";
  UserKey key;
  Found found = read(path, key);
  if (found == Found::Nothing) {
    make(path);
    found = read(path, key);
  }
  if (found == Found::Key)
    return key;
  KILN_LOG(Warn, Cache, "no key for program binaries: ", path,
           found == Found::Nothing ? " cannot be created" : " must be a file of 32 bytes that only this user can read");
  return {};
}

const std::optional<UserKey> &userKey() {
  static const auto &key = *new const std::optional<UserKey>(userKeyIn(settingsFolder()));
  return key;
}

} // namespace kiln
