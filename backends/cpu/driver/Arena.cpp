#include "backends/cpu/driver/Arena.h"
#include "backends/KernelAbi.h"
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace kiln::cpu {

Arena &Arena::ofThisThread() {
  // Two objects: the main thread may still run kernels when its thread_locals have been destroyed, from a destructor of
  // the application's. The arena itself has none, and begins anew then.
  static constinit thread_local Arena arena;
  struct AtThreadEnd {
    bool used = false;
    ~AtThreadEnd() { arena.release(); }
  };
  thread_local AtThreadEnd atEnd;
  atEnd.used = true;
  return arena;
}

void Arena::release() {
  std::free(std::exchange(local_, {}).data);
  std::free(std::exchange(items_, {}).data);
}

bool Arena::grow(Block &block, size_t size) {
  if (size > PTRDIFF_MAX)
    return false;
  // At least a page, and with some room: vector code may read a little past what it uses.
  size_t wanted =
      (std::max(size, size_t(4096)) + 2 * abi::LocalAlignment - 1) / abi::LocalAlignment * abi::LocalAlignment;
  void *data = std::aligned_alloc(abi::LocalAlignment, wanted);
  if (!data)
    return false;
  std::free(block.data);
  block = {data, wanted - abi::LocalAlignment};
  return true;
}

} // namespace kiln::cpu
