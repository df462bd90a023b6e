// How objects end. An application may still hold a released handle and use it by mistake. So the memory of an object
// that it knew goes back with a delay: until then the ICD loader finds its table there and the API the dead kind, which
// is an error and no crash. Blocks go round a ring of fixed size, and back to the allocator when another pushes them
// out.
//
// Objects that the application never saw (most events) go at once, and with a sanitizer all do, so that a use of our
// own after the end is found.
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

void giveBackLater(void *memory) {
  size_t at = next.fetch_add(1, std::memory_order_relaxed) % ring.size();
  ::operator delete(ring[at].exchange(memory, std::memory_order_acq_rel));
}

} // namespace

void Object::destroy() {
  if (!KeepsMemory || !hadHandle_.load(std::memory_order_relaxed)) {
    delete this;
    return;
  }
  void *memory = dynamic_cast<void *>(this); // where the most derived object, and so its handle, begins
  this->~Object();
  giveBackLater(memory);
}

} // namespace kiln
