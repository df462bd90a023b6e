#include "runtime/platform/Platform.h"
#include "backends/Registry.h"
#include "base/support/Thread.h"
#include "runtime/platform/Presented.h"
#include <algorithm>

namespace kiln {

DeviceObject::DeviceObject(std::unique_ptr<Device> device, unsigned index)
    : Object(Kind), device_(std::move(device)), info_(presented(device_->info())), label_(std::to_string(index)) {}

DeviceObject::DeviceObject(std::unique_ptr<Device> device, DeviceObject &parent,
                           std::vector<cl_device_partition_property> properties)
    : Object(Kind), device_(std::move(device)), info_(presented(device_->info())), parent_(&parent),
      partitionType_(std::move(properties)), label_(text(parent.label_, ".", parent.parts_.fetch_add(1) + 1)) {}

bool DeviceObject::hasExtension(std::string_view name) const {
  return std::ranges::any_of(info().extensions, [&](const NamedVersion &e) { return e.name == name; });
}

Platform &Platform::get() {
  static Platform *platform = [] {
    std::unique_ptr<Platform> made(new Platform);
    installForkHandlers();
    return made.release(); // leaked: handles are valid until the process ends
  }();
  return *platform;
}

Platform::Platform(std::vector<std::unique_ptr<Device>> devices) : Object(Kind) {
  std::call_once(found_, [&] { adopt(std::move(devices)); });
}

void Platform::adopt(std::vector<std::unique_ptr<Device>> devices) {
  std::vector<Ref<DeviceObject>> made;
  for (auto &device : devices)
    made.push_back(Ref<DeviceObject>(new DeviceObject(std::move(device), unsigned(made.size()))));
  devices_.reserve(made.size());
  for (const Ref<DeviceObject> &device : made)
    devices_.push_back(device.handle()); // the reference count of a root device stays 1
}

const std::vector<DeviceObject *> &Platform::devices() {
  std::call_once(found_, [&] { adopt(discoverDevices()); });
  return devices_;
}

Result<std::vector<DeviceObject *>> Platform::devices(cl_device_type types) {
  constexpr cl_device_type Known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                   CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
  if (types == 0 || (types != CL_DEVICE_TYPE_ALL && (types & ~Known)))
    return fail(CL_INVALID_DEVICE_TYPE, "device type 0x", std::hex, types, " is not a set of device types");
  std::vector<DeviceObject *> found;
  for (DeviceObject *device : devices()) {
    cl_device_type type = device->info().type & ~cl_device_type(CL_DEVICE_TYPE_DEFAULT);
    bool custom = type == CL_DEVICE_TYPE_CUSTOM;
    if (types == CL_DEVICE_TYPE_ALL ? !custom : (types & type) != 0)
      found.push_back(device);
  }
  // The default device is the first that is not a custom device; it is added to the others.
  if (types != CL_DEVICE_TYPE_ALL && (types & CL_DEVICE_TYPE_DEFAULT)) {
    auto defaultDevice =
        std::ranges::find_if(devices(), [](DeviceObject *d) { return d->info().type != CL_DEVICE_TYPE_CUSTOM; });
    if (defaultDevice != devices().end() && std::ranges::find(found, *defaultDevice) == found.end())
      found.insert(found.begin(), *defaultDevice);
  }
  if (found.empty())
    return fail(CL_DEVICE_NOT_FOUND, "no device of type 0x", std::hex, types);
  return found;
}

std::vector<NamedVersion> Platform::extensions() {
  std::vector<NamedVersion> list{{"cl_khr_icd", CL_MAKE_VERSION(1, 0, 0)}};
  if (devices().empty())
    return list;
  for (const NamedVersion &extension : devices().front()->info().extensions)
    if (std::ranges::all_of(devices(), [&](DeviceObject *d) { return d->hasExtension(extension.name); }))
      list.push_back(extension);
  return list;
}

} // namespace kiln
