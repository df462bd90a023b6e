// The argument block of a kernel (KernelAbi.h), shared by the kernel and its launches.
#pragma once
#include "base/abi/KernelAbi.h"
#include "base/support/Ref.h"
#include <cstdlib>
#include <cstring>
#include <new>

namespace kiln {

class ArgumentBlock {
public:
  /// Returns a zeroed block.
  static Ref<ArgumentBlock> create(size_t size) {
    constexpr size_t A = abi::LocalAlignment;
    void *data = std::aligned_alloc(A, (size + A) / A * A);
    if (!data)
      throw std::bad_alloc();
    std::memset(data, 0, (size + A) / A * A);
    auto *block = new (std::nothrow) ArgumentBlock(static_cast<std::byte *>(data), size);
    if (!block) {
      std::free(data);
      throw std::bad_alloc();
    }
    return Ref<ArgumentBlock>(block);
  }
  Ref<ArgumentBlock> clone() const {
    Ref<ArgumentBlock> copy = create(size);
    std::memcpy(copy->data, data, size);
    return copy;
  }

  void incRef() { count_.fetch_add(1, std::memory_order_relaxed); }
  void decRef() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }
  bool unique() const { return count_.load(std::memory_order_acquire) == 1; }

  std::byte *const data; // aligned for every OpenCL type
  const size_t size;

private:
  ArgumentBlock(std::byte *data, size_t size) : data(data), size(size) {}
  ~ArgumentBlock() { std::free(data); }
  std::atomic<uint32_t> count_{0};
};

} // namespace kiln
