// Each thread's memory for the work-group that it runs: local memory, and what lives in memory per work-item. Grows to
// what the largest kernel so far wanted, and goes with the thread.
#pragma once
#include <cstddef>

namespace kiln::cpu {

class ThreadArena {
public:
  static ThreadArena &ofThisThread();
  /// False when there is no memory.
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
