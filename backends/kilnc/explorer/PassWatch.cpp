#include "backends/kilnc/explorer/PassWatch.h"
#include "backends/kilnc/explorer/Texts.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include <chrono>

namespace kiln::explorer {
namespace {

/// Returns true for the pass that runs a nested pipeline, whose passes are recorded themselves.
bool runsNestedPasses(const mlir::Pass &pass) { return pass.getName().ends_with("OpToOpPassAdaptor"); }

/// Records passes of MLIR.
class PassTimes {
public:
  explicit PassTimes(Recorder &recorder) : recorder_(recorder) {}

  void before(const mlir::Pass &pass, mlir::Operation *op) {
    started_.push_back({mlir::OperationFingerPrint(op), now(), nameOf(pass)});
    recorder_.runningPass = nameOf(pass);
  }
  void failed() { end(); }
  void after(const mlir::Pass &pass, mlir::Operation *op) {
    const uint64_t time = now() - started_.back().time;
    const bool changed = mlir::OperationFingerPrint(op) != started_.back().before;
    end();
    auto module = mlir::dyn_cast<mlir::ModuleOp>(op);
    if (!module)
      module = op->getParentOfType<mlir::ModuleOp>();
    auto symbol = op->getAttrOfType<mlir::StringAttr>(mlir::SymbolTable::getSymbolAttrName());
    const llvm::StringRef name = nameOf(pass);
    const llvm::StringRef on = symbol ? symbol.getValue() : llvm::StringRef();
    if (!changed || recorder_.isFull())
      return recorder_.addPass(name, on, time, changed, nullptr);
    const LinkedText result = linkedText(module, recorder_);
    recorder_.addPass(name, on, time, changed, &result);
  }

private:
  struct Started {
    mlir::OperationFingerPrint before;
    uint64_t time;
    llvm::StringRef name;
  };
  static llvm::StringRef nameOf(const mlir::Pass &pass) {
    return pass.getArgument().empty() ? pass.getName() : pass.getArgument();
  }
  void end() {
    started_.pop_back();
    recorder_.runningPass = started_.empty() ? llvm::StringRef() : started_.back().name;
  }
  Recorder &recorder_;
  std::vector<Started> started_; // the running passes, the outermost first
};

class MlirPassWatch : public mlir::PassInstrumentation {
public:
  explicit MlirPassWatch(Recorder &recorder) : times_(recorder) {}
  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override {
    if (!runsNestedPasses(*pass))
      times_.before(*pass, op);
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override {
    if (!runsNestedPasses(*pass))
      times_.after(*pass, op);
  }
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override {
    if (!runsNestedPasses(*pass))
      times_.failed();
  }

private:
  PassTimes times_;
};

/// Returns true for passes of LLVM that run others, and for those that only compute or drop analyses.
bool isAuxiliary(llvm::StringRef pass) {
  return pass.contains("PassManager") || pass.contains("Adaptor") || pass.contains("RequireAnalysis") ||
         pass.contains("InvalidateAnalysis") || pass.contains("InlinerWrapper") || pass.contains("DevirtSCC") ||
         pass.contains("Verifier");
}

/// The module and the name of the unit that a pass runs on. Null for other units.
std::pair<const llvm::Module *, std::string> unitOf(const llvm::Any &ir) {
  if (auto *module = llvm::any_cast<const llvm::Module *>(&ir))
    return {*module, ""};
  if (auto *function = llvm::any_cast<const llvm::Function *>(&ir))
    return {(*function)->getParent(), (*function)->getName().str()};
  if (auto *component = llvm::any_cast<const llvm::LazyCallGraph::SCC *>(&ir))
    return {(*component)->begin()->getFunction().getParent(), (*component)->begin()->getFunction().getName().str()};
  if (auto *loop = llvm::any_cast<const llvm::Loop *>(&ir)) {
    const llvm::Function *function = (*loop)->getHeader()->getParent();
    return {function->getParent(), function->getName().str() + ", a loop"};
  }
  return {nullptr, ""};
}

} // namespace

uint64_t now() {
  return uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

std::unique_ptr<mlir::PassInstrumentation> watchMlirPasses(Recorder &recorder) {
  return std::make_unique<MlirPassWatch>(recorder);
}

class ScheduleWatch::Implementation {
public:
  Implementation(mlir::ModuleOp program, Recorder &recorder)
      : program_(program), recorder_(recorder), times_(recorder), last_(program) {}

  /// Records what the schedule's operations did since the last pass.
  void recordOperations() {
    mlir::OperationFingerPrint now(program_);
    if (now == last_)
      return;
    last_ = now;
    if (recorder_.isFull())
      return recorder_.addPass("operations of the schedule", "", 0, true, nullptr);
    const LinkedText result = linkedText(program_, recorder_);
    recorder_.addPass("operations of the schedule", "", 0, true, &result);
  }

  void run(llvm::function_ref<void()> action, const mlir::tracing::Action &kind) {
    auto *pass = llvm::dyn_cast<mlir::PassExecutionAction>(&kind);
    if (!pass || runsNestedPasses(pass->getPass()) || running_)
      return action();
    recordOperations();
    running_ = true;
    times_.before(pass->getPass(), pass->getOp());
    action();
    times_.after(pass->getPass(), pass->getOp());
    running_ = false;
    last_ = mlir::OperationFingerPrint(program_);
  }

private:
  mlir::ModuleOp program_;
  Recorder &recorder_;
  PassTimes times_;
  mlir::OperationFingerPrint last_; // after the last pass
  bool running_ = false;            // a pass, which may run others
};

ScheduleWatch::ScheduleWatch(mlir::ModuleOp program, Recorder &recorder)
    : context_(*program.getContext()), implementation_(std::make_unique<Implementation>(program, recorder)) {
  context_.registerActionHandler([this](llvm::function_ref<void()> action, const mlir::tracing::Action &kind) {
    implementation_->run(action, kind);
  });
}

ScheduleWatch::~ScheduleWatch() { context_.registerActionHandler(nullptr); }

void ScheduleWatch::finish() { implementation_->recordOperations(); }

LlvmPassWatch::LlvmPassWatch(Recorder &recorder) : recorder_(recorder) {
  callbacks_.registerBeforeNonSkippedPassCallback([this](llvm::StringRef pass, const llvm::Any &) {
    if (!isAuxiliary(pass))
      starts_.push_back(now());
  });
  callbacks_.registerAfterPassCallback(
      [this](llvm::StringRef pass, const llvm::Any &ir, const llvm::PreservedAnalyses &preserved) {
        if (isAuxiliary(pass))
          return;
        auto [module, on] = unitOf(ir);
        after(pass, module, on, !preserved.areAllPreserved());
      });
  // The pass has removed its unit, for instance a loop; the text after the next pass shows it.
  callbacks_.registerAfterPassInvalidatedCallback([this](llvm::StringRef pass, const llvm::PreservedAnalyses &) {
    if (!isAuxiliary(pass))
      after(pass, nullptr, "", false);
  });
}

void LlvmPassWatch::after(llvm::StringRef pass, const llvm::Module *module, llvm::StringRef on, bool changed) {
  const uint64_t time = now() - starts_.back();
  starts_.pop_back();
  llvm::StringRef name = callbacks_.getPassNameForClassName(pass);
  if (name.empty())
    name = pass;
  if (!module || !changed || recorder_.isFull())
    return recorder_.addPass(name, on, time, changed, nullptr);
  const LinkedText result = linkedText(*module, recorder_);
  recorder_.addPass(name, on, time, changed, &result);
}

} // namespace kiln::explorer
