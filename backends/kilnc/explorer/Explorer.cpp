#include "backends/kilnc/explorer/Explorer.h"
#include "backends/kilnc/explorer/Costs.h"
#include "backends/kilnc/explorer/Registers.h"
#include "backends/kilnc/explorer/Remarks.h"
#include "backends/kilnc/explorer/Texts.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <set>

namespace kiln::explorer {
namespace {

/// The name of the request's variant: "generic", or the values that it is specialised for.
std::string variantOf(const protocol::BuildRequest &request) {
  std::string name;
  for (const protocol::Specialisation &variant : request.specialisations) {
    name += (name.empty() ? "" : ", ") + variant.kernel;
    if (variant.localSize[0])
      name += ", local size " + std::to_string(variant.localSize[0]) + "x" + std::to_string(variant.localSize[1]) +
              "x" + std::to_string(variant.localSize[2]);
    for (const protocol::KnownArgument &known : variant.known)
      name += ", argument " + std::to_string(known.index) + " = " + std::to_string(known.value);
  }
  return name.empty() ? "generic" : name;
}

/// Entries that Target::finish compiles with one effort.
struct Group {
  Effort effort;
  std::set<std::string> entries;
};

std::vector<Group> groupsOf(const Target &target, llvm::ArrayRef<EntryCode> entries) {
  std::vector<Group> groups;
  if (!target.hasEffortPerKernel()) {
    Group all{Target::leastEffort(entries), {}};
    for (const EntryCode &entry : entries)
      all.entries.insert(entry.name);
    return {all};
  }
  for (const EntryCode &entry : entries) {
    auto found = llvm::find_if(groups, [&](const Group &group) { return group.effort == entry.effort; });
    if (found == groups.end())
      found = groups.insert(groups.end(), {entry.effort, {}});
    found->entries.insert(entry.name);
  }
  return groups;
}

void append(LinkedText &to, const LinkedText &more) {
  const size_t lines = size_t(llvm::count(to.text, '\n'));
  to.text += more.text;
  for (size_t i = 0; i < more.places.size(); ++i)
    to.link(lines + i, more.places[i]);
}

/// Returns a copy of the module with the bodies of the group's entries and of all functions that are not entries.
std::unique_ptr<llvm::Module> copyOf(const llvm::Module &module, const Group &group,
                                     llvm::ArrayRef<EntryCode> entries) {
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  for (const EntryCode &entry : entries)
    if (llvm::Function *function = copy->getFunction(entry.name); function && !group.entries.contains(entry.name))
      function->deleteBody();
  return copy;
}

} // namespace

Explorer::Explorer(const protocol::BuildRequest &request)
    : recorder_(request.target, variantOf(request), request.pipeline) {}

void Explorer::addModule(const wire::Bytes &spirv) {
  recorder_.addStage("SPIR-V", "spirv", disassemble(spirv, recorder_));
}

void Explorer::addStage(llvm::StringRef name, mlir::ModuleOp module) {
  recorder_.addStage(name, "mlir", linkedText(module, recorder_));
}

void Explorer::watch(mlir::PassManager &passes) { passes.addInstrumentation(watchMlirPasses(recorder_)); }

bool Explorer::addRemark(mlir::Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Remark)
    return false;
  recorder_.addRemark(recorder_.runningPass, "remark", placesOf(diagnostic.getLocation(), recorder_), diagnostic.str());
  return true;
}

void Explorer::addKernels(llvm::ArrayRef<KernelInfo> kernels) {
  for (const KernelInfo &kernel : kernels) {
    auto add = [&](llvm::StringRef name, uint64_t value) {
      recorder_.addFact(kernel.entry, name, std::to_string(value));
    };
    const KernelPlan &plan = kernel.plan;
    recorder_.addFact(kernel.entry, "kernel", kernel.name);
    add("sub-group size", plan.subGroupSize);
    add("preferred multiple", plan.preferredMultiple);
    add("largest work-group", plan.maxWorkGroupSize);
    add("static local bytes", plan.staticLocalBytes);
    add("private bytes per work-item", plan.privateBytes);
  }
}

void Explorer::addCode(const llvm::Module &module, const Target &target, llvm::ArrayRef<EntryCode> entries,
                       const CodeOptions &given) {
  recorder_.addStage("LLVM IR", "llvm", linkedText(module, recorder_));
  RemarkWatch remarks(module.getContext(), recorder_);
  LinkedText optimised, assembly;
  uint64_t codeTime = 0;
  for (const Group &group : groupsOf(target, entries)) {
    std::unique_ptr<llvm::Module> copy = copyOf(module, group, entries);
    LlvmPassWatch watch(recorder_);
    CodeOptions options = given;
    options.observer = &watch.callbacks();
    target.optimise(*copy, group.effort, options);
    LinkedText text = linkedText(*copy, recorder_);
    recorder_.addPass("steps of the target", "", 0, true, &text); // after LLVM's passes; not timed
    append(optimised, text);
    llvm::MCTargetOptions &printing = target.machine().Options.MCOptions;
    const bool wasVerbose = printing.AsmVerbose;
    printing.AsmVerbose = true; // names spills
    const uint64_t start = now();
    llvm::SmallVector<char, 0> code = emit(*copy, target, llvm::CodeGenFileType::AssemblyFile, group.effort);
    codeTime += now() - start;
    printing.AsmVerbose = wasVerbose;
    append(assembly, linkedAssembly({code.data(), code.size()}, recorder_));
  }
  recorder_.addStage("LLVM IR, optimised", "llvm", optimised);
  recorder_.addPass("code generation", "", codeTime, false, nullptr);
  const bool isPtx = target.assemblyFile().ends_with(".ptx");
  if (isPtx || target.machine().getTargetTriple().isX86())
    countRegisters(assembly.text, recorder_);
  recorder_.addStage(isPtx ? "PTX" : "assembly", isPtx ? "ptx" : "asm", assembly);
  recordCosts(assembly.text, target.machine(), recorder_);
}

} // namespace kiln::explorer
