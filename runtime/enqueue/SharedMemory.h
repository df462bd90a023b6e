// Memory that kernels and the runtime both use: the device's, and where the host does not see that, a copy beside it.
#pragma once
#include "backends/Device.h"

namespace kiln {

class SharedMemory {
public:
  static Result<SharedMemory> create(Device &device, size_t bytes);

  uint64_t address() const { return memory_->address; }
  size_t size() const { return memory_->size; }
  std::byte *host() const { return static_cast<std::byte *>(copy_ ? copy_->host : memory_->host); }
  template <typename T> T *at(size_t offset = 0) const { return reinterpret_cast<T *>(host() + offset); }
  /// Whether the host's view is a copy, which these two keep: what kernels left there, and what they are to find.
  bool isCopied() const { return bool(copy_); }
  Status fetch(Stream &stream, size_t offset, size_t bytes) const;
  Status publish(Stream &stream, size_t offset, size_t bytes) const;
  explicit operator bool() const { return bool(memory_); }

private:
  std::unique_ptr<Memory> memory_, copy_;
};

} // namespace kiln
