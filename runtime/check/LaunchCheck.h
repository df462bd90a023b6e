// The checks of one launch: which memory its arguments may access, and what a wrong access is.
#pragma once
#include "base/abi/Check.h"
#include "runtime/check/Findings.h"
#include "runtime/program/Kernel.h"
#include <mutex>

namespace kiln::check {

class LaunchCheck : public abi::CheckLaunch {
public:
  LaunchCheck(const HostLaunch &launch, const DeviceObject &device);
  LaunchCheck(const LaunchCheck &) = delete;

private:
  /// What an argument points to.
  struct Argument {
    enum Kind : uint8_t { Any, Buffer, SubBuffer, Allocation, Freed, Null, Local } kind = Any;
    uintptr_t begin = 0;
    size_t size = 0;
  };
  struct Access {
    const abi::CheckSite &site;
    uintptr_t address, base;
    uint64_t size, bytes;
    std::array<uint64_t, 3> item;
  };

  static void *checkAccess(const abi::CheckLaunch *launch, const abi::CheckSite *site, void *pointer, void *base,
                           uint64_t size, uint64_t bytes, uint64_t x, uint64_t y, uint64_t z);
  static void reportMissing(const abi::CheckLaunch *launch, const abi::CheckSite *site, uint64_t x, uint64_t y,
                            uint64_t z);
  Argument argumentOf(size_t index, const ArgInfo &info, const MemoryUse *&use) const;
  Argument pointedBy(uintptr_t address) const;
  /// Returns true if the access is right, or if that cannot be known.
  bool isAccepted(const Access &access) const;
  /// Returns the allocation that has the address.
  Ref<kiln::Allocation> allocationAt(uintptr_t address) const;
  /// A finding without its sentence.
  Finding findingAt(const abi::CheckSite &site, const std::array<uint64_t, 3> &item) const;
  std::string objectOf(const Access &access) const;
  std::string itemText(const std::array<uint64_t, 3> &item) const;

  const HostLaunch &launch_;
  const DeviceObject &device_;
  const KernelInfo &info_;
  std::vector<Argument> arguments_;
  std::vector<abi::CheckRange> ranges_;
};

} // namespace kiln::check
