// kilnc: the compiler, as a command and as libkiln's server.
#include "backends/kilnc/compiler/Clock.h"
#include "backends/kilnc/compiler/Compile.h"
#include "backends/kilnc/compiler/WarmUp.h"
#include "base/explorer/Page.h"
#include "base/protocol/BuildOptions.h"
#include "base/protocol/CacheEntry.h"
#include "base/protocol/ScheduleText.h"
#include "base/protocol/Zygote.h"
#include "passes/Explain.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace kiln;

namespace {
namespace cl = llvm::cl;
cl::OptionCategory category("kilnc");
cl::opt<std::string> inputPath(cl::Positional, cl::desc("<kernel.cl | module.spv | ocl.mlir>"), cl::cat(category));
cl::opt<std::string> requestPath("request", cl::desc("repeat a request of libkiln: request.bin of a kept crash"),
                                 cl::cat(category));
cl::opt<bool>
    requestPasses("request-passes",
                  cl::desc("with --request: use its pass pipeline and plug-ins, which are code that runs with "
                           "your rights"),
                  cl::cat(category));
cl::opt<std::string> assemblerPath("assembler",
                                   cl::desc("the library of NVIDIA's assembler, for a request that needs it; the file "
                                            "of the request names none"),
                                   cl::init("libnvidia-ptxjitcompiler.so.1"), cl::cat(category));
cl::opt<std::string> outputPath("o", cl::desc("output file"), cl::init("-"), cl::cat(category));
cl::opt<std::string> target("target", cl::desc("cpu (this machine), cpu:NAME, nvptx:sm_90, amdgpu:gfx942"),
                            cl::init("cpu"), cl::cat(category));
cl::opt<Stage> stage(
    "emit", cl::desc("output"), cl::init(Stage::Shared), cl::cat(category),
    cl::values(clEnumValN(Stage::Pipeline, "pipeline", "the default passes, as --pipeline takes them"),
               clEnumValN(Stage::Ocl, "ocl", "the ocl dialect after the common passes"),
               clEnumValN(Stage::Wg, "wg", "the wg dialect"), clEnumValN(Stage::Llvm, "llvm", "optimised LLVM IR"),
               clEnumValN(Stage::Assembly, "asm", "assembly"), clEnumValN(Stage::Object, "obj", "an object file"),
               clEnumValN(Stage::Shared, "so", "the file that libkiln loads: a shared object, PTX or a code object")));
cl::opt<std::string>
    pipeline("pipeline",
             cl::desc("passes that replace all of Kiln's, as builtin.module(kiln-common,kiln-group,kiln-cpu)"),
             cl::cat(category));
cl::opt<std::string> schedulePath("schedule",
                                  cl::desc("file with a schedule as in KILN_SCHEDULES: passes, or a module of the "
                                           "transform dialect with @__transform_main, that replace all of Kiln's"),
                                  cl::cat(category));
cl::list<std::string> plugins("load-pass-plugin", cl::desc("load passes from a shared object"), cl::cat(category));
cl::opt<std::string> kernel("kernel", cl::desc("kernel to specialise, with --local-size or --constant-args"),
                            cl::cat(category));
cl::list<uint64_t> localSize("local-size", cl::CommaSeparated, cl::desc("x,y,z: compile a variant for this local size"),
                             cl::cat(category));
cl::list<std::string>
    constantArguments("constant-args", cl::CommaSeparated,
                      cl::desc("index=value: compile a variant for this image format or sampler in argument `index`"),
                      cl::cat(category));
cl::opt<std::string> options("options", cl::desc("options of clBuildProgram that apply to SPIR-V, as -cl-mad-enable"),
                             cl::cat(category));
cl::opt<std::string> dumpFolder("dump", cl::desc("write all stages to a folder below this one"), cl::cat(category));
cl::opt<std::string> explorePath("explore",
                                 cl::desc("write a page with all stages to this file; --target may be a list, and "
                                          "without it and without passes the page has the cpu, nvptx:sm_90 and "
                                          "amdgpu:gfx942"),
                                 cl::cat(category));
cl::opt<std::string> comparedPage("compare",
                                  cl::desc("with --explore: also put the variants of this page into the new one, which "
                                           "starts with the comparison; the input may then be a page as well"),
                                  cl::cat(category));
cl::opt<uint64_t> machineWidth("machine-width",
                               cl::desc("machine width of the CPU in 32-bit elements: 1 (no vectors), 2, 4, 8 or 16; 0 "
                                        "means that of the processor. The vector width may be a multiple of it"),
                               cl::cat(category));
cl::opt<bool> quickForm("quick-form",
                        cl::desc("compile a large program for the CPU in its quick form, which it starts with"),
                        cl::cat(category));
cl::opt<bool> checkAssumptions("check-assumptions",
                               cl::desc("vector code checks its assumptions against the values of each work-item"),
                               cl::cat(category));
cl::opt<bool> checkMemory("check-memory", cl::desc("kernels check each access, as with KILN_CHECK=memory"),
                          cl::cat(category));
cl::opt<bool> checkBarriers("check-barriers",
                            cl::desc("kernels check that all work-items of a group reach each barrier"),
                            cl::cat(category));
cl::opt<bool> checkRaces("check-races",
                         cl::desc("kernels for the CPU track their accesses, to find races, as with KILN_CHECK=races"),
                         cl::cat(category));
cl::opt<bool> checkInit("check-init",
                        cl::desc("kernels for the CPU track their accesses, to find reads of memory that was never "
                                 "written, as with KILN_CHECK=init"),
                        cl::cat(category));
cl::list<std::string>
    explained("explain", cl::CommaSeparated,
              cl::desc("print why these passes decide as they do, to standard error: ocl-to-wg, wg-vectorize"),
              cl::cat(category));
cl::opt<bool> report("report",
                     cl::desc("print each kernel's resources and which regions were vectorized, to standard error"),
                     cl::cat(category));

cl::opt<bool> times("times", cl::desc("print the time of each phase, to standard error"), cl::cat(category));
cl::opt<bool> printInstructionCounts(
    "count-instructions",
    cl::desc("with --times: count instructions instead of time, which does not depend on the machine's load"),
    cl::cat(category));

int printError(const llvm::Twine &sentence) {
  llvm::errs() << "kilnc: " << sentence << "\n";
  return 1;
}

// Runs the front end, which is in the folder of this program, and sets `path` to its output.
bool compileSource(const char *self, std::string &path, llvm::FileRemover &remover) {
  std::string own = llvm::sys::fs::getMainExecutable(self, reinterpret_cast<void *>(&printError));
  llvm::StringRef folder = llvm::StringRef(own).rsplit('/').first;
  auto frontEnd = llvm::sys::findProgramByName("kiln-clc", {folder, (folder + "/../../dialects/frontend").str()});
  if (!frontEnd)
    return printError("kiln-clc is not in kilnc's folder"), false;
  llvm::SmallString<128> spirv;
  if (llvm::sys::fs::createTemporaryFile("kiln", "spv", spirv))
    return printError("cannot create a temporary file"), false;
  remover.setFile(spirv);
  llvm::SmallVector<llvm::StringRef> words{*frontEnd, path, "-o", spirv};
  if (report || !explained.empty() || !explorePath.empty())
    words.push_back("-g"); // for line numbers
  if (llvm::sys::ExecuteAndWait(*frontEnd, words) != 0)
    return false;
  path = spirv.str().str();
  return true;
}

bool readSchedule(protocol::BuildRequest &request) {
  if (!pipeline.empty())
    return printError("--pipeline and --schedule cannot be given together"), false;
  auto file = llvm::MemoryBuffer::getFile(schedulePath);
  if (!file)
    return printError("--schedule is " + schedulePath + ": " + file.getError().message()), false;
  request.pipeline = protocol::scheduleText((*file)->getBuffer()), request.pipelineFile = schedulePath;
  if (request.pipeline.empty())
    return printError("--schedule is " + schedulePath + ", which has no passes"), false;
  return true;
}

/// Reads the files that the variants name: the source, and headers in its folder or below. No others, because a line
/// directive of the source can name any file.
std::vector<explorer::File> readSources(llvm::StringRef source, const std::vector<std::string> &names) {
  std::vector<explorer::File> files;
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::real_path(
          llvm::sys::path::parent_path(source).empty() ? "." : llvm::sys::path::parent_path(source), folder))
    return files;
  for (const std::string &name : names) {
    llvm::SmallString<128> path;
    if (llvm::sys::fs::real_path(name, path) || !llvm::StringRef(path).starts_with((folder + "/").str()) ||
        !llvm::sys::fs::is_regular_file(path)) // before it is opened: reading a device may never end
      continue;
    if (auto file = llvm::MemoryBuffer::getFile(path))
      files.push_back({name, (*file)->getBuffer().str()});
  }
  return files;
}

