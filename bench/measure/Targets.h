// The devices to measure, and the variants on one of them.
#pragma once
#include "bench/bundle/Launch.h"
#include "bench/measure/Sampling.h"
#include "bench/measure/SourceKernel.h"

namespace bench {

struct TargetDevice {
  cl_device_id device;
  std::string name; // platform/device
};
/// Every device of every platform whose names contain these. Throws if there is none.
std::vector<TargetDevice> targetDevices(const std::string &platform, const std::string &device);

/// A variant on one device; `error` if the device cannot run it.
struct Candidate {
  Variant variant;
  std::string error, note; // note: what was compared, for the benchmark's label
  uint64_t bytes = 0;
};

/// What candidates use. Must outlive them.
class Workplace {
public:
  explicit Workplace(cl_device_id device) : session_(device) {}
  /// Variants from sources. Each result is compared with that of the first variant that runs.
  std::vector<Candidate> fromSources(const Request &request);
  /// Launches of bundles. Each result is compared with the bundle's.
  std::vector<Candidate> fromBundles(const std::vector<std::string> &paths);

private:
  const Session session_;
  SharedBuffers buffers_;
  std::vector<std::unique_ptr<SourceKernel>> kernels_;
  std::vector<std::unique_ptr<Bundle>> bundles_;
  std::vector<std::unique_ptr<PlacedMemory>> memory_;
  std::vector<std::unique_ptr<BundleLaunch>> launches_;
};

} // namespace bench
