#include "runtime/program/LocatedKernel.h"
#include "base/support/SourceLine.h"
#include "runtime/program/SourceFile.h"
#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>

namespace kiln {
namespace {

/// Options of the front end: lines, or, with the second one, variables as well.
constexpr const char *Descriptive[] = {"-g", "-cl-opt-disable"};

/// The modules, with lines, and for the debugged form variables, where there is source.
Result<std::vector<wire::Bytes>> described(const std::vector<ModuleOrigin> &origins, LocatedKernel::Form form) {
  std::vector<wire::Bytes> modules;
  for (const ModuleOrigin &origin : origins) {
    if (!origin.source) {
      modules.push_back(*origin.spirv);
      continue;
    }
    protocol::CompileRequest request = *origin.source;
    const size_t count = form == LocatedKernel::Form::Debugged ? 2 : 1;
    for (const char *option : std::span(Descriptive, count))
      if (std::ranges::find(request.options, option) == request.options.end())
        request.options.emplace_back(option);
    const auto isNamed = [](const std::string &option) { return option.starts_with(sourceFileOption("")); };
    if (form == LocatedKernel::Form::Debugged && std::ranges::none_of(request.options, isNamed))
      if (const std::string path = sourceFile(request.source); !path.empty())
        request.options.push_back(sourceFileOption(path));
    SourceResult unit = Compiler::get().compile(request);
    if (!unit.ok)
      return fail(CL_BUILD_PROGRAM_FAILURE, unit.log);
    modules.push_back(std::move(unit.spirv));
  }
  return modules; // kilnc links them: SPIRV-Tools 2023.1 confuses the files of lines
}

bool fits(const KernelInfo &located, const KernelInfo &normal) {
  return located.argumentBytes == normal.argumentBytes && located.plan.prints == normal.plan.prints &&
         located.plan.enqueues == normal.plan.enqueues &&
         located.plan.staticLocalBytes == normal.plan.staticLocalBytes &&
         std::ranges::equal(located.args, normal.args, [](const ArgInfo &a, const ArgInfo &b) {
           return a.kind == b.kind && a.offset == b.offset && a.size == b.size;
         });
}

std::string textOf(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

Result<std::unique_ptr<LocatedKernel>> LocatedKernel::build(Device &device, protocol::BuildRequest request,
                                                            const std::vector<ModuleOrigin> &origins,
                                                            const Normal &normal, Form form) {
  std::unique_ptr<LocatedKernel> located(new LocatedKernel);
  if (!origins.empty())
    request.modules = KILN_TRY(described(origins, form));
  located->origins_ = origins;
  request.scalar = true;
  request.located = form == Form::Located;
  if (form == Form::Debugged)
    request.flags.debug = request.flags.unoptimised = true;
  request.specialisations = {{.kernel = normal.kernel.name}};
  located->built_ = Compiler::get().build(std::move(request));
  const CodeResult &built = located->built_;
  if (!built.ok || !built.code)
    return fail(CL_BUILD_PROGRAM_FAILURE, built.log);
  const auto found = std::ranges::find(built.info.kernels, normal.kernel.name, &KernelInfo::name);
  if (found == built.info.kernels.end() || !fits(*found, normal.kernel) ||
      built.info.variables != normal.program.variables)
    return fail(CL_INVALID_PROGRAM_EXECUTABLE,
                "arguments, local memory or program variables differ, must be those of the normal form");
  located->info_ = *found;
  std::string log; // the build log has the driver's messages for the normal form
  located->code_ = KILN_TRY(Compiler::get().load(device, built, log));
  located->function_ = KILN_TRY(located->code_.code->function(located->info_));
  return located;
}

std::string LocatedKernel::sourceLine(const std::string &file, size_t line) const {
  const protocol::CompileRequest *only = nullptr; // of the modules that are made from source
  for (const ModuleOrigin &origin : origins_)
    if (origin.source) {
      for (const protocol::Header &header : origin.source->headers)
        if (header.name == file)
          return kiln::sourceLine(header.text, line);
      if (only && only->source != origin.source->source && file == protocol::SourceName)
        return {}; // all sources have this name
      only = origin.source.get();
    }
  if (file == protocol::SourceName)
    return only ? kiln::sourceLine(only->source, line) : std::string();
  return kiln::sourceLine(textOf(file), line);
}

} // namespace kiln
