// Memory for what comes and goes with every command, made by the application's threads and let go of by a device's. An
// allocator has the two meet at a lock, in the system when they are unlucky; here, blocks that were let go of lie on a
// list that takes no lock, and whoever runs out of blocks takes all of it.
#pragma once
#include "runtime/support/ThreadEnd.h"
#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace kiln {

/// Blocks of one size.
template <size_t Bytes> class FreeList {
public:
  static void *acquire() {
#ifndef KILN_SANITIZED // which looks for uses after the end
    if (!mine && atThreadEnd<deleteMine>(&mine)) {
      mine = given.exchange(nullptr, std::memory_order_acquire);
      count.store(0, std::memory_order_relaxed);
    }
    if (Block *block = mine) {
      mine = block->next;
      return block;
    }
#endif
    return ::operator new(Bytes);
  }
  static void release(void *memory) {
#ifndef KILN_SANITIZED
    // Threads at it together may put in some more; that does no harm.
    if (memory && count.load(std::memory_order_relaxed) < Most) {
      count.fetch_add(1, std::memory_order_relaxed);
      auto *block = new (memory) Block{given.load(std::memory_order_relaxed)};
      while (!given.compare_exchange_weak(block->next, block, std::memory_order_release, std::memory_order_relaxed)) {
      }
      return;
    }
#endif
    ::operator delete(memory);
  }

private:
  static constexpr unsigned Most = 1024; // a program that runs at its usual pace has fewer on their way back
  struct Block {
    Block *next;
  };
  static_assert(Bytes >= sizeof(Block));
  static void deleteMine(void *mine) {
    for (Block *&first = *static_cast<Block **>(mine); first;)
      ::operator delete(std::exchange(first, first->next));
  }
  static inline constinit thread_local Block *mine = nullptr;
  static inline constinit std::atomic<Block *> given{nullptr};
  static inline constinit std::atomic<unsigned> count{0}; // on `given`, about
};

/// For standard containers of a few elements.
template <typename T> struct FreeListAllocator {
  using value_type = T;
  FreeListAllocator() = default;
  template <typename U> FreeListAllocator(const FreeListAllocator<U> &) {}
  T *allocate(size_t count) {
    return static_cast<T *>(count <= Few ? FreeList<Few * sizeof(T)>::acquire() : ::operator new(count * sizeof(T)));
  }
  void deallocate(T *memory, size_t count) {
    count <= Few ? FreeList<Few * sizeof(T)>::release(memory) : ::operator delete(memory);
  }
  friend bool operator==(FreeListAllocator, FreeListAllocator) { return true; }

private:
  static constexpr size_t Few = 8;
};

} // namespace kiln