/// Reads the data of a page that --explore or KILN_EXPLORE wrote. Prints an error and returns an empty string if the
/// file is none.
std::string readPage(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return printError(path + ": " + file.getError().message()), std::string();
  std::string data(explorer::dataOf(std::string_view((*file)->getBuffer())));
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(data);
  const llvm::json::Object *program = value ? value->getAsObject() : nullptr;
  if (!value)
    llvm::consumeError(value.takeError());
  if (program && program->getArray("files") && program->getArray("variants"))
    return data;
  return printError(path + " is not a page of --explore or KILN_EXPLORE"), std::string();
}

/// Writes a page, with the variants of --compare. `path` is that of --explore. Returns the exit status.
int writePage(const std::string &path, const std::string &comparedPath, const std::string &data) {
  const std::string compared = comparedPath.empty() ? std::string() : readPage(comparedPath);
  if (compared.empty() != comparedPath.empty())
    return 1;
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error) {
    file << explorer::page(data, std::string_view(llvm::sys::path::stem(comparedPath)), compared);
    file.close();
    error = file.error();
    file.clear_error(); // it is reported here
  }
  return error ? printError(path + ": " + error.message()) : 0;
}

/// Makes one page of two: `kilnc --explore=both.html --compare=old.html new.html`.
int joinPages() {
  if (explorePath.empty() || comparedPage.empty())
    return printError("a page as the input needs --explore and --compare");
  const std::string data = readPage(inputPath);
  return data.empty() ? 1 : writePage(explorePath, comparedPage, data);
}

