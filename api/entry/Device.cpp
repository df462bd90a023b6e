// Chapters 4.2 and 4.3: devices, their queries and timers, partitions.
#include "api/entry/Entry.h"
#include "api/spec/CooperativeMatrix.h"
#include "base/abi/MatrixVariants.h"
#include "base/support/Profile.h"
#include "runtime/compiler/Compiler.h"
#include "runtime/platform/Partition.h"
#include "runtime/queue/CommandBuffer.h"
#include <charconv>

using namespace kiln;
using namespace kiln::api;

namespace {

/// An empty list of partition properties is returned as a single 0.
std::vector<cl_device_partition_property> orZero(std::vector<cl_device_partition_property> list) {
  if (list.empty())
    list.push_back(0);
  return list;
}

/// Processes with equal driver UUIDs may share device resources: it is the build id.
Uuid driverUuid() {
  Uuid uuid{};
  const std::string_view digits = buildId();
  assert(digits.size() == 2 * uuid.size());
  for (size_t i = 0; i < uuid.size(); ++i)
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, uuid[i], 16);
  return uuid;
}

/// A property of cl_nv_device_attribute_query.
template <typename T> Result<T> ofHardware(const DeviceInfo &info, T HardwareInfo::*property) {
  return resultIf(info.hardware.has_value(), info.hardware.value_or(HardwareInfo{}).*property);
}

/// One of the extension's properties that are parts of the PCI address.
Result<cl_uint> ofPlace(const DeviceInfo &info, cl_uint (*part)(const cl_device_pci_bus_info_khr &)) {
  return resultIf(info.hardware && info.pci, part(info.pci.value_or(cl_device_pci_bus_info_khr{})));
}

/// The multiplications of matrices in sub-groups of this size.
std::vector<khr::cooperative_matrix_variant> matrixVariants(size_t subGroupSize) {
  std::vector<khr::cooperative_matrix_variant> variants;
  for (const abi::MatrixVariant &v : abi::MatrixVariants)
    if (abi::fits(v, subGroupSize))
      variants.push_back({v.m, v.n, v.k, cl_uint(v.a), cl_uint(v.b), cl_uint(v.c), cl_uint(v.c), cl_bool(v.saturates)});
  return variants;
}

} // namespace

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id handle, cl_device_type type, cl_uint numEntries, cl_device_id *devices,
                                  cl_uint *numDevices) {
  return enter("clGetDeviceIDs", [&]() -> Status {
    Platform *platform;
    KILN_TRY(check::platformOrNull(handle, platform));
    KILN_TRY(checkList(numEntries, devices, numDevices));
    std::vector<DeviceObject *> found = KILN_TRY(platform->devices(type));
    writeList(handles<cl_device_id>(found), numEntries, devices, numDevices);
    return {};
  });
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id handle, cl_device_info param, size_t size, void *value,
                                   size_t *sizeRet) {
  return enter("clGetDeviceInfo", [&]() -> Status {
    DeviceObject *device = KILN_TRY(check::object<DeviceObject>(handle));
    const DeviceInfo &info = device->info();
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_DEVICE_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}

extern "C" cl_int CL_API_CALL clGetDeviceCooperativeMatrixInfoKHR(cl_device_id handle, cl_uint param, size_t inputSize,
                                                                  const void *input, size_t size, void *value,
                                                                  size_t *sizeRet) {
  return enter("clGetDeviceCooperativeMatrixInfoKHR", [&]() -> Status {
    DeviceObject *device = KILN_TRY(check::object<DeviceObject>(handle));
    if (!device->hasExtension("cl_khr_cooperative_matrix"))
      return fail(CL_INVALID_OPERATION, "the device does not support cl_khr_cooperative_matrix");
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
    case CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR:
      return writer.write<khr::cooperative_matrix_variant[]>(matrixVariants(device->info().defaultSubGroupSize));
    case CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR: {
      size_t subGroupSize = 0;
      if (!input || inputSize != sizeof subGroupSize)
        return fail(CL_INVALID_VALUE, "input_value_size is ", inputSize, ", must be ", sizeof subGroupSize);
      std::memcpy(&subGroupSize, input, sizeof subGroupSize);
      if (std::ranges::find(device->info().subGroupSizes, subGroupSize) == device->info().subGroupSizes.end())
        return fail(CL_INVALID_VALUE, "the device has no sub-groups of ", subGroupSize, " work-items");
      return writer.write<khr::cooperative_matrix_variant[]>(matrixVariants(subGroupSize));
    }
    }
    return writer.unknownParam(param);
  });
}

cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id handle, cl_ulong *deviceTime, cl_ulong *hostTime) {
  return enter("clGetDeviceAndHostTimer", [&]() -> Status {
    KILN_TRY(check::object<DeviceObject>(handle));
    if (!deviceTime || !hostTime)
      return fail(CL_INVALID_VALUE, deviceTime ? "host_timestamp" : "device_timestamp", " is null");
    // Events and the host share one time base.
    *deviceTime = *hostTime = nowNanoseconds();
    return {};
  });
}

cl_int CL_API_CALL clGetHostTimer(cl_device_id handle, cl_ulong *hostTime) {
  return enter("clGetHostTimer", [&]() -> Status {
    KILN_TRY(check::object<DeviceObject>(handle));
    if (!hostTime)
      return fail(CL_INVALID_VALUE, "host_timestamp is null");
    *hostTime = nowNanoseconds();
    return {};
  });
}

cl_int CL_API_CALL clCreateSubDevices(cl_device_id handle, const cl_device_partition_property *properties,
                                      cl_uint numDevices, cl_device_id *subDevices, cl_uint *numDevicesRet) {
  return enter("clCreateSubDevices", [&]() -> Status {
    DeviceObject *device = KILN_TRY(check::object<DeviceObject>(handle));
    Partition partition = KILN_TRY(Partition::plan(*device, properties));
    if (subDevices) {
      if (numDevices < partition.size())
        return fail(CL_INVALID_VALUE, "num_devices is ", numDevices, ", must be at least ", partition.size());
      std::vector<Ref<DeviceObject>> made = KILN_TRY(partition.create());
      for (const Ref<DeviceObject> &one : made)
        *subDevices++ = one.handle();
    }
    if (numDevicesRet)
      *numDevicesRet = cl_uint(partition.size());
    return {};
  });
}

// Root devices are not reference-counted.
cl_int CL_API_CALL clRetainDevice(cl_device_id handle) {
  return enter("clRetainDevice", [&]() -> Status {
    DeviceObject *device = KILN_TRY(check::object<DeviceObject>(handle));
    if (device->parent())
      device->retain();
    return {};
  });
}

cl_int CL_API_CALL clReleaseDevice(cl_device_id handle) {
  return enter("clReleaseDevice", [&]() -> Status {
    DeviceObject *device = KILN_TRY(check::object<DeviceObject>(handle));
    return device->parent() ? check::release<DeviceObject>(handle) : Status();
  });
}

cl_int CL_API_CALL clCreateSubDevicesEXT(cl_device_id handle, const cl_device_partition_property_ext *, cl_uint,
                                         cl_device_id *, cl_uint *) {
  return enter("clCreateSubDevicesEXT", [&]() -> Status {
    KILN_TRY(check::object<DeviceObject>(handle));
    return fail(CL_INVALID_VALUE, "cl_ext_device_fission is not supported");
  });
}
cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id device) { return clRetainDevice(device); }
cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id device) { return clReleaseDevice(device); }
