#include "runtime/cache/BuildTurn.h"
#include "base/support/Log.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <thread>

namespace kiln {
namespace {

/// Locks (F_WRLCK) or unlocks (F_UNLCK) the byte at the offset without waiting.
bool setLock(int file, int64_t offset, short type) {
  struct flock range{};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = offset;
  range.l_len = 1;
  return fcntl(file, F_OFD_SETLK, &range) == 0;
}

} // namespace

BuildTurn::BuildTurn(const std::string &folder, const CacheKey &key, std::chrono::milliseconds longest)
    : file_(open((folder + "/builds").c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  if (!file_)
    return;
  std::memcpy(&offset_, key.data(), sizeof offset_);
  offset_ &= INT64_MAX >> 1; // the end of the range must be representable as well
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + longest;
  std::chrono::milliseconds pause(1);
  while (!(locked_ = setLock(file_.get(), offset_, F_WRLCK))) {
    if (errno == EINTR)
      continue;
    if (errno != EAGAIN && errno != EACCES)
      return; // the file system has no locks
    waited_ = true;
    if (Clock::now() >= end) {
      KILN_LOG(Info, Cache, "not waiting any longer for another process that builds ", hexadecimal(key));
      return;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(16));
  }
}

BuildTurn::~BuildTurn() { release(); }

void BuildTurn::release() {
  // Closing the file is not enough: the child of a fork may share the open file description.
  if (locked_)
    setLock(file_.get(), offset_, F_UNLCK);
  locked_ = false;
}

} // namespace kiln
