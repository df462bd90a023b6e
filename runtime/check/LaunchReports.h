// What a launch accesses, and the findings about it, for checks on every device.
#pragma once
#include "base/abi/Check.h"
#include "runtime/check/Findings.h"
#include "runtime/program/Kernel.h"
#include <array>
#include <span>

namespace kiln::check {

inline constexpr uint64_t UnknownId = UINT64_MAX;
/// No object is on the first page: Linux maps nothing there (vm.mmap_min_addr).
inline constexpr uintptr_t FirstAddress = 4096;

/// abi::CheckSite::space.
enum Space : uint8_t { Private, Global, Constant, Local, Generic };
/// By abi::CheckSite::access.
inline constexpr const char *Verb[] = {"reads", "writes", "has an atomic operation on"};

/// Returns true if the bytes are in the `size` bytes at `begin`.
inline bool contains(uintptr_t begin, size_t size, uintptr_t address, uint64_t bytes) {
  return bytes <= size && address - begin <= size - bytes;
}

/// What the checks of a launch need to know about it.
struct CheckTarget {
  const KernelInfo &info;
  const Launch &grid;
  Program &program; // the kernel's; of an enqueued block, that of the kernel which the host has launched
  const ArgumentBlock &arguments;
  std::span<const MemoryUse> uses; // none of an enqueued block, whose pointers are in its captured values
  std::span<const LocalArgument> localArguments;
  std::array<uint64_t, 3> localSize; // that the kernel observes
  /// Of an enqueued block: what the launch by the host uses, and captured values may point to.
  std::span<const MemoryUse> captured = {};
  const void *enqueuedAt = nullptr; // return address of the call that enqueued it

  static CheckTarget of(const HostLaunch &launch, const DeviceObject &device);
};

class LaunchReports {
protected:
  /// What an argument points to.
  struct Argument {
    enum Kind : uint8_t { Any, Buffer, SubBuffer, Allocation, Freed, Null, Local } kind = Any;
    uintptr_t begin = 0;
    size_t size = 0;
    const void *createdAt = nullptr;     // return address of the application's call
    const MemoryUse *captured = nullptr; // what captured values may point to; null of an argument
    /// The bytes at `begin` that accesses may use; all ones: any memory.
    bool isLive() const { return kind == Buffer || kind == SubBuffer || kind == Allocation; }
    uint64_t allowedBytes() const { return kind == Any ? UINT64_MAX : kind == Freed ? 0 : size; }
  };
  struct Access {
    const abi::CheckSite &site;
    uintptr_t address, base;
    uint64_t size, bytes;
    std::array<uint64_t, 3> item;
  };

  LaunchReports(const CheckTarget &launch, const DeviceObject &device);
  Argument argumentOf(size_t index, const ArgInfo &info, const MemoryUse *&use) const;
  Argument pointedBy(uintptr_t address) const;
  static Argument ofObject(const MemObject &object, uintptr_t begin);
  /// Of an access whose object the compiler does not know: that of the access's first byte, else that of the pointer
  /// which its address is computed from.
  Argument pointedInto(const Access &access) const;
  /// Returns the allocation that has the address.
  Ref<kiln::Allocation> allocationAt(uintptr_t address) const;
  /// Returns the live object that has the address: a buffer of the launch, or an allocation. `Any` if there is none.
  Argument objectAt(uintptr_t address) const;
  /// Returns true if all of the bytes are in one live object.
  bool isInSomeObject(uintptr_t address, uint64_t bytes) const;
  /// Reports arguments that the kernel uses while they are mapped.
  void reportMapped() const;
  /// The finding about a wrong access, without an address.
  Finding findingOf(const Access &access) const;
  /// The finding about an access of an image at coordinates outside of it. `image`: null if it is not known.
  Finding findingOfOutside(const abi::CheckSite &site, const abi::Image *image, const std::array<double, 3> &at,
                           const std::array<uint64_t, 3> &item) const;
  /// The finding about an access whose address is no multiple of the site's alignment. `address`: of a private variable
  /// the offset.
  Finding findingOfMisaligned(const abi::CheckSite &site, uintptr_t address, const std::array<uint64_t, 3> &item) const;
  /// The finding about a work-item that does not come to the barrier.
  Finding findingOfMissing(const abi::CheckSite &barrier, const std::array<uint64_t, 3> &item) const;
  /// The finding about a collective whose number is not below the limit.
  Finding findingOfNumber(const abi::CheckSite &collective, uint64_t number, uint64_t limit,
                          const std::array<uint64_t, 3> &item) const;
  /// A finding without its sentence.
  Finding findingAt(const abi::CheckSite &site, const std::array<uint64_t, 3> &item) const;
  std::string objectOf(const Access &access) const;
  /// The object that the site's access is in: "the buffer of argument 1 (in): byte 16".
  std::string placeOf(const abi::CheckSite &site, uintptr_t address) const;
  /// The application's call that created that object; null if it is not known.
  const void *creationOf(const abi::CheckSite &site, uintptr_t address) const;
  std::string itemText(const std::array<uint64_t, 3> &item) const;
  /// Adds the call of the application that has created the object.
  static void addCreation(Finding &finding, const void *createdAt);
  static void addCall(Finding &finding, const char *what, const void *returnAddress);
  void reportMapped(const IssuedMaps::Map &map, int64_t argument, bool writes, const char *kind,
                    const void *createdAt) const;

  const CheckTarget launch_;
  const DeviceObject &device_;
  const KernelInfo &info_;
  std::vector<Argument> arguments_; // then the objects that captured values may point to
};

} // namespace kiln::check
