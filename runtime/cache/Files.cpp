#include "runtime/cache/Files.h"
#include "base/support/Descriptor.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln::files {

namespace {

/// A regular file that is open for reading. Opening waits for nothing, and pipes and devices, whose reading may never
/// end, are refused.
class RegularFile {
public:
  explicit RegularFile(const std::string &path)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    struct stat about;
    if (file_ && fstat(file_.get(), &about) == 0 && S_ISREG(about.st_mode))
      size_ = static_cast<uint64_t>(about.st_size);
    else
      file_.reset();
  }
  explicit operator bool() const { return bool(file_); }
  uint64_t size() const { return size_; } // when it was opened

  /// Reads the next bytes. Returns false unless there are as many.
  bool read(uint8_t *to, size_t bytes) const {
    for (size_t done = 0; done < bytes;) {
      ssize_t count = ::read(file_.get(), to + done, bytes - done);
      if (count > 0)
        done += static_cast<size_t>(count);
      else if (count == 0 || errno != EINTR)
        return false;
    }
    return true;
  }

private:
  Descriptor file_;
  uint64_t size_ = 0;
};

std::optional<Sha256::Digest> digestOf(const RegularFile &file) {
  uint8_t block[64 << 10];
  Sha256 hash;
  for (uint64_t left = file.size(); left;) {
    const auto part = static_cast<size_t>(std::min<uint64_t>(left, sizeof block));
    if (!file.read(block, part))
      return std::nullopt;
    hash.update(block, part);
    left -= part;
  }
  return hash.finish();
}

} // namespace

std::optional<wire::Bytes> read(const std::string &path, uint64_t largest) {
  const RegularFile file(path);
  if (!file || file.size() > largest)
    return std::nullopt;
  wire::Bytes bytes(static_cast<size_t>(file.size()));
  return file.read(bytes.data(), bytes.size()) ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<Sha256::Digest> digestOf(const std::string &path) {
  const RegularFile file(path);
  return file ? digestOf(file) : std::nullopt;
}

bool hasContent(const std::string &path, uint64_t size, const Sha256::Digest &digest) {
  const RegularFile file(path);
  return file && file.size() == size && digestOf(file) == digest;
}

bool makeFolders(const std::string &path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0700);
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST || errno == EROFS;
}

} // namespace kiln::files
