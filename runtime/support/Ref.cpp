// Destruction of objects. An application may use a released handle by mistake. So the memory of an object that had a
// handle is freed with a delay: until then the ICD loader finds its table there, and the API finds the dead kind and
// returns an error instead of crashing. The blocks go through a ring of 16; a block is freed when a later one replaces
// it.
//
// Objects without a handle (most events) are freed at once. With a sanitizer all objects are, so that a use after free
// inside Kiln is found.
#include "runtime/support/Ref.h"
#include <array>
#include <new>

namespace kiln {
namespace {

#ifdef KILN_SANITIZED
constexpr bool KeepsMemory = false;
#else
constexpr bool KeepsMemory = true;
#endif

constinit std::array<std::atomic<void *>, 16> ring{};
constinit std::atomic<size_t> next{0};

void freeLater(void *memory) {
  size_t at = next.fetch_add(1, std::memory_order_relaxed) % ring.size();
  ::operator delete(ring[at].exchange(memory, std::memory_order_acq_rel));
}

} // namespace

void Object::destroy() {
  if (!KeepsMemory || !hadHandle_.load(std::memory_order_relaxed)) {
    delete this;
    return;
  }
  void *memory = dynamic_cast<void *>(this); // start of the most derived object, and of its handle
  this->~Object();
  freeLater(memory);
}

} // namespace kiln
