#include "runtime/check/Shadow.h"
#include "base/support/Log.h"
#include "base/support/Thread.h"
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>
#include <utility>
#include <vector>

namespace kiln::check {
namespace {

constexpr unsigned Granules = 4; // log2 of 1 to 8 bytes

constinit Mutex mutex;
struct Free {
  std::array<std::vector<ShadowPage *>, Granules> pages;
  size_t bytes = 0; // of all pages, also those in use
};
constinit Free *unused = nullptr; // guarded by the mutex; leaked: launches may run while the process ends

// Another thread may have held the lock during the fork.
constinit ForkHandler forget{[] {
  new (&mutex) Mutex;
  unused = nullptr;
}};

size_t cellBytes(unsigned granule) { return 3 * sizeof(Cell) * (ShadowPage::Bytes >> granule); }

size_t mostBytes() {
  static const size_t most = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE)) / 4;
  return most;
}

} // namespace

ShadowPage *ShadowPage::acquire(unsigned granule) noexcept {
  if (granule >= Granules)
    return nullptr;
  const size_t bytes = sizeof(ShadowPage) + cellBytes(granule);
  try {
    Lock lock(mutex);
    if (!unused) {
      onFork(forget);
      unused = new Free;
    }
    auto &list = unused->pages[granule];
    if (!list.empty()) {
      ShadowPage *page = list.back();
      list.pop_back();
      lock.unlock();
      std::memset(static_cast<void *>(page->writes()), 0, cellBytes(granule));
      return page;
    }
    if (unused->bytes + bytes > mostBytes()) {
      static bool isLogged = false;
      if (!std::exchange(isLogged, true))
        KILN_LOG(Error, Program, "KILN_CHECK: launches access more memory than there are shadows for (",
                 mostBytes() >> 20, " MiB); races in the rest are not found");
      return nullptr;
    }
    auto *page = static_cast<ShadowPage *>(std::calloc(1, bytes));
    if (!page)
      return nullptr;
    unused->bytes += bytes;
    page->granule = granule, page->count = uint32_t(Bytes >> granule);
    return page;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void ShadowPage::release(ShadowPage *page) noexcept {
  Lock lock(mutex);
  if (!unused)
    return; // the child of a fork
  try {
    unused->pages[page->granule].push_back(page);
  } catch (const std::bad_alloc &) {
    unused->bytes -= sizeof(ShadowPage) + cellBytes(page->granule);
    std::free(page);
  }
}

GlobalShadow::~GlobalShadow() {
  for (Shard &shard : shards_) {
    Lock lock(shard.mutex);
    for (const auto &[number, page] : shard.pages)
      ShadowPage::release(page);
  }
}

ShadowPage *GlobalShadow::page(uintptr_t number, unsigned granule) noexcept {
  Shard &shard = shards_[number % Shards];
  try {
    Lock lock(shard.mutex);
    ShadowPage *&page = shard.pages[number];
    if (!page)
      page = ShadowPage::acquire(granule);
    // A page that code with other granules has made cannot be used.
    return page && page->granule == granule ? page : nullptr;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

} // namespace kiln::check
