// Writes to files in a process whose files may not grow (RLIMIT_FSIZE).
#pragma once
#include <cerrno>
#include <csignal>
#include <ctime>
#include <sys/resource.h>

namespace kiln {

/// While it lives, a write beyond RLIMIT_FSIZE fails with EFBIG in this thread and does nothing else: the kernel sends
/// SIGXFSZ to the thread that writes, which would end the application. The signal is blocked and, if a write raised it,
/// removed; what the application does with signals stays as it was. Leaves errno alone.
class FileSizeLimit {
public:
  FileSizeLimit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY)
      return;
    sigset_t pending;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    isPendingBefore_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    isBlocked_ = pthread_sigmask(SIG_BLOCK, &signal_, &before_) == 0;
  }
  ~FileSizeLimit() {
    if (!isBlocked_)
      return;
    int error = errno;
    const timespec none{};
    while (!isPendingBefore_ && sigtimedwait(&signal_, nullptr, &none) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  FileSizeLimit(const FileSizeLimit &) = delete;
  FileSizeLimit &operator=(const FileSizeLimit &) = delete;

private:
  sigset_t signal_, before_;
  bool isBlocked_ = false, isPendingBefore_ = false;
};

} // namespace kiln
