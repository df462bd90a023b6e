// The one platform, and its devices as the application holds them. Both live for the rest of the process: handles are
// stable and need no destructor. Devices are looked for when somebody first asks for them, not when libkiln is loaded.
#pragma once
#include "backends/Device.h"
#include "runtime/support/Handle.h"
#include "runtime/support/Mutex.h"
#include "runtime/support/Ref.h"
#include <mutex>
#include <vector>

namespace kiln {

/// A device as the application holds it; always a root device.
class DeviceObject : public _cl_device_id, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Device;
  DeviceObject(std::unique_ptr<Device> device, unsigned index)
      : Object(Kind), device_(std::move(device)), index_(index) {}

  Device &device() const { return *device_; }
  const DeviceInfo &info() const { return device_->info(); }
  unsigned index() const { return index_; } // among the platform's devices
  bool hasExtension(std::string_view name) const;

private:
  const std::unique_ptr<Device> device_;
  const unsigned index_;
};

class Platform : public _cl_platform_id, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Platform;
  static Platform &get();

  /// All devices. Found on the first call.
  const std::vector<DeviceObject *> &devices();
  /// Those whose type is among `types`, as clGetDeviceIDs picks them; CL_INVALID_DEVICE_TYPE or CL_DEVICE_NOT_FOUND.
  Result<std::vector<DeviceObject *>> devices(cl_device_type types);

  static constexpr const char *Name = "Kiln";
  static constexpr const char *Vendor = "The Kiln project";
  static constexpr cl_version Version = CL_MAKE_VERSION(3, 0, 0);
  /// Extensions of the platform itself (the loader's) and those that every device has.
  std::vector<NamedVersion> extensions();

  /// For tests: a platform of other devices than the machine's. Not to be mixed with get().
  explicit Platform(std::vector<std::unique_ptr<Device>> devices);

private:
  Platform() : Object(Kind) {}
  void adopt(std::vector<std::unique_ptr<Device>> devices);
  std::once_flag found_;
  std::vector<DeviceObject *> devices_;
};

} // namespace kiln
