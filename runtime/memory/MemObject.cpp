#include "runtime/memory/MemObject.h"

namespace kiln {

void MemObject::addDestructorCallback(DestructorCallback callback, void *userData) {
  Lock lock(callbackMutex_);
  destructorCallbacks_.emplace_back(callback, userData);
}

void MemObject::destroy() {
  std::vector<std::pair<DestructorCallback, void *>> callbacks;
  {
    Lock lock(callbackMutex_);
    callbacks.swap(destructorCallbacks_);
  }
  for (auto it = callbacks.rbegin(); it != callbacks.rend(); ++it)
    it->first(this, it->second);
  Object::destroy();
}

} // namespace kiln
