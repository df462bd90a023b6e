#include "runtime/platform/Presented.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Profile.h"
#include <algorithm>

namespace kiln {
namespace {

/// The type of KILN_DEVICE_TYPE. An invalid one has no effect.
cl_device_type typeOfCpus() {
  static const cl_device_type chosen = [] {
    const std::string &name = options().deviceType;
    for (auto [known, type] : {std::pair{"cpu", CL_DEVICE_TYPE_CPU},
                               {"gpu", CL_DEVICE_TYPE_GPU},
                               {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}})
      if (name == known)
        return cl_device_type(type);
    return cl_device_type(CL_DEVICE_TYPE_CPU);
  }();
  return chosen;
}

/// Returns true if the device has all functions of an extension of older versions of OpenCL. Of cl_khr_subgroups these
/// are core in OpenCL 3.0. A program that needs its independent forward progress has a query for it, whose result
/// stays.
bool hasFunctionsOf(const std::string &extension, const DeviceInfo &device) {
  return extension == "cl_khr_subgroups" && !device.subGroupSizes.empty();
}

void addInOrder(std::vector<NamedVersion> &list, const std::string &name) {
  auto place = std::ranges::lower_bound(list, name, {}, &NamedVersion::name);
  if (place == list.end() || place->name != name)
    list.insert(place, {name, CL_MAKE_VERSION(1, 0, 0)});
}

void limitGroups(DeviceInfo &device, size_t most) {
  device.maxWorkGroupSize = std::min(device.maxWorkGroupSize, most);
  for (size_t &size : device.maxWorkItemSizes)
    size = std::min(size, most);
  if (!device.subGroupSizes.empty()) {
    const size_t smallest = device.subGroupSizes.front();
    device.maxSubGroups = std::min(device.maxSubGroups, cl_uint((device.maxWorkGroupSize + smallest - 1) / smallest));
  }
}

} // namespace

DeviceInfo presented(DeviceInfo own) {
  if (own.type == CL_DEVICE_TYPE_CPU)
    own.type = typeOfCpus();
  const Profile *chosen = profile();
  if (!chosen)
    return own;
  for (const std::string &extension : splitList(std::string(chosen->extensions), ' '))
    if (hasFunctionsOf(extension, own))
      addInOrder(own.extensions, extension);
  if (chosen->maxWorkGroupSize)
    limitGroups(own, chosen->maxWorkGroupSize);
  return own;
}

} // namespace kiln
