#include "bench/measure/ChildProcess.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

[[noreturn]] void fail(const char *call) {
  throw std::runtime_error(std::string(call) + " failed: " + std::strerror(errno));
}

template <size_t Room> void copyText(char (&to)[Room], std::string_view from) { to[from.copy(to, Room - 1)] = '\0'; }

void writeAll(int file, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written < 0 && errno != EINTR)
      fail("write");
    if (written > 0)
      bytes += written, size -= size_t(written);
  }
}

/// Returns false at the end of the file.
bool readAll(int file, char *bytes, size_t size) {
  while (size) {
    const ssize_t got = read(file, bytes, size);
    if (got < 0 && errno != EINTR)
      fail("read");
    if (!got)
      return false;
    if (got > 0)
      bytes += got, size -= size_t(got);
  }
  return true;
}

std::string describe(int status) {
  if (WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

} // namespace

void Progress::setPlatform(std::string_view name) { copyText(platform, name); }
void Progress::setKernel(std::string_view name) { copyText(kernel, name); }

ChildProcess::ChildProcess(const std::function<int(Progress &, const Send &)> &work, const Send &receive) {
  void *shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    fail("mmap");
  progress_ = new (shared) Progress;
  int ends[2]; // programs that the platform starts do not inherit them
  if (pipe2(ends, O_CLOEXEC))
    fail("pipe2");
  std::cout.flush(); // else both processes write the same buffer
  std::fflush(nullptr);
  const pid_t parent = getpid(), child = fork();
  if (child < 0)
    fail("fork");
  if (!child) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // ends with its parent process
    if (getppid() != parent)
      std::_Exit(1);
    close(ends[0]);
    const auto send = [&](const std::string &message) {
      const size_t size = message.size();
      writeAll(ends[1], reinterpret_cast<const char *>(&size), sizeof size);
      writeAll(ends[1], message.data(), size);
    };
    try {
      progress_->status = work(*progress_, send);
    } catch (const std::exception &error) {
      std::fprintf(stderr, "kiln-bench: %s\n", error.what());
      progress_->status = 1;
    }
    progress_->finished = true;
    std::exit(progress_->status); // the platform ends as in any other program
  }
  close(ends[1]);
  std::string message;
  for (size_t size = 0; readAll(ends[0], reinterpret_cast<char *>(&size), sizeof size);) {
    message.resize(size);
    if (!readAll(ends[0], message.data(), size))
      break;
    receive(message);
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      fail("waitpid");
  if (!progress_->finished) {
    brokenBy_ = describe(status);
  } else if (!WIFEXITED(status) || WEXITSTATUS(status) != progress_->status) {
    std::fprintf(stderr, "kiln-bench: the process ended with %s after all was measured\n", describe(status).c_str());
    progress_->status = 1;
  }
}

ChildProcess::~ChildProcess() { munmap(progress_, sizeof(Progress)); }

} // namespace bench
