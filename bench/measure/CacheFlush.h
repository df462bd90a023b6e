// Empties a device's caches, for measurements that begin with data in memory.
#pragma once
#include "bench/opencl/Opencl.h"

namespace bench {

/// A kernel on all compute units that changes a buffer of twice the size of the largest cache. It replaces the lines of
/// shared caches, and on a CPU also those of the cores' own caches.
class CacheFlush {
public:
  /// Throws if the device cannot run it.
  explicit CacheFlush(const Session &session);
  /// Runs the kernel and waits.
  void run() const;
  size_t bytes() const { return bytes_; }

private:
  const Session &session_;
  size_t bytes_;
  Program program_;
  Kernel kernel_;
  Mem memory_;
};

} // namespace bench
