#include "runtime/platform/Partition.h"
#include <algorithm>

namespace kiln {
namespace {

/// In the order in which CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE tries them.
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
  std::vector<cl_device_partition_property> kinds;
  if (maxSubDevices(device))
    kinds = {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS};
  if (affinityDomains(device))
    kinds.push_back(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
  return kinds;
}

Status Partition::planCounts(const std::vector<cl_device_partition_property> &counts) {
  const cl_uint units = device_.info().computeUnits;
  if (counts.size() > maxSubDevices(device_))
    return fail(CL_INVALID_DEVICE_PARTITION_COUNT, counts.size(), " sub-devices of a device that has ", units,
                " compute units");
  unsigned next = 0;
  for (cl_device_partition_property count : counts) {
    if (count < 0 || count > cl_device_partition_property(units - next))
      return fail(CL_INVALID_DEVICE_PARTITION_COUNT, "a sub-device of ", count, " compute units, where ", units - next,
                  " of ", units, " are left");
    std::vector<unsigned> &part = parts_.emplace_back();
    for (cl_device_partition_property i = 0; i < count; ++i)
      part.push_back(next++);
  }
  return {};
}

Status Partition::planDomain(cl_device_affinity_domain asked) {
  constexpr cl_device_affinity_domain Next = CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
  if (asked != Next && std::ranges::find(Domains, asked) == std::end(Domains))
    return fail(CL_INVALID_VALUE, "0x", std::hex, asked, " is no affinity domain");
  for (cl_device_affinity_domain domain : Domains) {
    if (asked != Next && asked != domain)
      continue;
    std::vector<std::vector<unsigned>> groups = device_.device().computeUnitsByAffinity(domain);
    if (groups.size() < 2)
      continue;
    parts_ = std::move(groups);
    pinned_ = true;
    properties_ = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, cl_device_partition_property(domain), 0};
    return {};
  }
  return fail(CL_INVALID_VALUE, "affinity domain is 0x", std::hex, asked,
              ", must be one that CL_DEVICE_PARTITION_AFFINITY_DOMAIN lists");
}

Result<Partition> Partition::plan(DeviceObject &device, const cl_device_partition_property *properties) {
  if (!properties || !*properties)
    return fail(CL_INVALID_VALUE, "no partition is asked for");
  const cl_device_partition_property kind = properties[0];
  const bool known = kind == CL_DEVICE_PARTITION_EQUALLY || kind == CL_DEVICE_PARTITION_BY_COUNTS ||
                     kind == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
  if (!known || !device.info().partitionable)
    return fail(CL_INVALID_VALUE, "the device is not divided by partition property 0x", std::hex, kind);

  // The value of the one property, and after it the end of the list: no second property is allowed beside it. Counts
  // end with their own 0; other platforms read nothing after it, and SYCL's adapter passes nothing more.
  const cl_device_partition_property *end = properties + 2;
  std::vector<cl_device_partition_property> counts;
  if (kind == CL_DEVICE_PARTITION_BY_COUNTS) {
    for (end = properties + 1; *end != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; ++end)
      counts.push_back(*end);
    if (counts.empty())
      return fail(CL_INVALID_VALUE, "a partition by counts without counts");
  }
  const cl_device_partition_property value = properties[1];
  if (kind == CL_DEVICE_PARTITION_EQUALLY && value <= 0)
    return fail(CL_INVALID_VALUE, "sub-devices of ", value, " compute units");
  if (*end)
    return fail(CL_INVALID_VALUE, "partition property 0x", std::hex, *end, " stands beside another one");

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
      return fail(CL_INVALID_DEVICE_PARTITION_COUNT, "sub-devices of ", value, " compute units, of which there are ",
                  units);
    if (value == cl_device_partition_property(units))
      return fail(CL_DEVICE_PARTITION_FAILED, "one sub-device of all ", units, " compute units is no partition");
    counts.assign(units / size_t(value), value); // what is left over is not used
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
