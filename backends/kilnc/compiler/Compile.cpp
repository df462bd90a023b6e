#include "backends/kilnc/compiler/Compile.h"
#include "backends/kilnc/compiler/BuildOptions.h"
#include "backends/kilnc/compiler/Context.h"
#include "backends/kilnc/compiler/DebugScopes.h"
#include "backends/kilnc/compiler/DebugVariables.h"
#include "backends/kilnc/compiler/Dump.h"
#include "backends/kilnc/compiler/ExtractInfo.h"
#include "backends/kilnc/compiler/KernelHash.h"
#include "backends/kilnc/compiler/LinkSpirv.h"
#include "backends/kilnc/compiler/Specialise.h"
#include "backends/kilnc/compiler/Targets.h"
#include "backends/kilnc/compiler/TransformSchedule.h"
#include "backends/kilnc/explorer/Explorer.h"
#include "backends/llvm/Emit.h"
#include "backends/llvm/SeparateKernels.h"
#include "base/protocol/BuildLog.h"
#include "base/protocol/ScheduleText.h"
#include "dialects/import/Import.h"
#include "dialects/import/Link.h"
#include "dialects/ocl/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"
#include "passes/PluginVersion.h"
#include "passes/analysis/Barriers.h"
#include "passes/analysis/RunTraits.h"
#include "passes/analysis/Size.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr uint64_t MaxMachineWidth = 16; // 32-bit elements of an AVX-512 register

// Programs with fewer instructions are compiled whole: a second request costs as much as it may save.
constexpr unsigned MinInstructionsToDefer = 2000;
// Programs with more operations start in the quick form: the second limit is for processes that have compiled little.
// The full form of the kernels of SHOC, Rodinia and AMD's samples with up to 2,500 operations takes 60 to 500 ms of a
// processor, 2 to 4 times what the quick form takes, and runs 2 to 14 times as fast.
constexpr unsigned MaxOperationsOfSmallProgram = 128, MaxOperationsOfMediumProgram = 2500;
// Above this size of a straight line, LLVM's code generation takes more than linear time in its length.
constexpr unsigned MaxOperationsOfStraightLine = 4000;

/// Returns an option in the text of a pipeline that passes do not have because they read this fact from the module;
/// empty if there is none.
llvm::StringRef factOption(llvm::StringRef text) {
  static constexpr llvm::StringLiteral options[] = {
      "local-size",     "mask-element-bits", "permute-table-size", "has-reduce-instruction",
      "sub-group-size", "partial-barriers",  "textures",           "suffix"};
  for (llvm::StringLiteral option : options)
    if (text.contains(option.str() + "=") || text.contains('"' + option.str() + '"'))
      return option;
  return {};
}

class Compilation {
public:
  Compilation(const CompileInput &input, Phases &phases)
      : input_(input), phases_(phases), request_(input.request), context_(compilerContext()), dump_(request_),
        diagnostics_(&context_, [this](Diagnostic &diagnostic) { return note(diagnostic); }) {
    if (request_.explore)
      explorer_.emplace(request_);
  }

  protocol::BuildReply run() {
    reply_.ok = succeeded(perform());
    if (!reply_.ok && log_.empty())
      log_.append("error: the compiler failed without a message\n");
    reply_.log = log_.text();
    if (explorer_)
      reply_.explored = explorer_->json(reply_.log), reply_.exploredFiles = explorer_->files();
    return std::move(reply_);
  }

private:
  LogicalResult perform() {
    switch (request_.task) {
    case protocol::Task::Inspect:
      return failed(load()) ? failure() : inspect();
    case protocol::Task::Build:
      return failed(load()) ? failure() : generate();
    case protocol::Task::Generate:
      return generateDeferred();
    case protocol::Task::Link:
      return join();
    case protocol::Task::Assemble:
      return assemble();
    }
    return fail("unknown task in the request");
  }

