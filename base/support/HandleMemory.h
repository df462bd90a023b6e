// Memory of the objects behind handles. An application may use a handle that it has released, so the memory of a
// destroyed object is kept: the ICD loader still finds its table there, and the API finds ObjectKind::Dead and returns
// an error. A block is reused after ReuseDelay later blocks of its size were released; then an old handle is either the
// new object or of a wrong kind. At most MaxFreeBlocks free blocks of one size are kept; then the oldest is returned to
// the allocator.
//
// With a sanitizer memory is freed at once, so that a use after free inside Kiln is found.
#pragma once
#include <cstddef>

namespace kiln::handle_memory {

inline constexpr size_t ReuseDelay = 16, MaxFreeBlocks = 8192;

void *acquire(size_t size);
/// Returns a block whose reuse delay is over, or null.
void *acquireReusable(size_t size) noexcept;
/// The first word of the block, which was the object's pointer to its virtual functions, may be overwritten.
void release(void *memory, size_t size) noexcept;

} // namespace kiln::handle_memory
