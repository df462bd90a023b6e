// Device memory that kernels write and the runtime reads. If the host cannot access it, there is a host copy, which is
// as old as the last `download`.
#pragma once
#include "backends/Device.h"

namespace kiln {

class MirroredMemory {
public:
  /// The host copy has `extra` more bytes at its end.
  static Result<MirroredMemory> create(Device &device, size_t bytes, size_t extra = 0);

  explicit operator bool() const { return bool(memory_); }
  uint64_t address() const { return memory_->address; }
  size_t size() const { return memory_->size; }
  bool isCopied() const { return bool(copy_); }
  std::byte *host() const { return static_cast<std::byte *>(copy_ ? copy_->host : memory_->host); }
  template <typename T> T *at(size_t offset = 0) const { return reinterpret_cast<T *>(host() + offset); }

  /// No operation if the host can access the memory.
  Status download(Issuer &issuer, size_t offset, size_t bytes) const {
    return download(issuer, offset, bytes, host() + offset);
  }
  Status download(Issuer &issuer, size_t offset, size_t bytes, std::byte *to) const;
  Status upload(Issuer &issuer, size_t offset, size_t bytes) const;
  /// Sets bytes of the device's memory to 0.
  Status clear(Issuer &issuer, size_t offset, size_t bytes) const;

  bool hasClearQueue = false; // of an arena: the entries of its executor's queue are 0

private:
  std::unique_ptr<Memory> memory_, copy_;
};

} // namespace kiln
