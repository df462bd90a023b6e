#include "emulator/decode/Disassembler.h"
#include "backends/llvm/TripleParameter.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

extern "C" void LLVMInitializeAMDGPUTargetInfo();
extern "C" void LLVMInitializeAMDGPUTargetMC();
extern "C" void LLVMInitializeAMDGPUDisassembler();

namespace kiln::emulator {

struct Disassembler::Parts {
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> processor;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

Disassembler::Disassembler(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Disassembler::~Disassembler() = default;

std::unique_ptr<Disassembler> Disassembler::create(const std::string &processor, unsigned waveSize) {
  static const bool initialised =
      (LLVMInitializeAMDGPUTargetInfo(), LLVMInitializeAMDGPUTargetMC(), LLVMInitializeAMDGPUDisassembler(), true);
  (void)initialised;
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  auto parts = std::make_unique<Parts>();
  const std::string features = waveSize == 32   ? "+wavefrontsize32,-wavefrontsize64"
                               : waveSize == 64 ? "+wavefrontsize64,-wavefrontsize32"
                                                : "";
  parts->processor.reset(target->createMCSubtargetInfo(tripleParameter(triple), processor, features));
  if (!parts->processor || !parts->processor->isCPUStringValid(processor))
    return nullptr;
  parts->registers.reset(target->createMCRegInfo(tripleParameter(triple)));
  parts->assembly.reset(target->createMCAsmInfo(*parts->registers, tripleParameter(triple), parts->options));
  parts->instructions.reset(target->createMCInstrInfo());
  parts->context =
      std::make_unique<llvm::MCContext>(triple, parts->assembly.get(), parts->registers.get(), parts->processor.get());
  parts->disassembler.reset(target->createMCDisassembler(*parts->processor, *parts->context));
  parts->printer.reset(target->createMCInstPrinter(triple, parts->assembly->getAssemblerDialect(), *parts->assembly,
                                                   *parts->instructions, *parts->registers));
  if (!parts->disassembler || !parts->printer)
    return nullptr;
  return std::unique_ptr<Disassembler>(new Disassembler(std::move(parts)));
}

Disassembler::Line Disassembler::disassemble(std::span<const u8> code, u64 address) {
  llvm::MCInst instruction;
  uint64_t size = 0;
  auto status = parts_->disassembler->getInstruction(
      instruction, size, llvm::ArrayRef<uint8_t>(code.data(), code.size()), address, llvm::nulls());
  if (status != llvm::MCDisassembler::Success || !size)
    return {"", 4};
  std::string text;
  llvm::raw_string_ostream out(text);
  parts_->printer->printInst(&instruction, address, "", *parts_->processor, out);
  size_t start = text.find_first_not_of(" \t");
  return {start == std::string::npos ? "" : text.substr(start), unsigned(size)};
}

bool Disassembler::has(const char *feature) const {
  return parts_->processor->checkFeatures(std::string("+") + feature);
}

} // namespace kiln::emulator
