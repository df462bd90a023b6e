// Tells ThreadSanitizer which locks a thread takes and holds, so that it reports locks that are taken in both orders.
// Without that sanitizer these functions do nothing.
#pragma once

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define KILN_CHECKS_LOCK_ORDER
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace kiln::lock_order {

#ifdef KILN_CHECKS_LOCK_ORDER

inline void beforeLock(void *mutex) { __tsan_mutex_pre_lock(mutex, 0); }
inline void afterLock(void *mutex) { __tsan_mutex_post_lock(mutex, 0, 0); }
inline void beforeTryLock(void *mutex) { __tsan_mutex_pre_lock(mutex, __tsan_mutex_try_lock); }
inline void afterTryLock(void *mutex, bool locked) {
  __tsan_mutex_post_lock(mutex, __tsan_mutex_try_lock | (locked ? 0 : __tsan_mutex_try_lock_failed), 0);
}
inline void beforeUnlock(void *mutex) { __tsan_mutex_pre_unlock(mutex, 0); }
inline void afterUnlock(void *mutex) { __tsan_mutex_post_unlock(mutex, 0); }
inline void destroyed(void *mutex) { __tsan_mutex_destroy(mutex, 0); }

#else

inline void beforeLock(void *) {}
inline void afterLock(void *) {}
inline void beforeTryLock(void *) {}
inline void afterTryLock(void *, bool) {}
inline void beforeUnlock(void *) {}
inline void afterUnlock(void *) {}

#endif

} // namespace kiln::lock_order
