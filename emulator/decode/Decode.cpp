#include "emulator/decode/Decode.h"
#include "emulator/decode/Classify.h"
#include "emulator/decode/Parse.h"
#include "emulator/instructions/Tables.h"
#include "emulator/machine/Fault.h"
#include "emulator/machine/Wave.h"

namespace kiln::emulator {
namespace {

void unknown(Wave &, const Instruction &instruction) {
  throw Fault(FaultKind::IllegalInstruction, "the emulator does not have this instruction: ", instruction.why);
}

/// A dual instruction: both halves read their sources before either writes.
void runDual(Wave &wave, const Instruction &instruction) {
  VectorRegister &target = wave.vector(instruction.operands[0].index);
  const VectorRegister before = target;
  instruction.first(wave, instruction);
  const VectorRegister after = target;
  target = before;
  instruction.second->run(wave, *instruction.second);
  target = after;
}

/// Sets the handler, or the reason why there is none.
void attach(Instruction &instruction, const std::string &mnemonic) {
  const Semantics *semantics = findSemantics(mnemonic);
  if (!semantics && instruction.why.empty())
    instruction.why = text("'", mnemonic, "' is in no table of instructions/");
  if (!instruction.why.empty()) {
    instruction.run = unknown;
    return;
  }
  instruction.run = semantics->run;
  instruction.mode = semantics->mode;
  if (semantics->destinations >= 0)
    instruction.destinations = u8(semantics->destinations);
  if (mnemonic.starts_with("v_cmpx_") && instruction.operandCount == 2)
    instruction.destinations = 0; // from gfx10 on the result goes to EXEC only
  instruction.readsVcc = semantics->readsVcc;
}

} // namespace

std::unique_ptr<Instruction> decodeLine(std::string line) {
  auto instruction = std::make_unique<Instruction>();
  std::string secondName;
  const std::string mnemonic = parseInstruction(line, *instruction, secondName);
  instruction->text = std::move(line);
  classify(*instruction, mnemonic);
  attach(*instruction, mnemonic);
  if (instruction->second) {
    classify(*instruction->second, secondName);
    attach(*instruction->second, secondName);
    instruction->first = instruction->run;
    instruction->run = instruction->second->why.empty() ? runDual : unknown;
    if (instruction->why.empty())
      instruction->why = instruction->second->why;
    if (instruction->mode == FloatMode::None)
      instruction->mode = instruction->second->mode;
  }
  return instruction;
}

std::unique_ptr<Instruction> decodeInstruction(std::span<const u8> code, u64 address, Disassembler &disassembler) {
  Disassembler::Line line = disassembler.disassemble(code, address);
  std::unique_ptr<Instruction> instruction;
  if (line.text.empty()) {
    instruction = std::make_unique<Instruction>();
    instruction->text = "?";
    instruction->why = "the bytes are no instruction of the processor";
    instruction->run = unknown;
  } else {
    instruction = decodeLine(std::move(line.text));
  }
  instruction->bytes = u8(line.bytes);
  instruction->address = address;
  return instruction;
}

} // namespace kiln::emulator
