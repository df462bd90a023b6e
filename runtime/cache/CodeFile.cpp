#include "runtime/cache/CodeFile.h"
#include "runtime/cache/Files.h"
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace kiln {
namespace {

#ifndef MFD_EXEC
constexpr unsigned MFD_EXEC = 0x10;
#endif

/// The same file with a number above standard error: these files stay open, and an application that has closed its own
/// standard descriptors may expect those numbers to be free.
int high(int file) {
  if (file < 0 || file > STDERR_FILENO)
    return file;
  int other = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(file);
  return other;
}

/// A file in memory that may be mapped as code even where the system's default says no.
int memoryFile() {
  int file = memfd_create("kiln-code", MFD_CLOEXEC | MFD_EXEC);
  return high(file >= 0 ? file : memfd_create("kiln-code", MFD_CLOEXEC));
}

bool mayExecute(const char *folder) {
  struct statvfs about;
  return statvfs(folder, &about) == 0 && !(about.f_flag & ST_NOEXEC);
}

} // namespace

std::shared_ptr<const CodeFile> CodeFile::existing(std::string path, const Sha256::Digest &digest) {
  return std::shared_ptr<const CodeFile>(new CodeFile(std::move(path), digest, -1, false));
}

Result<std::shared_ptr<const CodeFile>> CodeFile::temporary(const wire::Bytes &code) {
  const Sha256::Digest digest = Sha256::of(code.data(), code.size());
  if (int file = memoryFile(); file >= 0) {
    std::string path = "/proc/self/fd/" + std::to_string(file);
    if (files::write(file, code) && access(path.c_str(), R_OK) == 0)
      return std::shared_ptr<const CodeFile>(new CodeFile(std::move(path), digest, file, false));
    close(file);
  }
  const char *chosen = secure_getenv("TMPDIR");
  for (const char *folder : {chosen ? chosen : "/tmp", "/tmp", "/dev/shm"}) {
    if (!mayExecute(folder))
      continue;
    std::string path = std::string(folder) + "/kiln-XXXXXX";
    int file = high(mkostemp(path.data(), O_CLOEXEC));
    if (file < 0)
      continue;
    if (files::write(file, code))
      return std::shared_ptr<const CodeFile>(new CodeFile(std::move(path), digest, file, true));
    close(file);
    unlink(path.c_str());
  }
  return fail(CL_OUT_OF_RESOURCES, "no file can be had to load code from: ", strerror(errno));
}

CodeFile::~CodeFile() {
  if (unlink_)
    unlink(path_.c_str());
  if (descriptor_ >= 0)
    close(descriptor_);
}

wire::Bytes CodeFile::read() const {
  wire::Bytes bytes = files::read(path_).value_or(wire::Bytes());
  return Sha256::of(bytes.data(), bytes.size()) == digest_ ? bytes : wire::Bytes();
}

} // namespace kiln
