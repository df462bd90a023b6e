#include "base/protocol/CacheEntry.h"
#include "base/support/Files.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln::cache_entry {
namespace {

wire::Bytes pack(const File &file) {
  wire::Bytes bytes = wire::pack(file);
  const Sha256::Digest sum = Sha256::of(bytes.data(), bytes.size());
  bytes.insert(bytes.end(), sum.begin(), sum.end());
  return bytes;
}

bool writeFile(const std::string &path, const wire::Bytes &bytes, mode_t mode) {
  const std::string folder = path.substr(0, path.rfind('/'));
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return false;
  if (files::reasonNotTrusted(folder)) {
    errno = EPERM;
    return false;
  }
  std::string other = path + TemporaryInfix + "XXXXXX";
  const int file = mkostemp(other.data(), O_CLOEXEC);
  if (file < 0)
    return false;
  bool done = files::write(file, bytes) && fchmod(file, mode) == 0;
  done = close(file) == 0 && done && rename(other.c_str(), path.c_str()) == 0;
  if (!done)
    unlink(other.c_str());
  return done;
}

} // namespace

std::string Place::path(const char *suffix) const {
  const std::string name = hexadecimal(key);
  return folder + "/" + name.substr(0, 2) + "/" + name.substr(2) + suffix;
}

std::optional<File> unpack(wire::Bytes bytes, const Key &key) {
  Sha256::Digest sum;
  if (bytes.size() < sum.size())
    return std::nullopt;
  std::copy(bytes.end() - sum.size(), bytes.end(), sum.begin());
  bytes.resize(bytes.size() - sum.size());
  File file;
  if (Sha256::of(bytes.data(), bytes.size()) != sum || !wire::unpack(bytes, file) || file.format != File::Format ||
      file.key != key)
    return std::nullopt;
  return file;
}

std::optional<Sha256::Digest> write(const Place &place, const wire::Bytes &data, const wire::Bytes &code) {
  File file;
  file.key = place.key, file.data = data, file.hasCode = !code.empty();
  file.code = Sha256::of(code.data(), code.size());
  // The code first: an entry without its code would look damaged.
  if ((!code.empty() && !writeFile(place.path(CodeSuffix), code, 0700)) ||
      !writeFile(place.path(Suffix), pack(file), 0600))
    return std::nullopt;
  return file.code;
}

} // namespace kiln::cache_entry
