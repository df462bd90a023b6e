// Partitioning of devices (clCreateSubDevices). Interprets property lists for every kind of device; the device only
// groups its compute units by affinity and creates the parts.
//
// The CPU device has the compute units that the process may use (sched_getaffinity). With one, it cannot be divided and
// reports no partition property, and a call fails with CL_DEVICE_PARTITION_FAILED, as the specification says of a
// device that "could not be further partitioned". Two parts of one processor would run no kernels at the same time.
#pragma once
#include "runtime/platform/Platform.h"

namespace kiln {

/// The CL_DEVICE_PARTITION_* properties that the device supports. Empty if no partition would have two parts.
std::vector<cl_device_partition_property> partitionProperties(const DeviceObject &device);
/// The CL_DEVICE_AFFINITY_DOMAIN_* bits that divide the device.
cl_device_affinity_domain affinityDomains(const DeviceObject &device);
/// The largest number of parts; 0 if the device cannot be divided.
cl_uint maxSubDevices(const DeviceObject &device);

class Partition {
public:
  /// Checks the list, which ends with 0, and computes the parts: CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED,
  /// CL_INVALID_DEVICE_PARTITION_COUNT.
  static Result<Partition> plan(DeviceObject &device, const cl_device_partition_property *properties);

  size_t size() const { return parts_.size(); }
  /// Creates new devices on each call.
  Result<std::vector<Ref<DeviceObject>>> create() const;

private:
  explicit Partition(DeviceObject &device) : device_(device) {}
  Status planCounts(const std::vector<cl_device_partition_property> &counts);
  Status planDomain(cl_device_affinity_domain domain);

  DeviceObject &device_;
  std::vector<cl_device_partition_property> properties_; // NEXT_PARTITIONABLE is replaced by the domain found
  std::vector<std::vector<unsigned>> parts_;             // compute units of each part
  bool pinned_ = false;                                  // parts run on their own processors only
};

} // namespace kiln
