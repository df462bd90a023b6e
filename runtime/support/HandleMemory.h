// Memory of the objects behind handles. An application may use a handle that it has released, so the memory of a
// destroyed object is kept: the ICD loader still finds its table there, and the API finds ObjectKind::Dead and returns
// an error. A block is used for another object once `Resting` later ones of its size have been destroyed; then an old
// handle is either that object or of a wrong kind. Above `Kept` blocks of one size, the oldest is freed.
//
// With a sanitizer memory is freed at once, so that a use after free inside Kiln is found.
#pragma once
#include <cstddef>

namespace kiln::handle_memory {

inline constexpr size_t Resting = 16, Kept = 8192;

void *acquire(size_t size);
/// Returns a block that has rested, or null.
void *acquireRested(size_t size) noexcept;
/// The first word of the block, which was the object's pointer to its virtual functions, may be overwritten.
void release(void *memory, size_t size) noexcept;

} // namespace kiln::handle_memory