  LogicalResult note(Diagnostic &diagnostic) {
    if (explorer_ && explorer_->addRemark(diagnostic) && !input_.report)
      return success();
    static constexpr const char *words[] = {"note", "warning", "error", "remark"};
    std::string line;
    llvm::raw_string_ostream log(line);
    // Of inlined code, its own line and not the call's.
    if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      log << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn() << ": ";
    log << words[static_cast<int>(diagnostic.getSeverity())] << ": " << diagnostic << "\n";
    log_.append(log.str());
    for (Diagnostic &inner : diagnostic.getNotes())
      (void)note(inner);
    return success();
  }
  // Receives LLVM's diagnostics. Without a handler, LLVM ends the process on errors.
  void note(const llvm::DiagnosticInfo &info) {
    if (info.getSeverity() != llvm::DS_Error)
      return;
    hasLlvmError_ = true;
    std::string line;
    llvm::raw_string_ostream log(line);
    llvm::DiagnosticPrinterRawOStream printer(log);
    log << "error: ";
    info.print(printer);
    log << "\n";
    log_.append(log.str());
  }
  void setDiagnosticHandler(llvm::LLVMContext &context) {
    context.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo *info, void *self) { static_cast<Compilation *>(self)->note(*info); }, this);
  }
  LogicalResult fail(const Twine &sentence) {
    log_.append(("error: " + sentence + "\n").str());
    return failure();
  }

  LogicalResult failIf(const std::string &error) { return error.empty() ? success() : fail(error); }

  // ---- input --------------------------------------------------------------------------------------------------------

  // Adds the clock's count during its lifetime to `total`.
  class Watch {
  public:
    Watch(const Phases &phases, uint64_t &total) : clock_(phases.clock), total_(total), start_(clock_()) {}
    ~Watch() { total_ += clock_() - start_; }

  private:
    uint64_t (*const clock_)();
    uint64_t &total_;
    const uint64_t start_;
  };

  LogicalResult load() {
    Watch watch(phases_, phases_.import);
    if (!input_.oclText.empty()) {
      module_ = parseSourceString<ModuleOp>(input_.oclText, ParserConfig(&context_));
      return success(bool(module_));
    }
    import::Options options;
    options.functions = request_.flags.debug || explorer_;
    options.variables = keepsVariables();
    for (const protocol::SpecConstant &constant : request_.specConstants)
      options.specConstants.push_back({constant.id, constant.value});
    SmallVector<OwningOpRef<ModuleOp>> parts;
    for (const wire::Bytes &bytes : request_.modules) {
      dump_.write("0.spv", bytes);
      std::vector<import::SpecConstantDecl> constants;
      options.specConstantDecls = &constants;
      parts.push_back(import::importSpirv(bytes, context_, options));
      if (!parts.back())
        return failure();
      if (explorer_)
        explorer_->addModule(bytes);
      for (auto [id, size] : constants)
        reply_.info.specConstants.push_back({id, size});
    }
    if (parts.empty())
      return fail("the request has no module");
    module_ = import::linkModules(parts, {.allowUnresolved = request_.task == protocol::Task::Inspect});
    return success(bool(module_));
  }

  LogicalResult inspect() {
    for (auto kernel : module_->getOps<func::FuncOp>())
      if (kernel->hasAttr(ocl::KernelAttr) && !kernel->hasAttr(ocl::BlockAttr))
        reply_.info.kernels.push_back(extractKernelInfo(kernel));
    return success();
  }

  // Validates each module before linking.
  LogicalResult join() {
    for (const wire::Bytes &bytes : request_.modules) {
      std::vector<import::SpecConstantDecl> constants;
      if (failed(import::inspect(bytes, context_, constants)))
        return failure();
    }
    std::string log;
    reply_.code = linkSpirv(request_.modules, request_.library, log);
    log_.append(log);
    return success(!reply_.code.empty());
  }

  LogicalResult createTargetForOneModule() {
    std::string error;
    target_ = createTarget(request_.target, error);
    if (!target_)
      return fail(error);
    if (request_.modules.size() != 1)
      return fail("the request has " + Twine(request_.modules.size()) + " modules, must be 1");
    return success();
  }

  // Runs the driver's own assembler, which is in a library. It may crash or never end: this process is the build's.
  LogicalResult assemble() {
    if (failed(createTargetForOneModule()))
      return failure();
    const wire::Bytes &code = request_.modules.front();
    Assembly assembly = target_->assemble({.library = request_.assembler.path,
                                           .major = request_.assembler.major,
                                           .minor = request_.assembler.minor,
                                           .code = {reinterpret_cast<const char *>(code.data()), code.size()},
                                           .forLargestGroups = request_.forLargestGroups});
    log_.append(assembly.messages);
    reply_.hasAssembler = assembly.hasAssembler;
    reply_.code = std::move(assembly.machineCode);
    return failIf(assembly.error);
  }

  // ---- stages -------------------------------------------------------------------------------------------------------

  LogicalResult generate() {
    std::string error;
    target_ = createTarget(request_.target, error);
    if (!target_)
      return fail(error);
    for (const std::string &path : request_.plugins) {
      if (const std::string mismatch = pluginMismatch(path); !mismatch.empty())
        return fail("pass plug-in: " + mismatch);
      auto plugin = PassPlugin::load(path);
      if (!plugin)
        return fail("pass plug-in: " + llvm::toString(plugin.takeError()));
      plugin->registerPassRegistryCallbacks();
    }
    if (request_.hashKernels)
      hashKernels();
    module_->getOperation()->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(),
                                     StringAttr::get(&context_, target_->machine().getTargetTriple().str()));
    module_->getOperation()->setAttr(
        LLVM::LLVMDialect::getDataLayoutAttrName(),
        StringAttr::get(&context_, target_->machine().createDataLayout().getStringRepresentation()));
    applyOptions(*module_, request_);
    if (failed(describeTarget()) || failed(failIf(recordKnownArguments(*module_, request_))) ||
        failed(failIf(setSubGroupSizes(*module_, request_.subGroupSize, target_->subGroupSizes()))))
      return failure();
    dump_.write("1.ocl.mlir", text());
    addStage("ocl, imported");
    if (input_.stage == Stage::Pipeline)
      return returnPipeline();
    if (!request_.pipeline.empty())
      return withPipeline();
    if (failed(pass([&](OpPassManager &passes) { target_->addCommonPasses(passes, reports()); })))
      return failure();
    if (input_.stage == Stage::Ocl)
      return returnText();
    addStage("ocl");
    if (startsQuick())
      makeQuick();
    Barriers barriers(*module_);
    for (auto kernel : module_->getOps<func::FuncOp>())
      if (kernel->hasAttr(ocl::KernelAttr)) {
        KernelInfo info = kernelInfo(kernel);
        info.plan.hasBarrier = barriers.contains(kernel);
        info.plan.traits = runTraits(*module_, kernel);
        reply_.info.kernels.push_back(std::move(info));
      }
    if (target_->hasWorkGroupStage()) {
      if (failed(pass([&](OpPassManager &passes) { target_->addWorkGroupPasses(passes, reports()); })))
        return failure();
      dump_.write("2.wg.mlir", text());
      addStage("wg");
    }
    if (input_.stage == Stage::Wg)
      return target_->hasWorkGroupStage() ? returnText()
                                          : fail("--emit=wg: target " + request_.target + " has no wg stage");
    return request_.specialisations.empty() ? lower() : specialise();
  }

  // A small program is compiled fast in any form, and -cl-opt-disable has no vectors.
  bool startsQuick() {
    return request_.quickForm && target_->hasWorkGroupStage() && !request_.flags.unoptimised &&
           hasMoreOperations(module_->getBodyRegion(),
                             request_.quickIfLarge ? MaxOperationsOfMediumProgram : MaxOperationsOfSmallProgram);
  }
  // Vectors of straight lines are one body, without loops, masks and a fallback: they cost little in the quick form as
  // well.
  void makeQuick() {
    reply_.isQuick = true;
    quickFormIsScalar_ = !isStraightLine();
    if (quickFormIsScalar_)
      ocl::setTarget(*module_, target_->describe(context_).withMachineWidth(1));
  }
  bool isStraightLine() {
    if (hasMoreOperations(module_->getBodyRegion(), MaxOperationsOfStraightLine))
      return false;
    return llvm::all_of(module_->getOps<func::FuncOp>(), [](func::FuncOp function) {
      return function.isExternal() ||
             (function.getBody().hasOneBlock() && llvm::all_of(function.getBody().front(), [](Operation &op) {
                return op.getNumRegions() == 0 && !isa<func::CallOp>(op);
              }));
    });
  }

  void hashKernels() {
    for (auto kernel : module_->getOps<func::FuncOp>())
      if (kernel->hasAttr(ocl::KernelAttr))
        hashes_[extractKernelInfo(kernel).name] = kernelHash(*module_, kernel);
  }

  KernelInfo kernelInfo(func::FuncOp kernel) {
    KernelInfo info = extractKernelInfo(kernel);
    info.hash = hashes_.lookup(info.name);
    return info;
  }

  // Sets the module's target and local size, which passes read. With -cl-opt-disable there are no vectors, so that a
  // debugger can step through one work-item.
  LogicalResult describeTarget() {
    if (request_.machineWidth > MaxMachineWidth ||
        (request_.machineWidth && !llvm::isPowerOf2_64(request_.machineWidth)))
      return fail("machine width is " + std::to_string(request_.machineWidth) + ", must be 1, 2, 4, 8 or 16");
    ocl::TargetAttr target = target_->describe(context_);
    if (request_.machineWidth && !target.isCpu())
      return fail("machine width is " + std::to_string(request_.machineWidth) + ", must be 0 for target " +
                  request_.target);
    if (target.isCpu() && request_.flags.unoptimised)
      target = target.withMachineWidth(1);
    else if (request_.machineWidth)
      target = target.withMachineWidth(unsigned(request_.machineWidth));
    ocl::setTarget(*module_, target);
    (*module_)->removeAttr(ocl::LocalSizeAttr);
    if (request_.specialisations.empty() || !request_.specialisations.front().localSize[0])
      return success();
    const auto &fixed = request_.specialisations.front().localSize;
    const SmallVector<int64_t> size(fixed.begin(), fixed.end());
    (*module_)->setAttr(ocl::LocalSizeAttr, DenseI64ArrayAttr::get(&context_, size));
    return success();
  }

  // The default passes of this compilation as text. It is the same for all local sizes.
  LogicalResult returnPipeline() {
    OpPassManager passes(ModuleOp::getOperationName());
    target_->addCommonPasses(passes, {});
    if (target_->hasWorkGroupStage())
      target_->addWorkGroupPasses(passes, {});
    target_->addLoweringPasses(passes, {});
    std::string all;
    llvm::raw_string_ostream stream(all);
    passes.printAsTextualPipeline(stream, /*pretty=*/true);
    return returnBytes(all + "\n");
  }

  // A custom pipeline or a transform-dialect schedule replaces all of Kiln's passes, from the importer's output to the
  // LLVM dialect.
  LogicalResult withPipeline() {
    if (!request_.specialisations.empty() && failed(failIf(keepSpecialised(*module_, request_))))
      return failure();
    Barriers barriers(*module_);
    for (auto kernel : module_->getOps<func::FuncOp>())
      if (kernel->hasAttr(ocl::KernelAttr)) {
        reply_.info.kernels.push_back(kernelInfo(kernel));
        reply_.info.kernels.back().plan.hasBarrier = barriers.contains(kernel);
      }
    registerAllPasses(); // only custom pipelines refer to passes by name
    registerKilnPasses();
    registerPipelines();
    const std::string &text = request_.pipeline;
    if (failed(protocol::isTransform(text) ? transform(text) : runPipeline(text))) {
      if (const llvm::StringRef option = factOption(text); !option.empty())
        log_.append(("note: " + option +
                     " is no option of Kiln's passes, which read the target and the local size from " +
                     "the module; leave it out\n")
                        .str());
      return failure();
    }
    return finish();
  }

  LogicalResult transform(const std::string &schedule) {
    Watch watch(phases_, phases_.passes);
    const std::string file = request_.pipelineFile.empty() ? "schedule" : request_.pipelineFile;
    if (!explorer_)
      return applyTransformSchedule(*module_, schedule, file);
    explorer::ScheduleWatch watchSchedule = explorer_->watchSchedule(*module_);
    if (failed(applyTransformSchedule(*module_, schedule, file)))
      return failure();
    watchSchedule.finish();
    return success();
  }

  LogicalResult runPipeline(const std::string &text) {
    std::string error;
    llvm::raw_string_ostream stream(error);
    FailureOr<OpPassManager> parsed = parsePassPipeline(text, stream);
    if (failed(parsed))
      return fail("pass pipeline '" + text + "': " + error);
    if (parsed->getOpAnchorName() != ModuleOp::getOperationName())
      return fail("pass pipeline is '" + text + "', must be builtin.module(...)");
    PassManager passes(&context_);
    static_cast<OpPassManager &>(passes) = std::move(*parsed);
    if (explorer_)
      explorer_->watch(passes);
    Watch watch(phases_, phases_.passes);
    return passes.run(*module_);
  }

  // Compiles one kernel for one local size. The stages shared with other specialisations are run again for each.
  LogicalResult specialise() {
    if (failed(failIf(keepSpecialised(*module_, request_))))
      return failure();
    const protocol::Specialisation &wanted = request_.specialisations.front();
    llvm::erase_if(reply_.info.kernels, [&](const KernelInfo &info) { return info.name != wanted.kernel; });
    return lower();
  }

  PassReports reports() const {
    return {.remarks = input_.report || explorer_,
            .checkAssumptions = request_.checkAssumptions,
            .checkMemory = request_.checkMemory,
            .checkBarriers = request_.checkBarriers,
            .checkRaces = request_.checkRaces,
            .checkInit = request_.checkInit,
            .notesAccesses = request_.located};
  }

  LogicalResult lower() {
    if (failed(pass([&](OpPassManager &passes) { target_->addLoweringPasses(passes, reports()); })))
      return failure();
    return finish();
  }

  // Compiles the LLVM dialect to code.
  LogicalResult finish() {
    Watch watch(phases_, phases_.code);
    if (request_.strict)
      dropFastMath(*module_);
    for (auto function : module_->getOps<LLVM::LLVMFuncOp>())
      if (auto name = function->getAttrOfType<StringAttr>(ocl::KernelAttr))
        for (KernelInfo &info : reply_.info.kernels)
          if (info.name == name.getValue()) {
            info.entry = function.getName().str();
            info.checkSites = extractCheckSites(function);
            RecordedPlan values(function);
            target_->completePlan(info, values);
            if (quickFormIsScalar_) // the answer to a query depends on no switch: what most full forms prefer
              info.plan.preferredMultiple *= 2;
            if (failed(values.result()))
              return failure();
            limitToRequiredSize(info);
          }
    for (const KernelInfo &info : reply_.info.kernels)
      if (info.entry.empty())
        return fail(module_->lookupSymbol<func::FuncOp>(info.name)
                        ? "the pass pipeline does not lower kernel '" + info.name +
                              "' to the LLVM dialect; --emit=pipeline prints a pipeline that does"
                        : "the pass pipeline removed kernel '" + info.name + "'");
    if (failed(rejectAssembly()))
      return failure();
    reply_.info.variables = extractVariables(*module_);
    reply_.info.printf = extractPrintfTables(*module_);
    // The runtime allocates global variables. A custom pipeline may have left them in the module.
    for (auto global : module_->getOps<LLVM::GlobalOp>())
      if (!global.getConstant() && global.getAddrSpace() != ocl::Local)
        return fail("the pass pipeline left variable '" + global.getSymName() +
                    "' in the module; it must run ocl-lay-out-program-variables");
    if (request_.flags.debug || explorer_)
      describeLines();
    addStage("LLVM dialect");
    llvm::LLVMContext llvmContext;
    setDiagnosticHandler(llvmContext);
    std::unique_ptr<llvm::Module> module = translateToLlvm(*module_, llvmContext);
    if (!module)
      return failure();
    describeCalled(*module);
    std::string error;
    CodeOptions options = codeOptions(request_.flags);
    if (!target_->prepare(*module, options, error))
      return fail(error);
    if (explorer_) {
      explorer_->addKernels(reply_.info.kernels);
      explorer_->addCode(*module, *target_, entryCode(), options);
    }
    if (input_.stage != Stage::Shared || dump_.wanted())
      if (failed(show(*module, options)) || input_.stage != Stage::Shared)
        return success(!reply_.code.empty() && !hasLlvmError_);
    if (mayDefer(*module)) {
      module = defer(*module);
      if (entryCode().empty())
        return success(!hasLlvmError_);
    }
    reply_.code = target_->finish(*module, entryCode(), options, error);
    return reply_.code.empty() ? fail(error) : success(!hasLlvmError_);
  }

  // Most programs launch few of their kernels. Those that only other kernels or the runtime launch are not deferred. On
  // GPUs, a kernel that accesses images is first launched in the variant for their formats (DeviceKernel).
  bool mayDefer(const llvm::Module &module) {
    if (!request_.deferKernels || request_.flags.debug || explorer_ || dump_.wanted())
      return false;
    unsigned kernels = 0, instructions = 0;
    bool hasImages = false;
    for (const KernelInfo &info : reply_.info.kernels)
      if (info.role == KernelRole::Kernel) {
        ++kernels;
        instructions += instructionsOf(reachedFrom(*module.getFunction(info.entry)));
        hasImages |= llvm::any_of(info.args, [](const ArgInfo &argument) { return argument.kind == ArgKind::Image; });
      }
    return (kernels > 1 && instructions >= MinInstructionsToDefer) || (hasImages && !target_->hasWorkGroupStage());
  }

  // Puts the kernels into the reply as LLVM IR. Returns a module with the rest.
  std::unique_ptr<llvm::Module> defer(const llvm::Module &module) {
    for (const KernelInfo &info : reply_.info.kernels)
      if (info.role == KernelRole::Kernel) {
        wire::Bytes ir = toBitcode(*separate(module, {info.entry}));
        reply_.deferred.push_back({info.name, info.entry, effort(info.entry), Sha256::of(ir.data(), ir.size())});
        reply_.deferredIr.push_back(std::move(ir));
      }
    SmallVector<llvm::StringRef> rest;
    for (const KernelInfo &info : reply_.info.kernels)
      if (info.role != KernelRole::Kernel)
        rest.push_back(info.entry);
    return separate(module, rest);
  }

  LogicalResult generateDeferred() {
    Watch watch(phases_, phases_.code);
    if (failed(createTargetForOneModule()))
      return failure();
    llvm::LLVMContext llvmContext;
    setDiagnosticHandler(llvmContext);
    std::string error;
    auto module = fromBitcode(request_.modules.front(), llvmContext, error);
    if (!module)
      return fail(error);
    const protocol::DeferredKernel &kernel = request_.deferred;
    if (const llvm::Function *entry = module->getFunction(kernel.entry); !entry || entry->isDeclaration())
      return fail("the module has no function " + kernel.entry);
    reply_.code = target_->finish(*module, EntryCode{kernel.entry, kernel.effort}, codeOptions(request_.flags), error);
    return reply_.code.empty() ? fail(error) : success(!hasLlvmError_);
  }

  LogicalResult rejectAssembly() {
    if (target_->hasAssembly())
      return success();
    WalkResult found = module_->walk([](LLVM::InlineAsmOp) { return WalkResult::interrupt(); });
    return found.wasInterrupted() ? fail("asm statement: target " + request_.target + " does not support assembly")
                                  : success();
  }

  static bool hasConvergentCall(const llvm::Function &function) {
    return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      return call && call->isConvergent();
    });
  }

  // Describes the functions that passes have not inlined. A prefix for the names of a program's functions: LLVM would
  // treat its `memcpy` or `malloc` as the C library's. On GPUs also `noinline`: LLVM's threshold is 11 times that of
  // the CPU there, and a module of 18,000 operations became one of 657,000 lines.
  void describeCalled(llvm::Module &module) {
    for (auto function : module_->getOps<LLVM::LLVMFuncOp>())
      if (ocl::staysFunction(function))
        if (llvm::Function *made = module.getFunction(function.getName())) {
          if (function->hasAttr(ocl::CalledAttr))
            made->setName("called." + function.getName());
          if (target_->hasWorkGroupStage())
            continue;
          made->addFnAttr(llvm::Attribute::NoInline);
          if (hasConvergentCall(*made)) // LLVM infers only that a function is not convergent
            made->setConvergent();
        }
  }

  void describeLines() {
    LLVM::DIEmissionKind kind = LLVM::DIEmissionKind::LineTablesOnly;
    if (target_->machine().getTargetTriple().isNVPTX())
      kind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    else if (keepsVariables())
      kind = LLVM::DIEmissionKind::Full;
    DebugScopes scopes(*module_, kind, /*isOptimised=*/!request_.flags.unoptimised);
    if (keepsVariables())
      describeVariables(*module_, scopes);
  }

  // Variables are described on the CPU only, where gdb can debug, and only in unoptimised code.
  bool keepsVariables() {
    return request_.flags.debug && request_.flags.unoptimised && llvm::StringRef(request_.target).starts_with("cpu");
  }

  // Writes the stages after LLVM IR to the dump, or returns them for --emit.
  LogicalResult show(const llvm::Module &module, const CodeOptions &options) {
    dump_.write("3.ll", print(module));
    auto copy = llvm::CloneModule(module);
    target_->optimise(*copy, effort({}), options);
    dump_.write("4.optimised.ll", print(*copy));
    if (input_.stage == Stage::Llvm)
      return returnBytes(print(*copy));
    if (input_.stage == Stage::Object && !target_->hasObjects())
      return fail("--emit=obj: target " + request_.target + " has no object files; use --emit=asm");
    if (input_.stage == Stage::Object)
      return returnBytes(emit(*copy, *target_, llvm::CodeGenFileType::ObjectFile));
    auto assembly = emit(*copy, *target_, llvm::CodeGenFileType::AssemblyFile);
    dump_.write(target_->assemblyFile(), llvm::StringRef(assembly.data(), assembly.size()));
    return input_.stage == Stage::Assembly ? returnBytes(assembly) : success();
  }

  std::vector<EntryCode> entryCode() {
    std::vector<EntryCode> entries;
    for (const KernelInfo &info : reply_.info.kernels)
      if (llvm::none_of(reply_.deferred, [&](const auto &deferred) { return deferred.name == info.name; }))
        entries.push_back({info.entry, effort(info.entry)});
    return entries;
  }

  // The generic variant of a CPU kernel that benefits from a fixed local size runs only until its specialised variant
  // is compiled. That of a GPU is nearly as fast, and compiled for all kernels at once.
  Effort effort(llvm::StringRef entry) {
    if (request_.flags.unoptimised || request_.located)
      return Effort::None;
    if (reply_.isQuick)
      return Effort::Quick;
    if (target_->hasWorkGroupStage() && request_.specialisations.empty())
      for (const KernelInfo &info : reply_.info.kernels)
        if (info.entry == entry && info.plan.prefersFixedLocalSize)
          return Effort::Quick;
    return Effort::Full;
  }

  // ---- output -------------------------------------------------------------------------------------------------------

  // Kiln's own passes are verified after the last of a stage, not after each, which takes a third of their time.
  template <typename Fill> LogicalResult pass(Fill fill) {
    Watch watch(phases_, phases_.passes);
    PassManager passes(&context_);
    passes.enableVerifier(dump_.wanted());
    if (llvm::TimePassesIsEnabled)
      passes.enableTiming();
    if (dump_.wanted())
      passes.enableCrashReproducerGeneration(dump_.path("reproducer.mlir"));
    if (explorer_)
      explorer_->watch(passes);
    fill(passes);
    return failure(failed(passes.run(*module_)) || (!dump_.wanted() && failed(verify(*module_))));
  }

  static std::string print(const llvm::Module &module) {
    std::string ir;
    llvm::raw_string_ostream stream(ir);
    module.print(stream, nullptr);
    return ir;
  }
  void addStage(llvm::StringRef name) {
    if (explorer_)
      explorer_->addStage(name, *module_);
  }
  std::string text() {
    std::string result;
    if (dump_.wanted() || input_.stage != Stage::Shared) {
      llvm::raw_string_ostream stream(result);
      module_->print(stream);
    }
    return result;
  }
  LogicalResult returnText() { return returnBytes(text()); }
  template <typename Range> LogicalResult returnBytes(const Range &bytes) {
    reply_.code.assign(bytes.begin(), bytes.end());
    return success();
  }

  const CompileInput &input_;
  Phases &phases_;
  const protocol::BuildRequest &request_;
  MLIRContext &context_;
  protocol::BuildReply reply_;
  protocol::BuildLog log_; // becomes the reply's
  Dump dump_;
  std::optional<explorer::Explorer> explorer_; // of a request to explore
  ScopedDiagnosticHandler diagnostics_;
  OwningOpRef<ModuleOp> module_;
  std::unique_ptr<Target> target_;
  llvm::StringMap<std::string> hashes_; // by the kernel's name; empty unless the request has hashKernels
  bool quickFormIsScalar_ = false;
  bool hasLlvmError_ = false; // LLVM reported an error
};
} // namespace

protocol::BuildReply compile(const CompileInput &input, Phases *phases) {
  Phases ignored;
  return Compilation(input, phases ? *phases : ignored).run();
}

} // namespace kiln
