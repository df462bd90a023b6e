// Runs lld in this process on memory files: 0.6 ms instead of 22 ms for a linker process, and no writable folder is
// needed. lld has global state, so only one thread may link; kilnc builds each program in a separate process. lld
// writes to standard output, its only output without a temporary file, which is redirected to a memory file.
#include "backends/llvm/LinkElf.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace kiln {
namespace {

class MemoryFile {
public:
  explicit MemoryFile(llvm::ArrayRef<char> content = {}) : fd_(memfd_create("kiln", MFD_CLOEXEC)) {
    while (fd_ >= 0 && !content.empty()) {
      ssize_t written = write(fd_, content.data(), content.size());
      if (written <= 0)
        break;
      content = content.drop_front(written);
    }
    if (fd_ < 0 || !content.empty())
      error_ = errno;
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  std::vector<uint8_t> content() const {
    off_t size = lseek(fd_, 0, SEEK_END);
    std::vector<uint8_t> bytes(size > 0 ? size : 0);
    size_t done = 0;
    while (done < bytes.size()) {
      ssize_t got = pread(fd_, bytes.data() + done, bytes.size() - done, done);
      if (got <= 0)
        return {};
      done += got;
    }
    return bytes;
  }

  int fd() const { return fd_; }
  /// Returns errno of the failed write; 0 on success.
  int error() const { return error_; }

private:
  int fd_, error_ = 0;
};

// Redirects standard output to a memory file during its lifetime.
class StandardOutput {
public:
  explicit StandardOutput(const MemoryFile &file) {
    llvm::outs().flush();
    saved_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(file.fd(), STDOUT_FILENO);
  }
  ~StandardOutput() {
    llvm::outs().flush();
    if (saved_ < 0) { // standard output was closed
      close(STDOUT_FILENO);
      return;
    }
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }
  StandardOutput(const StandardOutput &) = delete;
  StandardOutput &operator=(const StandardOutput &) = delete;

private:
  int saved_;
};
} // namespace

std::vector<uint8_t> linkSharedObject(llvm::ArrayRef<llvm::ArrayRef<char>> objects,
                                      llvm::ArrayRef<const char *> options, std::string &error) {
  std::vector<std::unique_ptr<MemoryFile>> inputs;
  std::vector<std::string> paths;
  for (llvm::ArrayRef<char> object : objects) {
    inputs.push_back(std::make_unique<MemoryFile>(object));
    paths.push_back(inputs.back()->path());
    if (int number = inputs.back()->error()) {
      error = std::string("cannot write the linker's input to a memory file: ") + strerror(number);
      return {};
    }
  }
  MemoryFile output;
  std::error_code failure;
  std::vector<const char *> arguments{"ld.lld",      "-shared",         "-z", "defs", "-Bsymbolic", "--gc-sections",
                                      "--threads=1", "--build-id=none", "-o", "-"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  for (const std::string &path : paths)
    arguments.push_back(path.c_str());
  llvm::raw_string_ostream messages(error);
  {
    StandardOutput redirected(output);
    if (lld::lldMain(arguments, messages, messages, {{lld::Gnu, &lld::elf::link}}).retCode != 0)
      return {};
    llvm::outs().flush();
    failure = llvm::outs().error();
    llvm::outs().clear_error(); // otherwise LLVM ends the process
  }
  if (failure) {
    error = "cannot write the linked code to a memory file: " + failure.message();
    return {};
  }
  std::vector<uint8_t> bytes = output.content();
  if (bytes.empty())
    error = "cannot read the linked code from the memory file";
  return bytes;
}

} // namespace kiln
