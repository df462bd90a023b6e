// kilnc: the compiler as a program, for people, and as the server behind libkiln.
#include "backends/kilnc/compiler/Compile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "runtime/compiler/Zygote.h"

using namespace kiln;

namespace {
namespace cl = llvm::cl;
cl::OptionCategory category("kilnc");
cl::opt<std::string> inputPath(cl::Positional, cl::desc("<kernel.cl | module.spv | ocl.mlir>"), cl::Required, cl::cat(category));
cl::opt<std::string> outputPath("o", cl::desc("output file"), cl::init("-"), cl::cat(category));
cl::opt<std::string> target("target", cl::desc("cpu (this machine), cpu:NAME, nvptx:sm_90, amdgpu:gfx942"), cl::init("cpu"), cl::cat(category));
cl::opt<Stage> stage("emit", cl::desc("how far to go"), cl::init(Stage::Shared), cl::cat(category),
                     cl::values(clEnumValN(Stage::Ocl, "ocl", "the ocl dialect behind the common passes"),
                                clEnumValN(Stage::Wg, "wg", "the wg dialect"),
                                clEnumValN(Stage::Llvm, "llvm", "optimised LLVM IR"),
                                clEnumValN(Stage::Assembly, "asm", "assembly"), clEnumValN(Stage::Object, "obj", "an object file"),
                                clEnumValN(Stage::Shared, "so", "what libkiln loads: a shared object, PTX or a code object")));
cl::opt<std::string> pipeline("pipeline", cl::desc("pass pipeline instead of the usual one"), cl::cat(category));
cl::list<std::string> plugins("load-pass-plugin", cl::desc("load passes from a shared object"), cl::cat(category));
cl::opt<std::string> kernel("kernel", cl::desc("the kernel to specialise, with --local-size or --known"), cl::cat(category));
cl::list<uint64_t> localSize("local-size", cl::CommaSeparated, cl::desc("x,y,z: a variant for this local size"), cl::cat(category));
cl::list<std::string> knownArguments("known", cl::CommaSeparated, cl::desc("index=number: a variant for images of this format, or this sampler, as that argument"), cl::cat(category));
cl::opt<std::string> options("options", cl::desc("math options, as in clBuildProgram"), cl::cat(category));
cl::opt<std::string> dumpFolder("dump", cl::desc("write every stage below this folder"), cl::cat(category));
cl::opt<uint64_t> width("width", cl::desc("work-items that the CPU's vectors are made for; 0: as its registers hold"), cl::cat(category));
cl::opt<bool> checkAssumptions("check-assumptions", cl::desc("vector code compares what it derives from an assumption with what each work-item computes"), cl::cat(category));
cl::opt<bool> report("report", cl::desc("say what each kernel needs and what became vectors, on standard error"), cl::cat(category));

cl::opt<bool> times("times", cl::desc("say where the time went, on standard error"), cl::cat(category));
cl::opt<bool> inInstructions("instructions", cl::desc("with --times: in instructions, whatever else the machine does"), cl::cat(category));

int complain(const llvm::Twine &sentence) {
  llvm::errs() << "kilnc: " << sentence << "\n";
  return 1;
}

// Kiln's front end lies beside this program.
bool compileSource(const char *self, std::string &path, llvm::FileRemover &remover) {
  std::string own = llvm::sys::fs::getMainExecutable(self, reinterpret_cast<void *>(&complain));
  llvm::StringRef folder = llvm::StringRef(own).rsplit('/').first;
  auto frontEnd = llvm::sys::findProgramByName("kiln-clc", {folder, (folder + "/../../dialects/frontend").str()});
  if (!frontEnd)
    return complain("kiln-clc is not beside kilnc"), false;
  llvm::SmallString<128> spirv;
  if (llvm::sys::fs::createTemporaryFile("kiln", "spv", spirv))
    return complain("no temporary file can be made"), false;
  remover.setFile(spirv);
  llvm::SmallVector<llvm::StringRef> words{*frontEnd, path, "-o", spirv};
  if (report)
    words.push_back("-g"); // it names lines
  if (llvm::sys::ExecuteAndWait(*frontEnd, words) != 0)
    return false;
  path = spirv.str().str();
  return true;
}

void printReport(const ProgramInfo &info) {
  for (const KernelInfo &kernel : info.kernels) {
    const KernelPlan &plan = kernel.plan;
    llvm::errs() << kernel.name << ": " << kernel.args.size() << " arguments in " << kernel.argumentBytes
                 << " bytes, local memory " << plan.staticLocalBytes << " bytes, private " << plan.privateBytes
                 << " bytes an item, at most " << plan.maxWorkGroupSize << " items a group, best a multiple of "
                 << plan.preferredMultiple << (plan.hasBarrier ? ", barriers" : "")
                 << (plan.dependsOnLocalSize ? "" : ", groups of any size")
                 << (plan.traits & TraitAtomicOrder ? ", atomics whose order may show" : "")
                 << (plan.traits & TraitHostAtomics ? ", atomics that the host may take part in" : "")
                 << (plan.traits & TraitClock ? ", a clock" : "")
                 << (plan.traits & TraitFollowsPointers ? ", pointers found in memory" : "") << "\n";
  }
}

void printTimes(const Phases &phases, const char *unit) {
  for (auto [name, count] : {std::pair("import", phases.import), {"passes", phases.passes}, {"code", phases.code}})
    llvm::errs() << "time: " << name << llvm::format(" %.3f ", double(count) / 1e6) << unit << "\n";
}

wire::Bytes serveRequest(wire::Bytes bytes) {
  CompileInput input;
  protocol::BuildReply reply;
  if (wire::unpack(bytes, input.request))
    reply = compile(input);
  else
    reply.log = "error: kilnc did not understand the request\n";
  reply.libraries = zygote::libraries();
  return wire::pack(reply);
}
} // namespace