/// The targets of --explore without --target. Passes that replace Kiln's are those of one target.
llvm::StringRef targetsOf(llvm::StringRef passes) {
  if (passes.empty())
    return "cpu,nvptx:sm_90,amdgpu:gfx942";
  const llvm::StringRef only = passes.contains("kiln-nvptx")    ? "nvptx:sm_90"
                               : passes.contains("kiln-amdgpu") ? "amdgpu:gfx942"
                                                                : "cpu";
  llvm::errs() << "kilnc: the page has the target " << only
               << " alone, because the passes given are those of one; --target names another\n";
  return only;
}

/// Writes the page of --explore: the input's generic variant for each target, and its specialised variant if there is
/// one.
int explore(CompileInput input, const std::string &title, bool isSource) {
  const std::string path = explorePath, compared = comparedPage; // copies, because lld resets the options
  const std::string list = target.getNumOccurrences() ? target.getValue() : targetsOf(input.request.pipeline).str();
  llvm::SmallVector<llvm::StringRef> targets;
  llvm::StringRef(list).split(targets, ',');
  const std::vector<protocol::Specialisation> specialisations = std::move(input.request.specialisations);
  std::vector<std::string> described, names;
  bool allOk = true;
  input.request.explore = true;
  auto add = [&] {
    protocol::BuildReply reply = compile(input);
    described.push_back(std::move(reply.explored));
    for (const std::string &name : reply.exploredFiles)
      if (!llvm::is_contained(names, name))
        names.push_back(name);
    if (reply.ok)
      return;
    allOk = false;
    llvm::errs() << input.request.target << ": " << reply.log;
  };
  for (llvm::StringRef name : targets) {
    input.request.target = name.str();
    input.request.specialisations.clear();
    add();
    input.request.specialisations = specialisations;
    if (!specialisations.empty())
      add();
  }
  const std::vector<explorer::File> files = isSource ? readSources(title, names) : std::vector<explorer::File>();
  const int status = writePage(path, compared, explorer::describe(title, files, described, {}, {}));
  return allOk ? status : 1;
}

void printReport(const ProgramInfo &info) {
  for (const KernelInfo &kernel : info.kernels) {
    const KernelPlan &plan = kernel.plan;
    llvm::errs() << kernel.name << ": " << kernel.args.size() << " arguments in " << kernel.argumentBytes
                 << " bytes, local memory " << plan.staticLocalBytes << " bytes, private " << plan.privateBytes
                 << " bytes per work-item, local size at most " << plan.maxWorkGroupSize << ", preferred multiple "
                 << plan.preferredMultiple << (plan.hasBarrier ? ", barriers" : "")
                 << (plan.dependsOnLocalSize ? "" : ", independent of the local size")
                 << (plan.traits & TraitAtomicOrder ? ", results of atomics may depend on their order" : "")
                 << (plan.traits & TraitHostAtomics ? ", atomics shared with the host" : "")
                 << (plan.traits & TraitClock ? ", reads a clock" : "")
                 << (plan.traits & TraitFollowsPointers ? ", loads pointers from memory" : "")
                 << (plan.prefersFixedLocalSize ? ", gains from a fixed local size" : "")
                 << (plan.prefersTiles ? ", prefers tiles" : "");
    if (plan.rowDimension)
      llvm::errs() << ", prefers rows along dimension " << plan.rowDimension;
    if (plan.itemBytes || plan.threadBytes)
      llvm::errs() << ", keeps " << plan.itemBytes << " bytes per work-item and " << plan.threadBytes << " per thread";
    llvm::errs() << "\n";
  }
}

