#include "backends/kilnc/explorer/Costs.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSchedule.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"

extern "C" void LLVMInitializeX86AsmParser();

namespace kiln::explorer {
namespace {

/// Receives the instructions of the assembler's parser.
class CostStreamer : public llvm::MCStreamer {
public:
  CostStreamer(llvm::MCContext &context, const llvm::MCInstrInfo &instructions, Recorder &recorder)
      : MCStreamer(context), instructions_(instructions), recorder_(recorder) {}

  void emitInstruction(const llvm::MCInst &instruction, const llvm::MCSubtargetInfo &processor) override {
    const llvm::MCSchedModel &model = processor.getSchedModel();
    if (!model.hasInstrSchedModel())
      return;
    unsigned number = instructions_.get(instruction.getOpcode()).getSchedClass();
    while (number && model.getSchedClassDesc(number)->isVariant()) // the class depends on operands
      number = processor.resolveVariantSchedClass(number, &instruction, &instructions_, model.getProcessorID());
    const llvm::MCSchedClassDesc &schedule = *model.getSchedClassDesc(number);
    const int latency = llvm::MCSchedModel::computeInstrLatency(processor, schedule);
    const double interval = llvm::MCSchedModel::getReciprocalThroughput(processor, schedule);
    const char *start = getStartTokLoc().getPointer();
    if (!schedule.isValid() || latency < 0 || interval <= 0 || !start)
      return;
    // An asm statement can have a macro or include a file, whose lines are in other buffers.
    if (std::less<>()(start, text_.begin()) || !std::less<>()(start, text_.end()))
      return;
    // The whole line, which the recorder has: the instruction may be behind a prefix, as `lock`.
    const char *end = start;
    while (*end && *end != '\n')
      ++end;
    while (start != text_.begin() && start[-1] != '\n')
      --start;
    recorder_.addCost({start, size_t(end - start)}, unsigned(latency), interval);
  }
  bool emitSymbolAttribute(llvm::MCSymbol *, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol *, uint64_t, llvm::Align) override {}

  llvm::StringRef text_; // that is parsed, in the source manager's buffer

private:
  const llvm::MCInstrInfo &instructions_;
  Recorder &recorder_;
};

} // namespace

void recordCosts(llvm::StringRef assembly, const llvm::TargetMachine &machine, Recorder &recorder) {
  LLVMInitializeX86AsmParser(); // the parsers of other targets are there if their code has asm statements
  const llvm::Target &target = machine.getTarget();
  if (!target.hasMCAsmParser())
    return;
  llvm::SourceMgr sources;
  sources.setDiagHandler([](const llvm::SMDiagnostic &, void *) {}); // a line that is not accepted has no cost
  const unsigned buffer = sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(assembly), llvm::SMLoc());
  const llvm::MCSubtargetInfo &processor = *machine.getMCSubtargetInfo();
  const llvm::MCInstrInfo &instructions = *machine.getMCInstrInfo();
  llvm::MCContext context(machine.getTargetTriple(), machine.getMCAsmInfo(), machine.getMCRegisterInfo(), &processor,
                          &sources, &machine.Options.MCOptions);
  std::unique_ptr<llvm::MCObjectFileInfo> sections(target.createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(sections.get());
  CostStreamer streamer(context, instructions, recorder);
  streamer.text_ = sources.getMemoryBuffer(buffer)->getBuffer();
  target.createNullTargetStreamer(streamer);
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, streamer, *machine.getMCAsmInfo()));
  std::unique_ptr<llvm::MCTargetAsmParser> instructionParser(
      target.createMCAsmParser(processor, *parser, instructions, machine.Options.MCOptions));
  if (!instructionParser)
    return;
  parser->setTargetParser(*instructionParser);
  parser->Run(/*NoInitialTextSection=*/false, /*NoFinalize=*/true);
}

} // namespace kiln::explorer
