// The roofline of a device: its highest bandwidth and its highest rate of operations, each measured by a small kernel.
#pragma once
#include "bench/opencl/Opencl.h"

namespace bench {

struct Peaks {
  double bytesPerSecond = 0;      // to and from memory, beyond all caches
  double operationsPerSecond = 0; // a fused multiply-add counts as two
};

/// Measures for two to three seconds. `type`: float, double or int, the operands of the operations. Throws if the
/// device cannot run the kernels.
Peaks measurePeaks(const Session &session, const std::string &type);

/// The rate that the roofline allows for a kernel with this number of operations and bytes, in operations per second.
inline double roof(const Peaks &peaks, double operations, double bytes) {
  if (bytes <= 0)
    return peaks.operationsPerSecond;
  const double byMemory = operations / bytes * peaks.bytesPerSecond;
  return byMemory < peaks.operationsPerSecond ? byMemory : peaks.operationsPerSecond;
}

} // namespace bench
