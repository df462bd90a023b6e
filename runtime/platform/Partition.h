// Dividing a device (clCreateSubDevices): what a list of properties means is decided here, for every kind of device;
// the device itself only says which of its units share what, and makes the parts.
#pragma once
#include "runtime/platform/Platform.h"

namespace kiln {

/// What a device can be divided by: CL_DEVICE_PARTITION_*. None where no division would have two parts.
std::vector<cl_device_partition_property> partitionProperties(const DeviceObject &device);
/// By what its units can be told apart: CL_DEVICE_AFFINITY_DOMAIN_*.
cl_device_affinity_domain affinityDomains(const DeviceObject &device);
/// How many parts there may be at most; 0 where the device cannot be divided.
cl_uint maxSubDevices(const DeviceObject &device);

class Partition {
public:
  /// Checks the list, which ends with 0, and works out the parts: CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED,
  /// CL_INVALID_DEVICE_PARTITION_COUNT.
  static Result<Partition> plan(DeviceObject &device, const cl_device_partition_property *properties);

  size_t size() const { return parts_.size(); }
  /// New devices, each time.
  Result<std::vector<Ref<DeviceObject>>> create() const;

private:
  explicit Partition(DeviceObject &device) : device_(device) {}
  Status planCounts(const std::vector<cl_device_partition_property> &counts);
  Status planDomain(cl_device_affinity_domain domain);

  DeviceObject &device_;
  std::vector<cl_device_partition_property> properties_; // with the domain that was found instead of "the next one"
  std::vector<std::vector<unsigned>> parts_;             // units
  bool pinned_ = false;
};

} // namespace kiln
