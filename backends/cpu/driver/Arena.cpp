#include "backends/cpu/driver/Arena.h"
#include "backends/KernelAbi.h"
#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace kiln::cpu {

Arena &Arena::ofThisThread() {
  thread_local Arena arena;
  return arena;
}

Arena::~Arena() {
  std::free(local_.data);
  std::free(items_.data);
}

bool Arena::grow(Block &block, size_t size) {
  if (size > PTRDIFF_MAX)
    return false;
  // At least a page, and with some room: vector code may read a little past what it uses.
  size_t wanted = (std::max(size, size_t(4096)) + 2 * abi::LocalAlignment - 1) / abi::LocalAlignment *
                  abi::LocalAlignment;
  void *data = std::aligned_alloc(abi::LocalAlignment, wanted);
  if (!data)
    return false;
  std::free(block.data);
  block = {data, wanted - abi::LocalAlignment};
  return true;
}

} // namespace kiln::cpu
