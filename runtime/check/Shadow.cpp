#include "runtime/check/Shadow.h"
#include "base/support/Log.h"
#include "base/support/Mutex.h"
#include "base/support/Thread.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>
#include <vector>

namespace kiln::check {
namespace {

constexpr unsigned Granules = 4; // log2 of 1 to 8 bytes

constinit Mutex mutex;
constinit std::array<std::vector<ShadowPage *>, Granules> *unused = nullptr; // guarded by the mutex; leaked: launches
                                                                             // may run while the process ends
constinit std::atomic<size_t> bytesOfAll{0};

// Another thread may have held the lock during the fork.
constinit ForkHandler forget{[] {
  new (&mutex) Mutex;
  unused = nullptr;
}};

/// Of one of the three arrays.
size_t cellBytes(unsigned granule) { return sizeof(Cell) * (ShadowPage::Bytes >> granule); }

size_t mostBytes() {
  static const size_t most = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE)) / 4;
  return most;
}

} // namespace

bool reserveShadow(size_t bytes) noexcept {
  if (bytesOfAll.fetch_add(bytes, std::memory_order_relaxed) + bytes <= mostBytes())
    return true;
  returnShadow(bytes);
  static std::atomic<bool> isLogged{false};
  if (!isLogged.exchange(true))
    KILN_LOG(Error, Program, "KILN_CHECK: launches access more memory than there are shadows for (", mostBytes() >> 20,
             " MiB); races in the rest are not found");
  return false;
}

void returnShadow(size_t bytes) noexcept { bytesOfAll.fetch_sub(bytes, std::memory_order_relaxed); }

ShadowPage *ShadowPage::acquire(unsigned granule) noexcept {
  if (granule >= Granules)
    return nullptr;
  const size_t bytes = sizeof(ShadowPage) + 3 * cellBytes(granule);
  ShadowPage *page = nullptr;
  try {
    Lock lock(mutex);
    if (!unused) {
      onFork(forget);
      unused = new std::array<std::vector<ShadowPage *>, Granules>;
    }
    auto &list = (*unused)[granule];
    if (!list.empty()) {
      page = list.back();
      list.pop_back();
    }
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
  if (!page) {
    if (!reserveShadow(bytes))
      return nullptr;
    void *memory = std::aligned_alloc(alignof(ShadowPage), bytes);
    if (!memory)
      return returnShadow(bytes), nullptr;
    page = new (memory) ShadowPage{granule, uint32_t(Bytes >> granule)};
  }
  std::memset(static_cast<void *>(page->writes()), 0, 3 * cellBytes(granule));
  return page;
}

void ShadowPage::release(ShadowPage *page) noexcept {
  Lock lock(mutex);
  if (!unused)
    return; // the child of a fork
  try {
    (*unused)[page->granule].push_back(page);
  } catch (const std::bad_alloc &) {
    returnShadow(sizeof(ShadowPage) + 3 * cellBytes(page->granule));
    std::free(page);
  }
}

} // namespace kiln::check
