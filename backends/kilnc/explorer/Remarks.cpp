#include "backends/kilnc/explorer/Remarks.h"
#include "backends/kilnc/explorer/Texts.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DiagnosticInfo.h"

namespace kiln::explorer {
namespace {

// LLVM's passes whose remarks help a kernel's author. Others report every instruction that they move.
constexpr llvm::StringLiteral PassedPasses[] = {"loop-unroll", "loop-vectorize", "slp-vectorizer"};
constexpr llvm::StringLiteral MissedPasses[] = {"loop-unroll", "loop-vectorize", "gvn", "licm", "regalloc"};
// Passes whose remarks are numbers of a whole function.
constexpr llvm::StringLiteral FactPasses[] = {"asm-printer", "prologepilog", "kernel-resource-usage"};

bool isFact(llvm::StringRef pass) { return llvm::is_contained(FactPasses, pass); }

/// The table's name of a fact, "" for those that are not shown.
llvm::StringRef factName(llvm::StringRef remark) {
  return llvm::StringSwitch<llvm::StringRef>(remark)
      .Case("InstructionCount", "instructions")
      .Case("StackSize", "stack bytes")
      .Case("NumSGPR", "SGPRs")
      .Case("NumVGPR", "VGPRs")
      .Case("NumAGPR", "AGPRs")
      .Case("ScratchSize", "scratch bytes per work-item")
      .Case("Occupancy", "waves per SIMD")
      .Case("SGPRSpill", "spilled SGPRs")
      .Case("VGPRSpill", "spilled VGPRs")
      .Case("BytesLDS", "local memory bytes")
      .Default("");
}

} // namespace

class RemarkWatch::Handler : public llvm::DiagnosticHandler {
public:
  Handler(Recorder &recorder, llvm::DiagnosticHandler *before) : recorder_(recorder), before_(before) {}

  bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override { return isFact(pass); }
  bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override { return llvm::is_contained(MissedPasses, pass); }
  bool isPassedOptRemarkEnabled(llvm::StringRef pass) const override { return llvm::is_contained(PassedPasses, pass); }
  bool isAnyRemarkEnabled() const override { return true; }

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    auto *remark = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info);
    if (!remark)
      return before_ && before_->handleDiagnostics(info);
    if (isFact(remark->getPassName()))
      recordFact(*remark);
    else if (remark->isPassed() && isPassedOptRemarkEnabled(remark->getPassName()))
      recorder_.addRemark(remark->getPassName(), "passed", placesOf(*remark), remark->getMsg());
    else if (remark->isMissed() && isMissedOptRemarkEnabled(remark->getPassName()))
      recorder_.addRemark(remark->getPassName(), "missed", placesOf(*remark), remark->getMsg());
    return true;
  }

private:
  Places placesOf(const llvm::DiagnosticInfoOptimizationBase &remark) {
    if (!remark.isLocationAvailable())
      return {};
    const llvm::DiagnosticLocation location = remark.getLocation();
    Places places;
    recorder_.addPlace(places, location.getAbsolutePath(), location.getLine());
    return places;
  }

  void recordFact(const llvm::DiagnosticInfoOptimizationBase &remark) {
    const llvm::StringRef name = factName(remark.getRemarkName());
    if (name.empty())
      return;
    // The last number among the arguments is the value.
    for (const auto &argument : llvm::reverse(remark.getArgs())) {
      unsigned long long value = 0;
      if (!llvm::StringRef(argument.Val).trim().getAsInteger(10, value))
        return recorder_.addFact(remark.getFunction().getName(), name, std::to_string(value));
    }
  }

  Recorder &recorder_;
  llvm::DiagnosticHandler *const before_;
};

RemarkWatch::RemarkWatch(llvm::LLVMContext &context, Recorder &recorder)
    : context_(context), before_(context.getDiagnosticHandler()) {
  context.setDiagnosticHandler(std::make_unique<Handler>(recorder, before_.get()));
}

RemarkWatch::~RemarkWatch() { context_.setDiagnosticHandler(std::move(before_)); }

} // namespace kiln::explorer
