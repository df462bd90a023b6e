#include "runtime/memory/FreedMemory.h"
#include "base/support/Mutex.h"
#include "base/support/Thread.h"
#include <deque>
#include <new>

namespace kiln {
namespace {

// Of all freed memory, and of one allocation.
constexpr size_t MaxBytes = 64 << 20;

struct Freed {
  std::unique_ptr<Memory> memory;
  size_t size;
  const void *allocatedAt;
};

constinit Mutex mutex;
struct List {
  std::deque<Freed> freed;
  size_t bytes = 0;
};
constinit List *list = nullptr; // guarded by the mutex; leaked: launches may run while the process ends

// Another thread may have held the lock during the fork.
constinit ForkHandler forget{[] {
  new (&mutex) Mutex;
  list = nullptr; // leaked: it may be inconsistent
}};

} // namespace

void keepFreed(std::unique_ptr<Memory> memory, size_t size, const void *allocatedAt) noexcept {
  if (!memory || size > MaxBytes)
    return;
  std::deque<Freed> dropped; // destroyed without the lock
  try {
    Lock lock(mutex);
    if (!list) {
      onFork(forget);
      list = new List;
    }
    list->freed.push_back({std::move(memory), size, allocatedAt});
    list->bytes += size;
    while (list->bytes > MaxBytes) {
      list->bytes -= list->freed.front().size;
      dropped.push_back(std::move(list->freed.front()));
      list->freed.pop_front();
    }
  } catch (const std::bad_alloc &) { // the memory is freed now
  }
}

std::vector<FreedRange> allFreed() {
  std::vector<FreedRange> ranges;
  Lock lock(mutex);
  if (list)
    for (const Freed &one : list->freed)
      ranges.push_back({uintptr_t(one.memory->address), one.size, one.allocatedAt});
  return ranges;
}

std::optional<FreedRange> findFreed(uintptr_t address) noexcept {
  Lock lock(mutex);
  if (list)
    for (const Freed &one : list->freed)
      if (address - uintptr_t(one.memory->address) < one.size)
        return FreedRange{uintptr_t(one.memory->address), one.size, one.allocatedAt};
  return {};
}

} // namespace kiln
