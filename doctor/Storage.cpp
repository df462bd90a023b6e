#include "doctor/Checks.h"
#include "runtime/cache/Files.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace kiln::doctor {
namespace {

/// The folder itself, or the nearest one above it that exists.
std::string nearestExisting(std::filesystem::path folder) {
  std::error_code ignored;
  while (!std::filesystem::exists(folder, ignored) && folder.has_parent_path() && folder != folder.parent_path())
    folder = folder.parent_path();
  return folder.string();
}

/// Why no file can be written there; empty if one can.
std::string whyNotWritable(const std::string &folder) {
  std::string path = folder + "/kiln-doctor-XXXXXX";
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0)
    return strerror(errno);
  const bool written = write(file, "x", 1) == 1;
  const std::string why = written ? "" : strerror(errno);
  close(file);
  unlink(path.c_str());
  return why;
}

std::string mebibytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

} // namespace

Findings checkCache(const std::string &folder, bool isOn, uint64_t limit) {
  if (!isOn)
    return {note("KILN_CACHE is off: each process compiles its programs again", "unset KILN_CACHE")};
  if (folder.empty())
    return {note("there is no folder for the cache: KILN_CACHE_DIR, XDG_CACHE_HOME and HOME are not set",
                 "set KILN_CACHE_DIR")};
  const std::string existing = nearestExisting(folder);
  struct stat about;
  if (stat(existing.c_str(), &about) != 0 || !S_ISDIR(about.st_mode))
    return {note("the cache " + folder + " cannot be used: " + existing + " is not a folder", "set KILN_CACHE_DIR")};
  if (existing == folder)
    if (const char *reason = files::reasonNotTrusted(folder))
      return {note("the cache " + folder + " is not used: the folder " + reason,
                   "make it private (chmod 700), or set KILN_CACHE_DIR")};
  if (const std::string why = whyNotWritable(existing); !why.empty())
    return {note("the cache " + folder + " cannot be written: " + why, "set KILN_CACHE_DIR to a folder of this user")};
  Findings all = {good("the cache is " + folder)};
  struct statvfs space;
  if (statvfs(existing.c_str(), &space) == 0) {
    if (space.f_flag & ST_NOEXEC)
      all.push_back(note(existing + " is mounted noexec: code is loaded from memory, which gdb and perf cannot read",
                         "set KILN_CACHE_DIR to a folder that is not"));
    const uint64_t left = uint64_t(space.f_bavail) * space.f_frsize;
    if (left < limit)
      all.push_back(note(existing + " has " + mebibytes(left) + " left, the cache may take " + mebibytes(limit),
                         "set KILN_CACHE_SIZE"));
  }
  return all;
}

Findings checkTemporaryFolder(const std::string &folder) {
  if (const std::string why = whyNotWritable(folder); !why.empty())
    return {note("no file can be written in " + folder + ": " + why, "set TMPDIR to a folder that can be written")};
  return {good("temporary files are in " + folder)};
}

Findings checkUserKey(const std::string &settingsFolder) {
  if (settingsFolder.empty())
    return {
        note("there is no folder for settings: XDG_CONFIG_HOME and HOME are not set, so code in program binaries is "
             "compiled again",
             "set HOME")};
  const std::string path = settingsFolder + "/key";
  struct stat about;
  if (lstat(path.c_str(), &about) != 0)
    return {good("the key for program binaries will be " + path)};
  if (!S_ISREG(about.st_mode) || about.st_uid != geteuid() || about.st_mode & (S_IRWXG | S_IRWXO))
    return {note(path + " is not private, so code in program binaries is compiled again",
                 "remove the file; Kiln makes a new one")};
  if (about.st_size != 32)
    return {note(path + " has " + std::to_string(about.st_size) + " bytes, must have 32",
                 "remove the file; Kiln makes a new one")};
  return {good("the key for program binaries is " + path)};
}

} // namespace kiln::doctor
