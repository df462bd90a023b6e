// The one platform, and its devices as the application holds them. The platform and its root devices live for the rest
// of the process: their handles are stable. Sub-devices live as long as somebody holds them. Devices are looked for
// when somebody first asks for them, not when libkiln is loaded.
#pragma once
#include "backends/Device.h"
#include "runtime/support/Handle.h"
#include "runtime/support/Mutex.h"
#include "runtime/support/Ref.h"
#include <mutex>
#include <vector>

namespace kiln {

/// A device as the application holds it: a root device, or a part of another one.
class DeviceObject : public _cl_device_id, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Device;
  DeviceObject(std::unique_ptr<Device> device, unsigned index);
  /// A part of `parent`, which was asked for by `properties`.
  DeviceObject(std::unique_ptr<Device> device, DeviceObject &parent,
               std::vector<cl_device_partition_property> properties);

  Device &device() const { return *device_; }
  const DeviceInfo &info() const { return device_->info(); }
  /// Names the device in logs and traces: its place among the platform's, for a part followed by a number of its own.
  const std::string &label() const { return label_; }
  bool hasExtension(std::string_view name) const;

  /// Null for root devices.
  DeviceObject *parent() const { return parent_.get(); }
  /// In whose memory the device computes.
  const DeviceObject &root() const { return parent_ ? parent_->root() : *this; }
  /// CL_DEVICE_PARTITION_TYPE; empty for root devices.
  const std::vector<cl_device_partition_property> &partitionType() const { return partitionType_; }

private:
  const std::unique_ptr<Device> device_;
  const Ref<DeviceObject> parent_;
  const std::vector<cl_device_partition_property> partitionType_;
  std::atomic<unsigned> parts_{0}; // that there ever were
  const std::string label_;
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
