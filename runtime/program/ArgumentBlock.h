// The argument block of a kernel (KernelAbi.h), shared by the kernel and its launches.
#pragma once
#include "base/abi/KernelAbi.h"
#include "base/abi/ProgramInfo.h"
#include "base/support/FreeList.h"
#include "base/support/Ref.h"
#include <cstdint>
#include <cstring>
#include <new>

namespace kiln {

inline bool isPointer(ArgKind kind) { return kind == ArgKind::Global || kind == ArgKind::Constant; }
/// Returns true if the value is a memory object, an address for the kernel.
inline bool isObject(ArgKind kind) { return isPointer(kind) || kind == ArgKind::Pipe; }

/// The offset of a local argument after `bytes` of local memory.
inline uint64_t localOffsetAfter(uint64_t bytes) {
  return (bytes + abi::LocalAlignment - 1) / abi::LocalAlignment * abi::LocalAlignment;
}

class ArgumentBlock {
public:
  /// Returns a zeroed block.
  static Ref<ArgumentBlock> create(size_t size) {
    const size_t padded = (size + Alignment) / Alignment * Alignment;
    const size_t bytes = sizeof(ArgumentBlock) + Alignment - 1 + padded;
    void *memory = bytes <= SmallBytes ? FreeList<SmallBytes>::acquire() : ::operator new(bytes);
    const uintptr_t end = uintptr_t(memory) + sizeof(ArgumentBlock);
    auto *data = static_cast<std::byte *>(memory) + sizeof(ArgumentBlock) + (Alignment - end % Alignment) % Alignment;
    std::memset(data, 0, padded);
    return Ref<ArgumentBlock>(new (memory) ArgumentBlock(data, size, bytes <= SmallBytes));
  }
  Ref<ArgumentBlock> clone() const {
    Ref<ArgumentBlock> copy = create(size);
    std::memcpy(copy->data, data, size);
    return copy;
  }

  void incRef() { count_.fetch_add(1, std::memory_order_relaxed); }
  void decRef() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
  }
  bool unique() const { return count_.load(std::memory_order_acquire) == 1; }

  std::byte *const data; // aligned for every OpenCL type
  const size_t size;

private:
  static constexpr size_t Alignment = abi::LocalAlignment;
  static constexpr size_t SmallBytes = 640; // the object, and the arguments of all but a few kernels

  ArgumentBlock(std::byte *data, size_t size, bool isSmall) : data(data), size(size), isSmall_(isSmall) {}
  ~ArgumentBlock() = default;
  void destroy() {
    const bool isSmall = isSmall_;
    this->~ArgumentBlock();
    if (isSmall)
      FreeList<SmallBytes>::release(this);
    else
      ::operator delete(this);
  }
  const bool isSmall_; // of the free list
  std::atomic<uint32_t> count_{0};
};

} // namespace kiln