int main(int argc, char **argv) {
  if (auto serving = zygote::invocation(argc, argv))
    return zygote::serve(*serving, serveRequest, {prepare, rehearse});
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Kiln's compiler: SPIR-V, OpenCL C or the ocl dialect to code\n");

  std::string path = inputPath;
  llvm::FileRemover temporary;
  if (llvm::StringRef(path).ends_with(".cl") && !compileSource(argv[0], path, temporary))
    return 1;
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!file)
    return complain(path + ": " + file.getError().message());
  CompileInput input;
  input.stage = stage, input.report = report;
  input.request.target = target, input.request.options = options;
  input.request.pipeline = pipeline, input.request.dumpFolder = dumpFolder;
  input.request.width = width, input.request.checkAssumptions = checkAssumptions;
  input.request.plugins.assign(plugins.begin(), plugins.end());
  if (!localSize.empty() || !knownArguments.empty()) {
    protocol::Specialisation variant{kernel};
    for (size_t index = 0; index < 3 && !localSize.empty(); ++index)
      variant.localSize[index] = index < localSize.size() ? localSize[index] : 1;
    for (llvm::StringRef text : knownArguments) {
      auto [index, value] = text.split('=');
      protocol::KnownArgument &known = variant.known.emplace_back();
      if (index.getAsInteger(0, known.index) || value.getAsInteger(0, known.value))
        return complain("--known takes index=number, not " + text);
    }
    input.request.specialisations.push_back(variant);
  }
  llvm::StringRef content = (*file)->getBuffer();
  if (llvm::StringRef(path).ends_with(".mlir"))
    input.oclText = content.str();
  else
    input.request.modules.emplace_back(content.begin(), content.end());

  // lld resets every option of the process while it links.
  std::string output = outputPath;
  bool wantsReport = report, wantsTimes = times;
  Phases phases;
  const char *unit = "ms";
  if (inInstructions) {
    if (std::string error; !countInstructions(error))
      return complain(error);
    phases.clock = instructions, unit = "million instructions";
  }
  protocol::BuildReply reply = compile(input, &phases);
  llvm::errs() << reply.log;
  if (!reply.ok)
    return 1;
  if (wantsTimes)
    printTimes(phases, unit);
  if (wantsReport)
    printReport(reply.info);
  std::error_code error;
  llvm::ToolOutputFile result(output, error, llvm::sys::fs::OF_None);
  if (error)
    return complain(output + ": " + error.message());
  result.os().write(reinterpret_cast<const char *>(reply.code.data()), reply.code.size());
  result.keep();
  return 0;
}
