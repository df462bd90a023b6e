#include "runtime/program/VariableBlock.h"
#include "base/abi/KernelAbi.h"
#include "runtime/platform/RunSynchronously.h"
#include <bit>
#include <cstring>

namespace kiln {
namespace {

Status check(const ProgramVariables &variables, const DeviceInfo &limits) {
  if (variables.largest > limits.maxGlobalVariableSize)
    return fail(CL_BUILD_PROGRAM_FAILURE, "error: a program variable has ", variables.largest,
                " bytes; the limit of device ", limits.name, " is ", limits.maxGlobalVariableSize);
  if (variables.size > limits.maxAllocSize || variables.alignment > limits.maxAllocSize)
    return fail(CL_BUILD_PROGRAM_FAILURE, "error: the program variables need ", variables.size,
                " bytes with alignment ", variables.alignment, "; the limit of device ", limits.name, " is ",
                limits.maxAllocSize);
  bool fits = std::has_single_bit(variables.alignment) && variables.image.size() <= variables.size;
  for (const Relocation &relocation : variables.relocations)
    fits &=
        variables.image.size() >= sizeof(uint64_t) && relocation.offset <= variables.image.size() - sizeof(uint64_t);
  return fits ? Status()
              : fail(CL_BUILD_PROGRAM_FAILURE,
                     "error: invalid metadata of the program variables in the compiler's reply or the cache");
}

Region flat(Region region, size_t offset, size_t size) {
  region.offset = offset;
  region.rowPitch = region.slicePitch = size;
  region.extent = {size, 1, 1};
  return region;
}

/// Writes the relocated image and zeros after it, for memory that the host cannot access.
Status initialise(Issuer &issuer, Memory &memory, size_t offset, const wire::Bytes &image, size_t size) {
  if (!image.empty()) {
    Region from;
    from.host = reinterpret_cast<std::byte *>(const_cast<uint8_t *>(image.data()));
    KILN_TRY(issuer.copy(flat({.memory = &memory}, offset, image.size()), flat(from, 0, image.size())));
  }
  constexpr std::byte Zero{};
  if (image.size() < size)
    KILN_TRY(issuer.fill(flat({.memory = &memory}, offset + image.size(), size - image.size()), {&Zero, 1}));
  return {};
}

} // namespace

Result<VariableBlock> VariableBlock::create(Device &device, const ProgramVariables &variables) {
  VariableBlock block;
  if (!variables.size)
    return block;
  KILN_TRY(check(variables, device.info()));
  // Devices align allocations for every type of OpenCL C; larger alignments come from attributes in the program.
  const uint64_t alignment = variables.alignment;
  const uint64_t slack = alignment > abi::LocalAlignment ? alignment - abi::LocalAlignment : 0;
  block.memory_ = KILN_TRY(device.allocate(variables.size + slack));
  Memory &memory = *block.memory_;
  block.address_ = (memory.address + alignment - 1) / alignment * alignment;
  const size_t offset = block.address_ - memory.address;

  wire::Bytes image = variables.image;
  for (const Relocation &relocation : variables.relocations) {
    uint64_t target = block.address_ + relocation.target;
    std::memcpy(image.data() + relocation.offset, &target, sizeof target);
  }
  if (auto *host = static_cast<std::byte *>(memory.host)) {
    if (!image.empty())
      std::memcpy(host + offset, image.data(), image.size());
    std::memset(host + offset + image.size(), 0, variables.size - image.size());
    return block;
  }
  Status status = runSynchronously(
      device, [&](Issuer &issuer) { return initialise(issuer, memory, offset, image, variables.size); });
  if (!status.ok())
    return fail(status.code(), "error: the program variables cannot be initialised on the device");
  return block;
}

} // namespace kiln
