#include "runtime/cache/Files.h"
#include "base/support/Descriptor.h"
#include "base/support/FileSizeLimit.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln::files {

std::optional<wire::Bytes> read(const std::string &path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file)
    return std::nullopt;
  struct stat about;
  std::optional<wire::Bytes> bytes;
  if (fstat(file.get(), &about) == 0 && S_ISREG(about.st_mode)) {
    bytes.emplace(static_cast<size_t>(about.st_size));
    size_t done = 0;
    while (done < bytes->size()) {
      ssize_t count = ::read(file.get(), bytes->data() + done, bytes->size() - done);
      if (count > 0)
        done += static_cast<size_t>(count);
      else if (count == 0 || errno != EINTR)
        break;
    }
    if (done < bytes->size())
      bytes.reset();
  }
  return bytes;
}

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

bool makeFolders(const std::string &path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0700);
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST || errno == EROFS;
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
