#include "runtime/check/GlobalShadow.h"
#include "base/support/Thread.h"
#include <cstdlib>
#include <cstring>
#include <new>
#include <sched.h>
#include <utility>
#include <vector>

namespace kiln::check {
namespace {

constexpr unsigned Granules = 4; // log2 of 1 to 8 bytes

constinit Mutex mutex;
constinit std::array<std::vector<RowPage *>, Granules> *unused =
    nullptr; // guarded by the mutex; leaked, as Shadow.cpp's

// Another thread may have held the lock during the fork.
constinit ForkHandler forget{[] {
  new (&mutex) Mutex;
  unused = nullptr;
}};

} // namespace

bool ShadowRow::divide() noexcept {
  if (!reserveShadow(sizeof(Cells)))
    return false;
  auto *made = new (std::nothrow) Cells{};
  if (!made)
    return returnShadow(sizeof(Cells)), false;
  for (unsigned map = 0; map < Maps; ++map)
    for (unsigned granule = 0; granule < Granules; ++granule) {
      if (!(masks[map] >> granule & 1))
        continue;
      const Cell cell = cellOf(map, granule);
      Cell &reader = made->reads[granule] ? made->otherReads[granule] : made->reads[granule];
      (writes >> map & 1 ? made->writes[granule] : reader) = cell;
    }
  own = made, settled = 0;
  return true;
}

void RowPage::lock() noexcept {
  while (isLocked_.exchange(true, std::memory_order_acquire))
    for (unsigned i = 0; isLocked_.load(std::memory_order_relaxed); ++i)
      if (i % 64 == 63)
        sched_yield();
}

RowPage *RowPage::acquire(unsigned granule) noexcept {
  if (granule >= Granules)
    return nullptr;
  const size_t bytes = alignof(ShadowRow) + rowCount(granule) * sizeof(ShadowRow);
  try {
    Lock lock(mutex);
    if (!unused) {
      onFork(forget);
      unused = new std::array<std::vector<RowPage *>, Granules>;
    }
    auto &list = (*unused)[granule];
    if (!list.empty()) {
      RowPage *page = list.back();
      list.pop_back();
      return page;
    }
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
  if (!reserveShadow(bytes))
    return nullptr;
  void *memory = std::aligned_alloc(alignof(ShadowRow), bytes);
  if (!memory)
    return returnShadow(bytes), nullptr;
  auto *page = new (memory) RowPage(granule);
  std::memset(static_cast<void *>(page->rows()), 0, bytes - alignof(ShadowRow));
  return page;
}

void RowPage::release(RowPage *page) noexcept {
  const size_t count = rowCount(page->granule_);
  for (size_t i = 0; page->hasCells_ && i < count; ++i)
    if (ShadowRow &row = page->rows()[i]; row.own) {
      delete std::exchange(row.own, nullptr);
      returnShadow(sizeof(ShadowRow::Cells));
    }
  page->hasCells_ = false;
  Lock lock(mutex);
  if (!unused)
    return; // the child of a fork
  try {
    (*unused)[page->granule_].push_back(page);
  } catch (const std::bad_alloc &) {
    returnShadow(alignof(ShadowRow) + count * sizeof(ShadowRow));
    std::free(page);
  }
}

GlobalShadow::~GlobalShadow() {
  for (Shard &shard : shards_) {
    Lock lock(shard.mutex);
    for (const auto &[number, page] : shard.pages)
      if (page)
        RowPage::release(page);
  }
}

RowPage *GlobalShadow::page(uintptr_t number, unsigned granule) noexcept {
  Shard &shard = shards_[number % Shards];
  try {
    Lock lock(shard.mutex);
    RowPage *&page = shard.pages[number];
    if (!page)
      page = RowPage::acquire(granule);
    // A page that code with other granules has made cannot be used.
    return page && page->granule() == granule ? page : nullptr;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

} // namespace kiln::check
