#include "base/support/Files.h"
#include "base/support/FileSizeLimit.h"
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln::files {

bool write(int descriptor, const wire::Bytes &bytes) {
  FileSizeLimit noSignal;
  for (size_t done = 0; done < bytes.size();) {
    ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count > 0)
      done += static_cast<size_t>(count);
    else if (count == 0 || errno != EINTR)
      return false;
  }
  return true;
}

const char *reasonNotTrusted(const std::string &folder) {
  struct stat about;
  if (stat(folder.c_str(), &about) != 0)
    return "cannot be accessed";
  if (!S_ISDIR(about.st_mode))
    return "is not a folder";
  if (about.st_uid != geteuid())
    return "belongs to another user";
  if (about.st_mode & (S_IWGRP | S_IWOTH))
    return "is writable by others";
  return nullptr;
}

} // namespace kiln::files
