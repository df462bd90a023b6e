#include "runtime/cache/CodeFile.h"
#include "base/support/Lines.h"
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

/// Moves the descriptor above standard error: these files stay open, and an application that has closed its standard
/// descriptors may expect those numbers to be free.
int high(int file) {
  if (file < 0 || file > STDERR_FILENO)
    return file;
  int other = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(file);
  return other;
}

/// An in-memory file that can be mapped as code even if vm.memfd_noexec forbids it by default.
Descriptor memoryFile() {
  int file = memfd_create("kiln-code", MFD_CLOEXEC | MFD_EXEC);
  return Descriptor(high(file >= 0 ? file : memfd_create("kiln-code", MFD_CLOEXEC)));
}

bool mayExecute(const char *folder) {
  struct statvfs about;
  return statvfs(folder, &about) == 0 && !(about.f_flag & ST_NOEXEC);
}

} // namespace

std::shared_ptr<const CodeFile> CodeFile::existing(std::string path, const Sha256::Digest &digest) {
  return std::shared_ptr<const CodeFile>(new CodeFile(std::move(path), digest));
}

Result<std::shared_ptr<const CodeFile>> CodeFile::temporary(const wire::Bytes &code) {
  const Sha256::Digest digest = Sha256::of(code.data(), code.size());
  if (Descriptor file = showsCode() ? Descriptor() : memoryFile()) {
    std::shared_ptr<CodeFile> made(new CodeFile("/proc/self/fd/" + std::to_string(file.get()), digest));
    if (files::write(file.get(), code) && access(made->path_.c_str(), R_OK) == 0) {
      made->descriptor_ = std::move(file);
      return std::shared_ptr<const CodeFile>(std::move(made));
    }
  }
  const char *chosen = secure_getenv("TMPDIR");
  for (const char *folder : {chosen ? chosen : "/tmp", "/tmp", "/dev/shm"}) {
    if (!mayExecute(folder))
      continue;
    std::shared_ptr<CodeFile> made(new CodeFile(std::string(folder) + "/kiln-XXXXXX", digest));
    made->descriptor_ = Descriptor(high(mkostemp(made->path_.data(), O_CLOEXEC)));
    if (!made->descriptor_)
      continue;
    made->unlink_ = true;
    if (files::write(made->descriptor_.get(), code))
      return std::shared_ptr<const CodeFile>(std::move(made));
  }
  return fail(CL_OUT_OF_RESOURCES, "cannot create a file for code: ", strerror(errno));
}

CodeFile::~CodeFile() {
  if (unlink_)
    unlink(path_.c_str());
}

wire::Bytes CodeFile::read() const {
  wire::Bytes bytes = files::read(path_).value_or(wire::Bytes());
  return Sha256::of(bytes.data(), bytes.size()) == digest_ ? bytes : wire::Bytes();
}

} // namespace kiln
