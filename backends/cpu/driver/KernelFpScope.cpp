#include "backends/cpu/driver/KernelFpScope.h"
#include "base/abi/KernelAbi.h"
#include <pthread.h>

namespace kiln::cpu {
namespace {

struct Bounds {
  uintptr_t low = 0, high = 0;
};

Bounds stackOfThisThread() {
  pthread_attr_t attributes;
  Bounds bounds;
  if (pthread_getattr_np(pthread_self(), &attributes))
    return bounds;
  void *low;
  size_t size;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0)
    bounds = {uintptr_t(low), uintptr_t(low) + size};
  pthread_attr_destroy(&attributes);
  return bounds;
}

} // namespace

bool KernelFpScope::hasKernelStack() {
  // Once per thread: for the main thread it reads /proc.
  static constinit thread_local Bounds bounds;
  if (!bounds.high)
    bounds = stackOfThisThread(); // stays empty without memory
  uintptr_t here = uintptr_t(__builtin_frame_address(0));
  // On another stack than the thread's own, such as a fibre's, the size is unknown.
  return here > bounds.low && here < bounds.high && here - bounds.low > abi::CpuStack;
}

} // namespace kiln::cpu
