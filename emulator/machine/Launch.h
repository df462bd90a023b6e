// One launch of a kernel: its groups, spread over the host's threads.
#pragma once
#include "emulator/loader/CodeObject.h"
#include "emulator/machine/AddressSpace.h"
#include "emulator/machine/Gpu.h"
#include <array>
#include <vector>

namespace kiln::emulator {

/// AQL's dispatch packet, which a kernel may read: hsa_kernel_dispatch_packet_t.
struct DispatchPacket {
  u16 header = 2; // a kernel dispatch
  u16 dimensions = 3;
  u16 groupSize[3]{}, reserved = 0;
  u32 gridSize[3]{}; // in work-items
  u32 scratchBytes = 0, localBytes = 0;
  u64 kernel = 0, arguments = 0, reserved2 = 0, completionSignal = 0;
};
static_assert(sizeof(DispatchPacket) == 64);

struct Launch {
  const Gpu *gpu = nullptr;
  std::shared_ptr<CodeObject> code;
  const KernelCode *kernel = nullptr;
  std::array<u32, 3> groups{}, groupSize{};
  u32 dynamicLocalBytes = 0;
  std::vector<u8> arguments; // the kernarg segment
  DispatchPacket packet;
  std::shared_ptr<const Ranges> ranges;
  bool checks = true, races = false; // KILN_EMULATOR_CHECKS, KILN_EMULATOR_RACES
  bool counts = false;               // KILN_EMULATOR_COUNTS
  u64 seed = 0;
  u64 number = 0; // of the launch in this process

  unsigned items() const { return groupSize[0] * groupSize[1] * groupSize[2]; }
  unsigned localBytes() const;
};

/// The kernarg segment: `explicitBytes` as the application passed them, and the hidden arguments.
std::vector<u8> makeArguments(const Launch &launch, const void *explicitBytes, size_t size);

/// Sets `packet` from the other members.
void makePacket(Launch &launch);

/// Runs all groups. Returns 0, or the hipError_t of the first fault, which is in the log and in `message`.
int run(Launch &launch, std::string *message = nullptr);

} // namespace kiln::emulator