void printTimes(const Phases &phases, const char *unit) {
  for (auto [name, count] : {std::pair("import", phases.import), {"passes", phases.passes}, {"code", phases.code}})
    llvm::errs() << "time: " << name << llvm::format(" %.3f ", double(count) / 1e6) << unit << "\n";
}

// Old names of options, which this release still accepts.
constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> RenamedOptions[] = {
    {"--width", "--machine-width"},
    {"--vector-width", "--machine-width"},
    {"--known", "--constant-args"},
    {"--instructions", "--count-instructions"}};

/// Returns the arguments with current option names, and warns of old ones.
std::vector<std::string> withCurrentNames(llvm::ArrayRef<const char *> arguments) {
  std::vector<std::string> current;
  for (llvm::StringRef argument : arguments) {
    auto [name, value] = argument.split('=');
    for (auto [oldName, newName] : RenamedOptions)
      if (name == oldName) {
        llvm::errs() << "kilnc: " << oldName << " is called " << newName
                     << " now; the next release does not know the old name\n";
        name = newName;
      }
    current.push_back(value.empty() ? name.str() : (name + "=" + value).str());
  }
  return current;
}

wire::Bytes serveRequest(const wire::Bytes &bytes) {
  CompileInput input;
  protocol::BuildReply reply;
  if (wire::unpack(bytes, input.request))
    reply = compile(input);
  else
    reply.log = "error: malformed request to kilnc\n";
  reply.libraries = zygote::libraries();
  reply.processorNanoseconds = processorTime(); // a server's child serves one request
  return wire::pack(reply);
}

/// Stores the code of a build in the cache, as libkiln would have done.
void keepReply(const wire::Bytes &place, const wire::Bytes &bytes) {
  cache_entry::Place entry;
  protocol::BuildReply reply;
  if (wire::unpack(place, entry) && wire::unpack(bytes, reply) && reply.ok && !reply.code.empty())
    (void)cache_entry::write(entry,
                             wire::pack(cache_entry::Code{.log = std::move(reply.log),
                                                          .info = std::move(reply.info),
                                                          .spirv = {},
                                                          .libraries = std::move(reply.libraries),
                                                          .nanoseconds = reply.processorNanoseconds}),
                             reply.code);
}

/// Compiles the request of --request, without the zygote. The file may come from elsewhere: it names no folder for a
/// dump, and no code unless --request-passes is given. A pipeline is code as well, because MLIR has passes that write
/// files and run programs.
int repeatRequest() {
  auto refuse = [](const llvm::Twine &sentence) { return printError(sentence), protocol::NotRepeated; };
  auto file = llvm::MemoryBuffer::getFile(requestPath, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return refuse(requestPath + ": " + file.getError().message());
  llvm::StringRef content = (*file)->getBuffer();
  CompileInput input;
  protocol::BuildRequest &request = input.request;
  if (!wire::unpack(wire::Bytes(content.bytes_begin(), content.bytes_end()), request))
    return refuse(requestPath + " is not a request of this build of Kiln");
  if (!requestPasses && !request.pipeline.empty())
    return refuse("the request names passes, which are code: " + request.pipeline +
                  "; --request-passes uses them (kiln-replay --passes)");
  if (!requestPasses && !request.plugins.empty())
    llvm::errs()
        << "kilnc: the request's plug-ins are not loaded; --request-passes loads them (kiln-replay --passes)\n";
  if (!requestPasses)
    request.plugins.clear();
  request.dumpFolder = dumpFolder;
  request.assembler = {assemblerPath}; // whatever the file says: the library's code runs in this process
  protocol::BuildReply reply = compile(input);
  llvm::errs() << reply.log;
  return reply.ok ? 0 : 1;
}
} // namespace

