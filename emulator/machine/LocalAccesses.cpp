#include "emulator/machine/LocalAccesses.h"
#include "emulator/machine/Fault.h"
#include "emulator/machine/Wave.h"

namespace kiln::emulator {

void LocalAccesses::access(const Wave &wave, const Instruction &instruction, u32 offset, unsigned bytes, bool write,
                           int lane) {
  atomic_ |= instruction.effect == Effect::Atomic;
  if (atomic_)
    return;
  const u8 self = u8(wave.index);
  PerWave &own = waves_[self];
  ++own.accesses;
  auto race = [&](const char *what, unsigned other, u32 at) {
    throw Fault(FaultKind::LaunchFailure, "lane ", lane, ": ", what, " offset 0x", std::hex, at, std::dec,
                " of local memory without a barrier after wave ", other);
  };
  for (u32 at = offset; at < offset + bytes; ++at) {
    Byte &byte = bytes_[at];
    if (byte.round != round_)
      byte.reader = None;
    if (write) {
      if (byte.reader == Several || (byte.reader != None && byte.reader != self))
        race("a write to", byte.reader, at);
      byte.writer = self;
      byte.written = own.accesses;
    } else {
      if (byte.writer != None && byte.writer != self && byte.written > waves_[byte.writer].ordered)
        race("a read of", byte.writer, at);
      byte.reader = byte.reader == None || byte.reader == self ? self : Several;
      byte.round = round_;
    }
  }
}

void LocalAccesses::arrive(const Wave &wave) {
  PerWave &own = waves_[wave.index];
  if (!wave.waits().hasLocalStores())
    own.complete = own.accesses;
  own.arrived = own.complete;
}

void LocalAccesses::leave() {
  for (PerWave &one : waves_)
    one.ordered = one.arrived;
  ++round_;
  atomic_ = false;
}

} // namespace kiln::emulator
