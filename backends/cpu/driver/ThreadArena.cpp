#include "backends/cpu/driver/ThreadArena.h"
#include "base/abi/KernelAbi.h"
#include "base/support/ThreadEnd.h"
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace kiln::cpu {

ThreadArena &ThreadArena::ofThisThread() {
  // The main thread may run kernels after its thread_locals have been destroyed, from a destructor of the application.
  // The arena has no destructor and starts empty then.
  static constinit thread_local ThreadArena arena;
  return arena;
}

void ThreadArena::release(void *arena) {
  std::free(std::exchange(static_cast<ThreadArena *>(arena)->local_, {}).data);
  std::free(std::exchange(static_cast<ThreadArena *>(arena)->items_, {}).data);
}

bool ThreadArena::grow(Block &block, size_t size) {
  if (size > PTRDIFF_MAX || !atThreadEnd<release>(this))
    return false;
  // At least a page, and at least LocalAlignment more than the size: vector code may read past the end.
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
