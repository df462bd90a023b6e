// LLVM's disassembler for one processor: machine code to assembly text, and the properties of the processor.
#pragma once
#include "emulator/machine/Types.h"
#include <memory>
#include <span>
#include <string>

namespace kiln::emulator {

class Disassembler {
public:
  /// Returns null if LLVM has no such processor. `waveSize` 0: the processor's default.
  static std::unique_ptr<Disassembler> create(const std::string &processor, unsigned waveSize);
  ~Disassembler();

  struct Line {
    std::string text; // empty: not an instruction
    unsigned bytes;
  };
  Line disassemble(std::span<const u8> code, u64 address);
  /// Whether the processor has a feature of LLVM's, such as "architected-flat-scratch".
  bool has(const char *feature) const;

private:
  struct Parts;
  explicit Disassembler(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

} // namespace kiln::emulator
