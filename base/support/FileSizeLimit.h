// Guards file writes against RLIMIT_FSIZE.
#pragma once
#include <cerrno>
#include <csignal>
#include <ctime>
#include <sys/resource.h>

namespace kiln {

/// While the object exists, a write beyond RLIMIT_FSIZE fails with EFBIG in this thread and has no other effect.
/// Without it the kernel would send SIGXFSZ to the writing thread, which ends the application. The signal is blocked,
/// and removed if a write raised it; other signal settings do not change. errno is preserved.
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
