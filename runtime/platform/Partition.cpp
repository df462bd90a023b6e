#include "runtime/platform/Partition.h"
#include <algorithm>

namespace kiln {
namespace {

/// In the order of CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE.
constexpr cl_device_affinity_domain Domains[] = {CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
                                                 CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
                                                 CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE};

} // namespace

cl_uint maxSubDevices(const DeviceObject &device) {
  const DeviceInfo &info = device.info();
  return info.partitionable && info.computeUnits > 1 ? info.computeUnits : 0;
}

cl_device_affinity_domain affinityDomains(const DeviceObject &device) {
  cl_device_affinity_domain domains = 0;
  if (!maxSubDevices(device))
    return domains;
  for (cl_device_affinity_domain domain : Domains)
    if (device.device().computeUnitsByAffinity(domain).size() > 1)
      domains |= domain;
  return domains ? domains | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE : 0;
}

std::vector<cl_device_partition_property> partitionProperties(const DeviceObject &device) {
  std::vector<cl_device_partition_property> properties;
  if (maxSubDevices(device))
    properties = {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS};
  if (affinityDomains(device))
    properties.push_back(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
  return properties;
}

Status Partition::planCounts(const std::vector<cl_device_partition_property> &counts) {
  const cl_uint units = device_.info().computeUnits;
  if (counts.size() > maxSubDevices(device_))
    return fail(CL_INVALID_DEVICE_PARTITION_COUNT, "number of sub-devices is ", counts.size(), ", must be at most ",
                maxSubDevices(device_));
  unsigned next = 0;
  for (cl_device_partition_property count : counts) {
    if (count < 0 || count > cl_device_partition_property(units - next))
      return fail(CL_INVALID_DEVICE_PARTITION_COUNT, "compute units of a sub-device are ", count, ", must be at most ",
                  units - next, ", those not used yet");
    std::vector<unsigned> &part = parts_.emplace_back();
    for (cl_device_partition_property i = 0; i < count; ++i)
      part.push_back(next++);
  }
  return {};
}

Status Partition::planDomain(cl_device_affinity_domain requested) {
  constexpr cl_device_affinity_domain Next = CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
  if (requested != Next && std::ranges::find(Domains, requested) == std::end(Domains))
    return fail(CL_INVALID_VALUE, "0x", std::hex, requested, " is not an affinity domain");
  for (cl_device_affinity_domain domain : Domains) {
    if (requested != Next && requested != domain)
      continue;
    std::vector<std::vector<unsigned>> groups = device_.device().computeUnitsByAffinity(domain);
    if (groups.size() < 2)
      continue;
    parts_ = std::move(groups);
    pinned_ = true;
    properties_ = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, cl_device_partition_property(domain), 0};
    return {};
  }
  return fail(CL_INVALID_VALUE, "affinity domain is 0x", std::hex, requested,
              ", must be one that CL_DEVICE_PARTITION_AFFINITY_DOMAIN lists");
}

Result<Partition> Partition::plan(DeviceObject &device, const cl_device_partition_property *properties) {
  if (!properties || !*properties)
    return fail(CL_INVALID_VALUE, "the list of partition properties is null or empty");
  const cl_device_partition_property kind = properties[0];
  const bool known = kind == CL_DEVICE_PARTITION_EQUALLY || kind == CL_DEVICE_PARTITION_BY_COUNTS ||
                     kind == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
  if (!known || !device.info().partitionable)
    return fail(CL_INVALID_VALUE, "the device does not support partition property 0x", std::hex, kind);

  // A list has one property. Its value is followed by the end of the list. BY_COUNTS ends with its own 0; other
  // platforms read nothing after it, and SYCL's adapter passes nothing more.
  const cl_device_partition_property *end = properties + 2;
  std::vector<cl_device_partition_property> counts;
  if (kind == CL_DEVICE_PARTITION_BY_COUNTS) {
    for (end = properties + 1; *end != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; ++end)
      counts.push_back(*end);
    if (counts.empty())
      return fail(CL_INVALID_VALUE, "the list of counts is empty");
  }
  const cl_device_partition_property value = properties[1];
  if (kind == CL_DEVICE_PARTITION_EQUALLY && value <= 0)
    return fail(CL_INVALID_VALUE, "compute units of a sub-device are ", value, ", must be above 0");
  if (*end)
    return fail(CL_INVALID_VALUE, "partition property 0x", std::hex, *end, " follows another one");

  const cl_uint units = device.info().computeUnits;
  if (units < 2)
    return fail(CL_DEVICE_PARTITION_FAILED, "the device has one compute unit");
  Partition partition(device);
  partition.properties_.assign(properties, end + 1);
  if (kind == CL_DEVICE_PARTITION_BY_COUNTS)
    partition.properties_.push_back(0);
  if (kind == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN) {
    KILN_TRY(partition.planDomain(cl_device_affinity_domain(value)));
    return partition;
  }
  if (kind == CL_DEVICE_PARTITION_EQUALLY) {
    if (value > cl_device_partition_property(units))
      return fail(CL_INVALID_DEVICE_PARTITION_COUNT, "compute units of a sub-device are ", value, ", must be at most ",
                  units);
    if (value == cl_device_partition_property(units))
      return fail(CL_DEVICE_PARTITION_FAILED, "one sub-device would have all ", units, " compute units");
    counts.assign(units / size_t(value), value); // the remainder is unused
  }
  KILN_TRY(partition.planCounts(counts));
  return partition;
}

Result<std::vector<Ref<DeviceObject>>> Partition::create() const {
  std::vector<Ref<DeviceObject>> devices;
  for (const std::vector<unsigned> &units : parts_)
    devices.emplace_back(
        new DeviceObject(KILN_TRY(device_.device().createSubDevice(units, pinned_)), device_, properties_));
  return devices;
}

} // namespace kiln
