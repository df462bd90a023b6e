#include "runtime/check/Redirect.h"
#include "base/support/Mutex.h"
#include <algorithm>
#include <array>
#include <sys/mman.h>

namespace kiln::check {
namespace {

// An access of more bytes, a copy, gets a larger area. Launches may still use the one before, so it stays.
constexpr uint64_t AreaBytes = 1 << 20;

struct Area {
  void *begin = nullptr;
  uint64_t bytes = 0;
};

constinit Mutex mutex;
constinit std::array<Area, 2> areas KILN_GUARDED_BY(mutex); // for reads, for others

} // namespace

void *redirected(uint64_t bytes, bool isRead) noexcept {
  Lock lock(mutex);
  Area &area = areas[isRead ? 0 : 1];
  if (bytes > area.bytes) {
    const uint64_t wanted = std::max(bytes, AreaBytes);
    void *made = mmap(nullptr, wanted, isRead ? PROT_READ : PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made != MAP_FAILED)
      area = {made, wanted};
  }
  return area.begin; // null without memory: the access is a fault then
}

} // namespace kiln::check
