#include "backends/cpu/driver/Arena.h"
#include "backends/KernelAbi.h"
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <pthread.h>
#include <utility>

namespace kiln::cpu {

Arena &Arena::ofThisThread() {
  // The main thread may still run kernels when its thread_locals have been destroyed, from a destructor of the
  // application's. The arena has no destructor, and begins anew then.
  static constinit thread_local Arena arena;
  return arena;
}

/// Not by a thread_local's destructor: the C library ends the process where it has no memory to remember one.
bool Arena::releasedAtThreadEnd() {
  static const std::optional<pthread_key_t> key = [] {
    pthread_key_t made;
    int error = pthread_key_create(&made, [](void *arena) { static_cast<Arena *>(arena)->release(); });
    return error ? std::nullopt : std::optional(made); // there are no more keys: what is kept stays
  }();
  return !key || pthread_getspecific(*key) || pthread_setspecific(*key, this) == 0;
}

void Arena::release() {
  std::free(std::exchange(local_, {}).data);
  std::free(std::exchange(items_, {}).data);
}

bool Arena::grow(Block &block, size_t size) {
  if (size > PTRDIFF_MAX || !releasedAtThreadEnd())
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
