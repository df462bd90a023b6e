// Cleanup at the end of a thread. Not the destructor of a thread_local: the C library aborts the process if it has no
// memory to register one.
#pragma once
#include <pthread.h>

namespace kiln {

/// Registers `clean(argument)` to be called when this thread ends; the first of several calls counts. Returns false if
/// there is no memory for it. If the process has no thread-specific keys left, returns true and `clean` is never
/// called, so the memory leaks.
template <void (*clean)(void *)> bool atThreadEnd(void *argument) noexcept {
  struct Key {
    Key() : made(pthread_key_create(&key, clean) == 0) {}
    pthread_key_t key;
    const bool made;
  };
  static const Key key;
  return !key.made || pthread_getspecific(key.key) || pthread_setspecific(key.key, argument) == 0;
}

} // namespace kiln
