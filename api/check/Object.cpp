#include "api/check/Object.h"
#include <algorithm>

namespace kiln::check {

Status devices(const std::vector<DeviceObject *> &allowed, cl_uint count, const cl_device_id *handles,
               std::vector<DeviceObject *> &devices) {
  if ((count == 0) != (handles == nullptr))
    return fail(CL_INVALID_VALUE, "num_devices is ", count, ", device_list is ", handles ? "not null" : "null");
  for (cl_uint i = 0; i < count; ++i) {
    DeviceObject *device = KILN_TRY(object<DeviceObject>(handles[i]));
    if (std::find(allowed.begin(), allowed.end(), device) == allowed.end())
      return fail(CL_INVALID_DEVICE, "device_list[", i, "] is not a device of the context or program");
    devices.push_back(device);
  }
  return {};
}

} // namespace kiln::check
