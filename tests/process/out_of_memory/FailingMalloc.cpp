#include "tests/process/out_of_memory/FailingMalloc.h"
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <execinfo.h>
#include <link.h>
#include <mutex>
#include <new>
#include <unordered_map>

// The C library's allocator, which these names reach if malloc is replaced.
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
}

namespace kiln::test::failing_malloc {
namespace {

template <typename T> struct LibcAllocator {
  using value_type = T;
  LibcAllocator() = default;
  template <typename U> LibcAllocator(const LibcAllocator<U> &) {}
  T *allocate(size_t count) { return static_cast<T *>(__libc_malloc(count * sizeof(T))); }
  void deallocate(T *block, size_t) { __libc_free(block); }
  friend bool operator==(LibcAllocator, LibcAllocator) { return true; }
};

struct Block {
  uint64_t sequence;
  std::array<void *, 12> callers;
};
using Blocks = std::unordered_map<void *, Block, std::hash<void *>, std::equal_to<void *>,
                                  LibcAllocator<std::pair<void *const, Block>>>;

struct Range {
  uintptr_t begin = 0, end = 0;
  bool has(const void *address) const { return uintptr_t(address) >= begin && uintptr_t(address) < end; }
};

constinit thread_local bool ownCode = false;
constinit thread_local bool inside = false; // in the bookkeeping itself
constinit std::atomic<bool> watching{false};
constinit std::atomic<uint64_t> failAt{UINT64_MAX}, askedSoFar{0}, allSoFar{0};
constinit std::atomic<bool> failOnce{false}, hasStruck{false};
constinit Range dynamicLoader, libc;
constinit std::array<Range, 3> others; // libraries whose requests are not Kiln's
constinit std::mutex mutex;

Blocks &blocks() {
  alignas(Blocks) static std::byte storage[sizeof(Blocks)];
  static Blocks &made = *new (storage) Blocks; // not destroyed at the process's end
  return made;
}

int noteLibrary(dl_phdr_info *library, size_t, void *) {
  // libkiln contains the C++ library, so the shared one is called by the test, or by a library that replaces a driver.
  const std::pair<const char *, Range &> known[] = {{"/ld-linux", dynamicLoader},
                                                    {"/libc.so", libc},
                                                    {"/libOpenCL.so", others[0]},
                                                    {"/libstdc++.so", others[1]},
                                                    {"/libkiln-fake-", others[2]}};
  for (auto &[name, range] : known)
    for (int i = 0; strstr(library->dlpi_name, name) && i < library->dlpi_phnum; ++i)
      if (const auto &part = library->dlpi_phdr[i]; part.p_type == PT_LOAD && (part.p_flags & PF_X))
        range = {library->dlpi_addr + part.p_vaddr, library->dlpi_addr + part.p_vaddr + part.p_memsz};
  return 0;
}

/// Memory for thread-local variables on first use in a thread. Without memory the C library ends the process, which
/// Kiln cannot prevent. Other requests of the dynamic loader are made for the C library.
bool isForThreadLocals(const void *caller) {
  if (!dynamicLoader.has(caller))
    return false;
  inside = true;
  std::array<void *, 16> callers;
  int count = backtrace(callers.data(), int(callers.size())), at = 0;
  while (at < count && callers[at] != caller)
    ++at;
  while (at < count && dynamicLoader.has(callers[at]))
    ++at;
  inside = false;
  return at < count && !libc.has(callers[at]);
}

/// Returns true if the caller is Kiln and can handle the failure.
bool kilnAsks(const void *caller) {
  if (!watching.load(std::memory_order_relaxed) || ownCode || inside)
    return false;
  for (const Range &other : others)
    if (other.has(caller))
      return false;
  return !isForThreadLocals(caller);
}

bool fails() {
  allSoFar.fetch_add(1, std::memory_order_relaxed);
  uint64_t number = askedSoFar.fetch_add(1, std::memory_order_relaxed) + 1;
  uint64_t first = failAt.load(std::memory_order_relaxed);
  if (failOnce.load(std::memory_order_relaxed) ? number != first : number < first)
    return false;
  hasStruck.store(true, std::memory_order_relaxed);
  return true;
}

void remember(void *block) {
  if (!block)
    return;
  inside = true;
  Block about{allSoFar.load(), {}};
  backtrace(about.callers.data(), int(about.callers.size()));
  {
    std::lock_guard lock(mutex);
    blocks()[block] = about;
  }
  inside = false;
}

void forget(void *block) {
  if (!block || inside || !watching.load(std::memory_order_relaxed))
    return;
  inside = true;
  {
    std::lock_guard lock(mutex);
    blocks().erase(block);
  }
  inside = false;
}

template <typename Allocate> void *answer(const void *caller, Allocate allocate) {
  if (!kilnAsks(caller))
    return allocate();
  if (fails()) {
    errno = ENOMEM;
    return nullptr;
  }
  void *block = allocate();
  remember(block);
  return block;
}

} // namespace

OwnCode::OwnCode(bool own) : before_(ownCode) { ownCode = own; }
OwnCode::~OwnCode() { ownCode = before_; }

void begin(uint64_t nth, bool once) {
  OwnCode own;
  if (!watching.load()) {
    void *warm[1];
    backtrace(warm, 1); // loads a library on first use
    watching = true;
  }
  dl_iterate_phdr(noteLibrary, nullptr); // each time, because drivers are loaded late
  hasStruck = false;
  failOnce = once;
  askedSoFar = 0;
  failAt = nth;
}
void over() { failAt = UINT64_MAX; }
uint64_t asked() { return askedSoFar; }
bool struck() { return hasStruck; }
uint64_t sequence() { return allSoFar; }

size_t held() {
  std::lock_guard lock(mutex);
  return blocks().size();
}

void tellHeldSince(uint64_t sequence) {
  OwnCode own;
  std::lock_guard lock(mutex);
  for (auto &[address, block] : blocks())
    if (block.sequence > sequence) {
      static const char line[] = "-- held:\n";
      [[maybe_unused]] ssize_t written = write(2, line, sizeof line - 1);
      backtrace_symbols_fd(block.callers.data(), int(block.callers.size()), 2);
    }
}

} // namespace kiln::test::failing_malloc

using namespace kiln::test::failing_malloc;
#define CALLER __builtin_return_address(0)

extern "C" {

void *malloc(size_t size) {
  return answer(CALLER, [&] { return __libc_malloc(size); });
}
void *calloc(size_t count, size_t size) {
  return answer(CALLER, [&] { return __libc_calloc(count, size); });
}
void *realloc(void *block, size_t size) {
  return answer(CALLER, [&] {
    void *moved = __libc_realloc(block, size);
    if (moved || !size)
      forget(block);
    return moved;
  });
}
void *memalign(size_t alignment, size_t size) {
  return answer(CALLER, [&] { return __libc_memalign(alignment, size); });
}
void *aligned_alloc(size_t alignment, size_t size) {
  return answer(CALLER, [&] { return __libc_memalign(alignment, size); });
}
int posix_memalign(void **block, size_t alignment, size_t size) {
  void *made = answer(CALLER, [&] { return __libc_memalign(alignment, size); });
  if (!made)
    return ENOMEM;
  *block = made;
  return 0;
}
void free(void *block) {
  forget(block);
  __libc_free(block);
}

} // extern "C"
