// Which bytes of a buffer have been written since it was created (KILN_CHECK=init).
//
// A byte for each byte, so that threads which run work-groups set them without locks. All of its memory is zero at
// first, and the system provides it when it is used.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace kiln {

class WrittenBytes {
public:
  /// Null if there is no memory.
  static std::unique_ptr<WrittenBytes> create(size_t size) {
    auto *flags = static_cast<unsigned char *>(std::calloc(size, 1));
    return std::unique_ptr<WrittenBytes>(flags ? new WrittenBytes(flags) : nullptr);
  }
  ~WrittenBytes() { std::free(flags_); }
  WrittenBytes(const WrittenBytes &) = delete;

  void set(size_t begin, size_t end) { std::memset(flags_ + begin, 1, end - begin); }
  /// The first byte of the range that was not written; `end` if there is none.
  size_t firstUnwritten(size_t begin, size_t end) const {
    const void *found = std::memchr(flags_ + begin, 0, end - begin);
    return found ? size_t(static_cast<const unsigned char *>(found) - flags_) : end;
  }

private:
  explicit WrittenBytes(unsigned char *flags) : flags_(flags) {}
  unsigned char *const flags_;
};

} // namespace kiln
