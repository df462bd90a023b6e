// Per-thread memory for the work-group that the thread runs: local memory, and the values that are in memory per
// work-item. Grows to the largest size that a kernel needed, and is freed when the thread ends.
#pragma once
#include <cstddef>

namespace kiln::cpu {

class ThreadArena {
public:
  static ThreadArena &ofThisThread();
  /// Returns false if there is no memory.
  bool reserve(size_t localBytes, size_t itemsBytes) {
    return (localBytes <= local_.size || grow(local_, localBytes)) &&
           (itemsBytes <= items_.size || grow(items_, itemsBytes));
  }
  void *local() const { return local_.data; }
  void *items() const { return items_.data; }

private:
  struct Block {
    void *data = nullptr;
    size_t size = 0;
  };
  bool grow(Block &block, size_t size);
  static void release(void *arena);
  Block local_, items_;
};

} // namespace kiln::cpu
