// The registers of a wave that starts, as https://llvm.org/docs/AMDGPUUsage.html#initial-kernel-execution-state says.
#include "emulator/machine/Fault.h"
#include "emulator/machine/Wave.h"

namespace kiln::emulator {

using namespace llvm::amdhsa;

void Wave::start() {
  const Launch &launch = group.launch;
  const KernelCode &kernel = *launch.kernel;
  const kernel_descriptor_t &descriptor = kernel.descriptor;

  // User registers.
  unsigned at = 0;
  auto enabled = [&](unsigned property) { return descriptor.kernel_code_properties & property; };
  if (enabled(KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER)) {
    setScalarPair(at, 0);
    setScalarPair(at + 2, u64(ScratchBuffer) << 32 | scratchBytes_);
    at += 4;
  }
  if (enabled(KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR)) {
    setScalarPair(at, u64(&launch.packet));
    at += 2;
  }
  if (enabled(KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR)) {
    setScalarPair(at, 0); // there is no queue: a kernel that reads it faults. Code without optimisation asks for it
    at += 2;
  }
  if (enabled(KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR)) {
    setScalarPair(at, u64(launch.arguments.data()));
    at += 2;
  }
  if (enabled(KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID)) {
    setScalarPair(at, launch.number);
    at += 2;
  }
  if (enabled(KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT)) {
    setScalarPair(at, 0); // scratch memory has an aperture of flat addresses instead
    at += 2;
  }
  if (enabled(KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE))
    setScalar(at++, scratchBytes_);
  unsigned userEnd = at;
  u64 entry = kernel.entry;
  if (unsigned words = AMDHSA_BITS_GET(descriptor.kernarg_preload, KERNARG_PRELOAD_SPEC_LENGTH)) {
    const unsigned from = AMDHSA_BITS_GET(descriptor.kernarg_preload, KERNARG_PRELOAD_SPEC_OFFSET) * 4;
    if (from + words * 4 > launch.arguments.size())
      throw Fault(FaultKind::LaunchFailure, "kernel ", kernel.name, " preloads more arguments than it has");
    for (unsigned i = 0; i < words; ++i) {
      u32 word;
      std::memcpy(&word, launch.arguments.data() + from + size_t(i) * 4, sizeof word);
      setScalar(at + i, word);
    }
    userEnd += words;
    entry += 256; // past the code for firmware that does not preload
  }

  // System registers follow the user registers.
  const unsigned systemBegin = descriptor.compute_pgm_rsrc2 >> 1 & 31; // USER_SGPR_COUNT: LLVM 22 has renamed its macro
  at = systemBegin;
  if (gpu.idsInTrapRegisters) {
    setScalar(Trap + 9, group.id[0]);
    setScalar(Trap + 7, group.id[1] | group.id[2] << 16);
  } else {
    for (unsigned d = 0; d < 3; ++d)
      if (descriptor.compute_pgm_rsrc2 & (COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X << d))
        setScalar(at++, group.id[d]);
    if (descriptor.compute_pgm_rsrc2 & COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO)
      throw Fault(FaultKind::NotSupported, "kernel ", kernel.name,
                  " needs the work-group info, which the emulator does "
                  "not have");
    if (!gpu.architectedScratch && descriptor.compute_pgm_rsrc2 & COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT)
      setScalar(at++, 0); // the wave's part of scratch memory
  }

  // Work-items, in the order of the group; EXEC has those that exist.
  u64 active = 0;
  const unsigned ids = AMDHSA_BITS_GET(descriptor.compute_pgm_rsrc2, COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const unsigned item = index * lanes + lane;
    if (item >= launch.items())
      break;
    active |= 1ull << lane;
    const u32 id[3] = {item % launch.groupSize[0], item / launch.groupSize[0] % launch.groupSize[1],
                       item / launch.groupSize[0] / launch.groupSize[1]};
    // The last dimension that the kernel asks for.
    for (unsigned d = 0; d <= ids; ++d)
      if (gpu.packedWorkItemIds)
        vector(0)[lane] = (d ? vector(0)[lane] : 0) | id[d] << d * 10;
      else
        vector(d)[lane] = id[d];
  }
  setScalarPair(Exec, active);
  if (definedness_) {
    // The user and system registers, those for traps, and FLAT_SCRATCH where the hardware sets it.
    definedness_->defineScalars(0, userEnd);
    definedness_->defineScalars(systemBegin, at - systemBegin);
    definedness_->defineScalars(Trap, 16);
    definedness_->defineScalars(Exec, 2);
    definedness_->defineScalars(FlatScratch, gpu.architectedScratch ? 2 : 0);
    for (unsigned d = 0; d <= (gpu.packedWorkItemIds ? 0 : ids); ++d)
      definedness_->defineVector(d);
  }

  const u32 settings = descriptor.compute_pgm_rsrc1;
  mode = AMDHSA_BITS_GET(settings, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32) |
         AMDHSA_BITS_GET(settings, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_16_64) << 2 |
         AMDHSA_BITS_GET(settings, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32) << 4 |
         AMDHSA_BITS_GET(settings, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_16_64) << 6 |
         (settings & COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP ? 1 << 8 : 0) |
         (settings & COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE ? 1 << 9 : 0);
  jump(entry);
}

} // namespace kiln::emulator
