// What a thread leaves behind at its end. Not by the destructor of a thread_local: the C library ends the process where
// it has no memory to remember one.
#pragma once
#include <pthread.h>

namespace kiln {

/// Has `clean(what)` called when this thread ends; once for the first of several calls. False where there is no memory
/// for that. (Where the process has no keys left nobody will be called, and what was kept stays.)
template <void (*clean)(void *)> bool atThreadEnd(void *what) noexcept {
  struct Key {
    Key() : made(pthread_key_create(&key, clean) == 0) {}
    pthread_key_t key;
    const bool made;
  };
  static const Key key;
  return !key.made || pthread_getspecific(key.key) || pthread_setspecific(key.key, what) == 0;
}

} // namespace kiln
