// The devices to measure, and the variants on one of them.
#pragma once
#include "bench/bundle/BundleLaunch.h"
#include "bench/measure/CacheFlush.h"
#include "bench/measure/ChildProcess.h"
#include "bench/measure/Rows.h"
#include "bench/measure/Sampling.h"
#include "bench/measure/SourceKernel.h"
#include <memory>

namespace bench {

struct TargetDevice {
  cl_device_id device;
  std::string name; // platform/device
};
/// Every device of every platform whose names contain these. Throws if there is none.
std::vector<TargetDevice> targetDevices(const std::string &platform, const std::string &device, Progress &progress);

extern const std::string WrongResult; // an error that starts with this is a wrong result

/// A variant on one device; `error` if the device cannot run it or its result is wrong.
struct Candidate {
  Variant variant, cold;   // cold: the same launch after a flush of the caches; only with --cold
  std::string error, note; // note: what was compared, for the benchmark's label
  Work work;
};

/// What candidates use. Must outlive them.
class Workplace {
public:
  Workplace(cl_device_id device, Progress &progress) : session_(device), progress_(progress) {}
  /// Variants from sources, for one global size. Each result is checked, and compared with that of the first variant
  /// that runs.
  std::vector<Candidate> fromSources(const Request &request, const std::vector<size_t> &global);
  /// Launches of bundles. Each result is compared with the bundle's.
  std::vector<Candidate> fromBundles(const Request &request);

private:
  std::vector<std::string> reference(const Request &request, const LaunchSize &size);
  void flush(); // the caches

  const Session session_;
  Progress &progress_;
  SharedArguments shared_;
  std::unique_ptr<CacheFlush> flush_;
  std::vector<std::unique_ptr<SourceKernel>> kernels_;
  std::vector<std::unique_ptr<Bundle>> bundles_;
  std::vector<std::unique_ptr<PlacedMemory>> memory_;
  std::vector<std::unique_ptr<BundleLaunch>> launches_;
};

} // namespace bench
