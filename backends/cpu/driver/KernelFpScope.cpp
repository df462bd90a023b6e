#include "backends/cpu/driver/KernelFpScope.h"
#include "backends/KernelAbi.h"
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
  // Asked once a thread: for the main thread it means reading /proc.
  static constinit thread_local Bounds bounds;
  if (!bounds.high)
    bounds = stackOfThisThread(); // nothing where there is no memory for it
  uintptr_t here = uintptr_t(__builtin_frame_address(0));
  // Outside the thread's own stack, on a fibre's, nobody knows how much there is.
  return here > bounds.low && here < bounds.high && here - bounds.low > abi::CpuStack;
}

} // namespace kiln::cpu
