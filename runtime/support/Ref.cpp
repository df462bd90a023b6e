// How objects end. An application may still hold a released handle and use it by mistake. So the memory of an object
// that it knew goes back with a delay: until then the ICD loader finds its table there and the API the dead kind, which
// is an error and no crash. Blocks go round a ring of fixed size, and back to the allocator when another pushes them
// out. Events come and go with every command, so few of them lie there and their memory is warm when it comes back; of
// the others, which are made seldom, more may.
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

template <size_t Size> class Ring {
public:
  void giveBackLater(void *memory) {
    size_t at = next_.fetch_add(1, std::memory_order_relaxed) % Size;
    ::operator delete(blocks_[at].exchange(memory, std::memory_order_acq_rel));
  }

private:
  std::array<std::atomic<void *>, Size> blocks_{};
  std::atomic<size_t> next_{0};
};
constinit Ring<256> events;
constinit Ring<1024> others;

} // namespace

void Object::destroy() {
  if (!KeepsMemory || !hadHandle_.load(std::memory_order_relaxed)) {
    delete this;
    return;
  }
  void *memory = dynamic_cast<void *>(this); // where the most derived object, and so its handle, begins
  const bool isEvent = kind_ == ObjectKind::Event;
  this->~Object();
  isEvent ? events.giveBackLater(memory) : others.giveBackLater(memory);
}

} // namespace kiln