int main(int argc, char **argv) {
  if (auto serving = zygote::invocation(argc, argv))
    return zygote::serve(*serving, serveRequest, {prepare, warmUpBuild}, keepReply);
  cl::HideUnrelatedOptions(category);
  const std::vector<std::string> arguments = withCurrentNames({argv, size_t(argc)});
  llvm::SmallVector<const char *> words;
  for (const std::string &argument : arguments)
    words.push_back(argument.c_str());
  cl::ParseCommandLineOptions(int(words.size()), words.data(),
                              "Kiln's compiler: SPIR-V, OpenCL C or the ocl dialect to code\n");

  if (inputPath.empty() == requestPath.empty())
    return printError("exactly one input file or --request must be given; see kilnc --help");
  if (!requestPath.empty())
    return repeatRequest();
  if (llvm::StringRef(inputPath).ends_with(".html"))
    return joinPages();
  if (explorePath.empty() && !comparedPage.empty())
    return printError("--compare needs --explore");
  std::string path = inputPath;
  llvm::FileRemover temporary;
  if (llvm::StringRef(path).ends_with(".cl") && !compileSource(argv[0], path, temporary))
    return 1;
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!file)
    return printError(path + ": " + file.getError().message());
  Result<BuildOptions> parsed = parseBuildOptions(options, BuildStep::Build);
  if (!parsed.ok())
    return printError("--options: " + llvm::StringRef(parsed.message()));
  CompileInput input;
  input.stage = stage, input.report = report;
  input.request.target = target, input.request.flags = parsed->flags;
  input.request.pipeline = pipeline, input.request.dumpFolder = dumpFolder;
  if (std::error_code error; !dumpFolder.empty() && (error = llvm::sys::fs::create_directories(dumpFolder)))
    return printError("--dump is " + dumpFolder + ": " + error.message());
  if (!schedulePath.empty() && !readSchedule(input.request))
    return 1;
  for (const std::string &pass : explained)
    explainPass(pass);
  input.request.machineWidth = machineWidth, input.request.checkAssumptions = checkAssumptions;
  input.request.checkMemory = checkMemory, input.request.checkBarriers = checkBarriers;
  input.request.checkRaces = checkRaces, input.request.checkInit = checkInit;
  input.request.quickForm = quickForm;
  input.request.plugins.assign(plugins.begin(), plugins.end());
  if (!localSize.empty() || !constantArguments.empty()) {
    if (kernel.empty())
      return printError("--local-size and --constant-args need --kernel=NAME");
    protocol::Specialisation variant{kernel};
    for (size_t index = 0; index < 3 && !localSize.empty(); ++index)
      variant.localSize[index] = index < localSize.size() ? localSize[index] : 1;
    for (llvm::StringRef text : constantArguments) {
      auto [index, value] = text.split('=');
      protocol::KnownArgument &known = variant.known.emplace_back();
      if (index.getAsInteger(0, known.index) || value.getAsInteger(0, known.value))
        return printError("--constant-args is '" + text + "', must be index=number");
    }
    input.request.specialisations.push_back(variant);
  }
  llvm::StringRef content = (*file)->getBuffer();
  if (llvm::StringRef(path).ends_with(".mlir"))
    input.oclText = content.str();
  else
    input.request.modules.emplace_back(content.begin(), content.end());

  if (!explorePath.empty())
    return explore(std::move(input), std::string(inputPath), llvm::StringRef(inputPath).ends_with(".cl"));

  // Copies options before compilation, because lld resets all options of the process.
  std::string output = outputPath;
  bool wantsReport = report, wantsTimes = times;
  const bool isBinary =
      stage == Stage::Object || (stage == Stage::Shared && !llvm::StringRef(target).starts_with("nvptx"));
  const bool toTerminal = output == "-" && isBinary && llvm::outs().is_displayed();
  if (toTerminal && !wantsReport && !wantsTimes && explained.empty())
    return printError("the output is machine code: -o FILE writes it, and --emit=asm prints assembly");
  Phases phases;
  const char *unit = "ms";
  if (printInstructionCounts) {
    if (std::string error; !countInstructions(error))
      return printError(error);
    phases.clock = instructions, unit = "million instructions";
  }
  protocol::BuildReply reply = compile(input, &phases);
  llvm::reportAndResetTimings(); // of --time-passes, an option of LLVM
  llvm::errs() << reply.log;
  if (!reply.ok)
    return 1;
  if (wantsTimes)
    printTimes(phases, unit);
  if (wantsReport)
    printReport(reply.info);
  if (toTerminal)
    return 0; // what was asked for is printed
  std::error_code error;
  llvm::ToolOutputFile result(output, error, llvm::sys::fs::OF_None);
  if (error)
    return printError(output + ": " + error.message());
  result.os().write(reinterpret_cast<const char *>(reply.code.data()), reply.code.size());
  result.keep();
  return 0;
}
