#include "bench/measure/DeviceClock.h"
#include "bench/measure/CpuClock.h"
#include "bench/measure/NvmlClock.h"
#include <CL/cl_ext.h>
#include <cstdio>

namespace bench {
namespace {

/// The device's PCI bus address as NVML takes it, 0000:18:00.0; empty if the platform does not report it.
std::string pciAddress(cl_device_id device) {
  cl_device_pci_bus_info_khr pci{};
  if (clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof pci, &pci, nullptr) != CL_SUCCESS)
    return {};
  char text[48];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", pci.pci_domain, pci.pci_bus, pci.pci_device, pci.pci_function);
  return text;
}

} // namespace

std::unique_ptr<ClockWatch> watchClock(cl_device_id device, std::string &why) {
  cl_device_type type = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr), "clGetDeviceInfo");
  if (type & CL_DEVICE_TYPE_CPU)
    return CpuClock::open("/sys/devices/system/cpu", why);
  const std::string address = pciAddress(device);
  if (address.empty()) {
    why = "the platform does not report the device's PCI address";
    return nullptr;
  }
  return NvmlClock::open("libnvidia-ml.so.1", address, why);
}

} // namespace bench
