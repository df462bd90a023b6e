// The platform and its devices. The platform and its root devices live until the process ends, so their handles are
// stable. Sub-devices are reference-counted. Devices are discovered on the first query, not when libkiln is loaded.
#pragma once
#include "backends/Device.h"
#include "base/support/Handle.h"
#include "base/support/Mutex.h"
#include "base/support/Ref.h"
#include <mutex>
#include <vector>

namespace kiln {

/// The object behind cl_device_id: a root device or a sub-device.
class DeviceObject : public _cl_device_id, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Device;
  DeviceObject(std::unique_ptr<Device> device, unsigned index);
  /// A sub-device of `parent`, created with `properties`.
  DeviceObject(std::unique_ptr<Device> device, DeviceObject &parent,
               std::vector<cl_device_partition_property> properties);

  Device &device() const { return *device_; }
  /// What applications see (Presented.h). The device's own description is that of device().
  const DeviceInfo &info() const { return info_; }
  /// Name in logs and traces: the root device's index, followed by ".n" for each level of sub-device.
  const std::string &label() const { return label_; }
  bool hasExtension(std::string_view name) const;

  /// Null for root devices.
  DeviceObject *parent() const { return parent_.get(); }
  /// The root device, whose memory this device uses.
  const DeviceObject &root() const { return parent_ ? parent_->root() : *this; }
  /// CL_DEVICE_PARTITION_TYPE; empty for root devices.
  const std::vector<cl_device_partition_property> &partitionType() const { return partitionType_; }

private:
  const std::unique_ptr<Device> device_;
  const DeviceInfo info_;
  const Ref<DeviceObject> parent_;
  const std::vector<cl_device_partition_property> partitionType_;
  std::atomic<unsigned> parts_{0}; // created so far
  const std::string label_;
};

class Platform : public _cl_platform_id, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Platform;
  static Platform &get();

  /// All root devices; discovered on the first call.
  const std::vector<DeviceObject *> &devices();
  /// The devices that clGetDeviceIDs returns for `types`: CL_INVALID_DEVICE_TYPE or CL_DEVICE_NOT_FOUND.
  Result<std::vector<DeviceObject *>> devices(cl_device_type types);

  static constexpr const char *Name = "Kiln";
  static constexpr const char *Vendor = "The Kiln project";
  static constexpr cl_version Version = CL_MAKE_VERSION(3, 0, 0);
  /// The platform's extensions (cl_khr_icd) and those that every device has.
  std::vector<NamedVersion> extensions();

  /// For tests: a platform with the given devices. Do not mix with get().
  explicit Platform(std::vector<std::unique_ptr<Device>> devices);

private:
  Platform() : Object(Kind) {}
  void adopt(std::vector<std::unique_ptr<Device>> devices);
  std::once_flag found_;
  std::vector<DeviceObject *> devices_;
};

} // namespace kiln
