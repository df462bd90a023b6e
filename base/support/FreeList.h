// Free lists for objects that each command allocates on an application thread and frees on a device's thread. The C
// library's allocator makes these threads contend for a lock, at worst in the kernel. Here freed blocks go to a
// lock-free list; a thread without blocks takes the whole list.
#pragma once
#include "base/support/ThreadEnd.h"
#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace kiln {

/// A free list of blocks of `Bytes` bytes.
template <size_t Bytes> class FreeList {
public:
  static void *acquire() {
    void *block = acquireFreed();
    return block ? block : ::operator new(Bytes);
  }
  /// Returns null if there is no freed block.
  static void *acquireFreed() {
#ifndef KILN_SANITIZED // sanitizers look for uses after free
    if (!own && atThreadEnd<deleteOwn>(&own)) {
      own = freed.exchange(nullptr, std::memory_order_acquire);
      count.store(0, std::memory_order_relaxed);
    }
    if (Block *block = own) {
      own = block->next;
      return block;
    }
#endif
    return nullptr;
  }
  static void release(void *memory) {
#ifndef KILN_SANITIZED
    // Concurrent threads may exceed the limit by a few blocks; that is harmless.
    if (memory && count.load(std::memory_order_relaxed) < MaxFreed) {
      count.fetch_add(1, std::memory_order_relaxed);
      auto *block = new (memory) Block{freed.load(std::memory_order_relaxed)};
      while (!freed.compare_exchange_weak(block->next, block, std::memory_order_release, std::memory_order_relaxed)) {
      }
      return;
    }
#endif
    ::operator delete(memory);
  }

private:
  static constexpr unsigned MaxFreed = 1024; // about the most blocks that are in flight in a steady state
  struct Block {
    Block *next;
  };
  static_assert(Bytes >= sizeof(Block));
  static void deleteOwn(void *own) {
    for (Block *&first = *static_cast<Block **>(own); first;)
      ::operator delete(std::exchange(first, first->next));
  }
  static inline constinit thread_local Block *own = nullptr;
  static inline constinit std::atomic<Block *> freed{nullptr};
  static inline constinit std::atomic<unsigned> count{0}; // approximate length of `freed`
};

/// Allocator for standard containers of few elements.
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
