#include "emulator/machine/Wave.h"
#include "emulator/machine/Fault.h"
#include "emulator/machine/HostFloat.h"
#include <algorithm>

namespace kiln::emulator {

Wave::Wave(Group &group, unsigned index)
    : group(group), gpu(*group.launch.gpu), code(group.launch.code.get()), index(index),
      lanes(group.launch.kernel->waveSize), waits_(gpu.generation), hazards_(gpu) {
  const Launch &launch = group.launch;
  const KernelCode &kernel = *launch.kernel;
  // Registers start with any value. A pattern that differs by register makes a use visible.
  for (unsigned i = 0; i < scalars_.size(); ++i)
    scalars_[i] = 0xdead0000 + i + u32(launch.seed << 8);
  const unsigned vectors = kernel.accumulatorOffset ? kernel.accumulatorOffset : kernel.vectorRegisters;
  vectors_.resize(vectors);
  accumulators_.resize(kernel.vectorRegisters - vectors);
  for (unsigned i = 0; i < vectors_.size(); ++i)
    vectors_[i].fill(0xbeef0000 + i + u32(launch.seed << 8));
  constexpr u32 DynamicStack = 16 << 10; // of a kernel that calls functions recursively or by pointer
  scratchBytes_ = kernel.descriptor.private_segment_fixed_size;
  if (kernel.descriptor.kernel_code_properties & llvm::amdhsa::KERNEL_CODE_PROPERTY_USES_DYNAMIC_STACK)
    scratchBytes_ += DynamicStack;
  scratch_.assign(size_t(scratchBytes_) * lanes, 0xcd);
  if (launch.checks)
    definedness_ = std::make_unique<Definedness>(lanes, kernel.scalarRegisters, unsigned(vectors_.size()),
                                                 unsigned(accumulators_.size()), scratch_.size());
}

VectorRegister &Wave::vector(unsigned index) {
  if (index >= FirstAccumulator) {
    if (index - FirstAccumulator < accumulators_.size())
      return accumulators_[index - FirstAccumulator];
    throw Fault(FaultKind::IllegalInstruction, "a", index - FirstAccumulator,
                " is not a register of the kernel, which has ", accumulators_.size(), " accumulation registers");
  }
  if (index < vectors_.size())
    return vectors_[index];
  throw Fault(FaultKind::IllegalInstruction, "v", index, " is not a register of the kernel, which has ",
              vectors_.size(), " vector registers");
}

void Wave::unreadable(u64 address, unsigned bytes, bool write, int lane, const Range *near) const {
  const std::string who = lane < 0 ? std::string() : text("lane ", lane, ": ");
  if (near && near->contains(address, bytes))
    throw Fault(FaultKind::IllegalAddress, who, "a write of ", bytes, " bytes to 0x", std::hex, address, std::dec,
                ", which is read-only (code object)");
  std::string where;
  if (near)
    where = text("; the nearest allocation below it has 0x", std::hex, near->end - near->begin, " bytes from 0x",
                 near->begin);
  throw Fault(FaultKind::IllegalAddress, who, write ? "a write of " : "a read of ", bytes, " bytes at 0x", std::hex,
              address, ", which is in no allocation", where);
}

u8 *Wave::memory(u64 address, unsigned bytes, bool write, int lane) {
  if (definedness_ && definedness_->isShadowing())
    return definedness_->globalBits(lane, bytes);
  if (!recent_.contains(address, bytes)) {
    const Ranges &ranges = *group.launch.ranges;
    const Range *found = findRange(ranges, address);
    if (!found || !found->contains(address, bytes)) {
      auto after = std::ranges::upper_bound(ranges, address, {}, &Range::begin);
      unreadable(address, bytes, write, lane, after == ranges.begin() ? nullptr : &*std::prev(after));
    }
    recent_ = *found;
  }
  if (write && !recent_.writable)
    unreadable(address, bytes, write, lane, &recent_);
  if (group.counter)
    group.counter->access(address, bytes);
  return reinterpret_cast<u8 *>(address);
}

u8 *Wave::localMemory(u32 offset, unsigned bytes, bool write, int lane) {
  if (offset > group.local.size() || bytes > group.local.size() - offset)
    throw Fault(FaultKind::IllegalAddress, "lane ", lane, ": an access of ", bytes, " bytes at offset 0x", std::hex,
                offset, std::dec, " of local memory, of which the group has ", group.local.size(), " bytes");
  if (definedness_) {
    u8 *bits = group.localBits.data() + offset;
    if (definedness_->isShadowing())
      return bits;
    definedness_->access(bits, bytes, write, lane);
  }
  if (group.counter)
    group.counter->accessLocal(offset, bytes, lane);
  if (group.accesses)
    group.accesses->access(*this, *current_, offset, bytes, write, lane);
  return group.local.data() + offset;
}

u8 *Wave::scratchMemory(u32 offset, unsigned bytes, bool write, int lane) {
  if (offset > scratchBytes_ || bytes > scratchBytes_ - offset)
    throw Fault(FaultKind::IllegalAddress, "lane ", lane, ": an access of ", bytes, " bytes at offset 0x", std::hex,
                offset, std::dec, " of scratch memory, of which a lane has ", scratchBytes_, " bytes");
  const size_t at = size_t(lane) * scratchBytes_ + offset;
  if (definedness_) {
    u8 *bits = definedness_->scratchBits(at);
    if (definedness_->isShadowing())
      return bits;
    definedness_->access(bits, bytes, write, lane);
  }
  return scratch_.data() + at;
}

u8 *Wave::flatMemory(u64 address, unsigned bytes, bool write, int lane) {
  if (address - SharedBase < ApertureBytes)
    return localMemory(u32(address), bytes, write, lane);
  if (address - PrivateBase < ApertureBytes)
    return scratchMemory(u32(address), bytes, write, lane);
  return memory(address, bytes, write, lane);
}

void Wave::jump(u64 address) {
  next = code->at(address);
  if (!next)
    throw Fault(FaultKind::LaunchFailure, "a jump to 0x", std::hex, address, ", where no instruction starts");
}

Fault Wave::located(const Fault &fault, const Instruction &instruction) const {
  std::string line = code->sourceLine(instruction.address);
  if (!line.empty())
    line = text(" (", line, ")");
  return Fault(fault.kind, "kernel ", group.launch.kernel->name, ", group (", group.id[0], ", ", group.id[1], ", ",
               group.id[2], "), wave ", index, ", offset 0x", std::hex,
               instruction.address - group.launch.kernel->entry, std::dec, " in ",
               code->functionName(instruction.address), line, ": ", instruction.text, ": ", fault.what());
}

void Wave::run(u64 count) {
  current_ = next;
  try {
    HostFloat host;
    while (count-- && !ended && !atBarrier) {
      current_ = next;
      const Instruction &current = *current_;
      next = code->at(current.address + current.bytes);
      if (definedness_) {
        waits_.before(current);
        hazards_.before(current);
      }
      if (current.mode != FloatMode::None)
        host.set(*this, current.mode);
      if (group.counter)
        group.counter->begin();
      if (definedness_)
        definedness_->execute(*this, current);
      else
        current.run(*this, current);
      if (group.counter)
        group.counter->finish(current);
      if (!next && !ended)
        throw Fault(FaultKind::LaunchFailure, "no instruction follows");
    }
  } catch (const Fault &fault) {
    throw located(fault, *current_);
  }
}

} // namespace kiln::emulator
