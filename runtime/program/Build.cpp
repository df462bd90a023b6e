// The three steps of a program: build, compile and link. Each is a Step, which fills in one device build; Program::run
// runs it and publishes the results.
#include "base/protocol/ExtensionWords.h"
#include "base/support/Checks.h"
#include "base/support/Lines.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Profile.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include "runtime/explore/ProgramPage.h"
#include "runtime/program/DebuggedLaunch.h"
#include "runtime/program/FaultReplay.h"
#include "runtime/program/ParallelBuild.h"
#include "runtime/program/SourceFile.h"
#include "runtime/program/SpecConstants.h"
#include <algorithm>

namespace kiln {
namespace {

std::vector<std::string> extensionNames(const DeviceInfo &info) {
  std::vector<std::string> names;
  for (const NamedVersion &extension : info.extensions)
    names.push_back(extension.name);
  for (const NamedVersion &feature : info.openclCFeatures)
    names.push_back(feature.name);
  if (info.images)
    names.push_back(protocol::ImageSupport);
  if (info.assembly)
    names.push_back(protocol::InlineAssembly);
  return names;
}

void append(std::string &log, std::string_view more) {
  if (!log.empty() && !more.empty() && log.back() != '\n')
    log += '\n';
  log += more;
}

/// Records the result of a successful step.
void finish(ProgramModule module, cl_program_binary_type type, BuildState &state) {
  module.binaryType = state.binaryType = type;
  state.module = std::make_shared<const ProgramModule>(std::move(module));
  state.status = CL_BUILD_SUCCESS;
}

BuildPreset presetOfProfile() {
  const Profile *chosen = profile();
  return chosen ? BuildPreset{chosen->options, chosen->ignoresStandard} : BuildPreset{};
}

/// Returns true if the device supports this language version. There is no list of versions for C++ for OpenCL.
bool supportsLanguage(const DeviceInfo &info, const BuildOptions &options) {
  const unsigned major = options.languageVersion / 100, minor = options.languageVersion / 10 % 10;
  return options.cPlusPlus || std::ranges::any_of(info.openclCVersions, [&](const NamedVersion &version) {
           return CL_VERSION_MAJOR(version.version) == major && CL_VERSION_MINOR(version.version) == minor;
         });
}

/// Returns true if code that could not be loaded may itself be the reason. The other codes are of buffers.
bool isFaultOfCode(cl_int code) { return code != CL_OUT_OF_HOST_MEMORY && code != CL_MEM_OBJECT_ALLOCATION_FAILURE; }

/// SPIR-V may have either byte order; converts it to the host's.
wire::Bytes inHostOrder(const wire::Bytes &il) {
  constexpr uint32_t Swapped = 0x03022307;
  uint32_t magic = 0;
  if (il.size() >= sizeof magic)
    std::memcpy(&magic, il.data(), sizeof magic);
  wire::Bytes words = il;
  if (magic == Swapped)
    for (size_t i = 0; i + 4 <= words.size(); i += 4)
      std::reverse(words.begin() + ptrdiff_t(i), words.begin() + ptrdiff_t(i) + 4);
  return words;
}

/// The names of a program's first kernels, and how many more it has.
std::string kernelsOf(const ProgramInfo &info) {
  std::string names;
  size_t named = 0, all = 0;
  for (const KernelInfo &kernel : info.kernels) {
    if (kernel.role != KernelRole::Kernel)
      continue;
    if (++all <= 5)
      names += (names.empty() ? "" : ", ") + kernel.name, ++named;
  }
  return all > named ? text(names, " and ", all - named, " more") : names;
}

/// One line for the log (KILN_LOG=info,compile).
void logBuild(const DeviceObject &device, const BuildState &state, uint64_t nanoseconds) {
  const char *what = state.status != CL_BUILD_SUCCESS ? "a build failed"
                     : state.wasCompiled              ? "built"
                                                      : "built from the cache";
  KILN_LOG(Info, Compile, what, " for ", device.info().name, " in ", nanoseconds / 1'000'000, ".",
           nanoseconds / 100'000 % 10, " ms", state.program ? ": " : "",
           state.program ? kernelsOf(state.program->info()) : "");
}

} // namespace

Result<std::vector<size_t>> Program::deviceIndices(const std::vector<DeviceObject *> &devices) const {
  std::vector<size_t> list;
  for (const DeviceObject *device : devices.empty() ? devices_ : devices) {
    int index = indexOf(*device);
    if (index < 0)
      return fail(CL_INVALID_DEVICE, "device ", device->info().name, " is not a device of the program");
    if (std::ranges::find(list, size_t(index)) == list.end())
      list.push_back(size_t(index));
  }
  return list;
}

constexpr const char *OutOfMemoryLog = "error: out of memory\n";

/// A step in progress. Its destructor ends it: if it fails for lack of memory before it has results, the device builds
/// report that.
class Program::BuildInProgress {
public:
  static Result<std::shared_ptr<BuildInProgress>> begin(Program &program, const std::vector<size_t> &deviceIndices,
                                                        const std::string &options) {
    auto buildInProgress = std::make_shared<BuildInProgress>(program, deviceIndices);
    Lock lock(program.mutex_);
    if (program.building_)
      return fail(CL_INVALID_OPERATION, "the program is being built");
    if (program.kernels_)
      return fail(CL_INVALID_OPERATION, program.kernels_, " kernels are attached to the program");
    auto started = std::make_shared<ProgramBuild>(*program.build_);
    for (size_t index : deviceIndices) {
      BuildState &state = (*started)[index] = program.initialState(index);
      state.status = CL_BUILD_IN_PROGRESS;
      state.options = options;
    }
    auto outOfMemory = std::make_shared<ProgramBuild>(*started);
    for (size_t index : deviceIndices) {
      (*outOfMemory)[index].status = CL_BUILD_ERROR;
      (*outOfMemory)[index].log = OutOfMemoryLog;
      (*outOfMemory)[index].resourceError = CL_OUT_OF_HOST_MEMORY;
    }
    buildInProgress->last_ = std::move(outOfMemory);
    program.build_ = std::move(started);
    program.building_ = buildInProgress->running_ = true;
    return buildInProgress;
  }
  BuildInProgress(Program &program, const std::vector<size_t> &deviceIndices)
      : deviceIndices(deviceIndices), program_(&program) {}
  BuildInProgress(const BuildInProgress &) = delete;
  BuildInProgress &operator=(const BuildInProgress &) = delete;
  ~BuildInProgress() { end(); }

  /// Publishes the results.
  void publish(ProgramBuild results) {
    last_ = std::make_shared<const ProgramBuild>(std::move(results));
    end();
  }
  /// Ends the step without results, as out of memory.
  void end() {
    std::shared_ptr<const ProgramBuild> before; // destroyed without the lock
    Lock lock(program_->mutex_);
    if (!std::exchange(running_, false))
      return;
    before = std::exchange(program_->build_, std::move(last_));
    program_->building_ = false;
    lock.unlock();
  }

  Program &program() const { return *program_; }

  const std::vector<size_t> deviceIndices;

private:
  const Ref<Program> program_;
  bool running_ = false;
  std::shared_ptr<const ProgramBuild> last_; // published at the end
};

Status Program::run(const std::vector<size_t> &deviceIndices, const std::string &options, cl_int failure, Step step,
                    Callback callback, void *userData) {
  std::shared_ptr<BuildInProgress> buildInProgress = KILN_TRY(BuildInProgress::begin(*this, deviceIndices, options));
  if (!callback)
    return runHere(*buildInProgress, options, failure, step);
  auto inBackground = [buildInProgress, options, failure, step = std::move(step), callback, userData] {
    Ref<Program> program(&buildInProgress->program()); // keeps the program alive
    try {
      Status status = program->runHere(*buildInProgress, options, failure, step);
      if (!status.ok())
        KILN_LOG(Info, Program, "a build in the background failed: ", status.message());
    } catch (const std::bad_alloc &) {
      buildInProgress->end(); // its states report the error
    }
    callback(program.get(), userData);
  };
  if (!buildThreads().runFunction(inBackground))
    inBackground(); // runs in the call; OpenCL does not require it to return early
  return {};
}

Status Program::runHere(BuildInProgress &buildInProgress, const std::string &options, cl_int failure,
                        const Step &step) {
  trace::Span span("program", "build");
  ProgramBuild results(*current());
  std::vector<ParallelBuild::DeviceBuild> work;
  for (size_t index : buildInProgress.deviceIndices) {
    ParallelBuild::DeviceBuild &build = work.emplace_back(ParallelBuild::DeviceBuild{devices_[index], {}});
    build.state.options = options; // results of earlier steps are dropped
  }
  work = ParallelBuild::all(std::move(work), [step](ParallelBuild &run, DeviceObject &device, BuildState &state) {
    const uint64_t begin = nowNanoseconds();
    step(run, device, state);
    logBuild(device, state, nowNanoseconds() - begin);
  });
  // A failed device has its own error; results of other devices are kept.
  Status result;
  for (size_t i = 0; i < buildInProgress.deviceIndices.size(); ++i) {
    BuildState &next = work[i].state;
    if (next.resourceError == CL_OUT_OF_HOST_MEMORY)
      append(next.log, OutOfMemoryLog);
    if (next.status != CL_BUILD_SUCCESS) {
      BuildState state = initialState(buildInProgress.deviceIndices[i]);
      state.status = CL_BUILD_ERROR;
      state.options = std::move(next.options);
      state.log = std::move(next.log);
      if (result.ok())
        result = fail(next.resourceError ? next.resourceError : failure, state.log.empty() ? "no log" : state.log);
      state.resourceError = next.resourceError;
      next = std::move(state);
    }
    results[buildInProgress.deviceIndices[i]] = std::move(next);
  }
  buildInProgress.publish(std::move(results));
  return result;
}

BuildState Program::initialState(size_t index) const {
  BuildState state;
  if (origin_ == Origin::Binary) {
    state.module = binaries_[index]; // still valid after a failed step
    state.binaryType = state.module->binaryType;
  }
  return state;
}

std::optional<ProgramModule> Program::makeModule(ParallelBuild &run, const DeviceObject &device,
                                                 const BuildOptions &options, const std::string &optionText,
                                                 const std::vector<protocol::Header> &headers,
                                                 BuildState &state) const {
  if (options.flags.correctlyRounded && !(device.info().singleFp & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)) {
    state.log = "-cl-fp32-correctly-rounded-divide-sqrt is not supported by the device";
    return {};
  }
  ProgramModule module;
  module.options = optionText;
  module.flags = options.flags;
  module.argumentInfo = options.kernelArgInfo;
  module.schedules = options.schedules;
  if (origin_ == Origin::IL) {
    module.spirv = inHostOrder(il_);
    Lock lock(mutex_);
    for (const auto &[id, value] : specConstants_)
      module.specConstants.push_back({id, value});
  } else if (!supportsLanguage(device.info(), options)) {
    state.log = text("error: OpenCL C ", options.languageVersion / 100, ".", options.languageVersion / 10 % 10,
                     " is not supported by device ", device.info().name, " (CL_DEVICE_OPENCL_C_ALL_VERSIONS)");
    return {};
  } else {
    std::vector<std::string> words = options.frontEnd;
    if ((explorePage_ || kiln::options().checkAssumptions || checks().any() || keepsLines()) &&
        std::ranges::find(words, "-g") == words.end())
      words.push_back("-g");           // for line numbers
    if (keepsLines() && !explorePage_) // the page has the source under its usual name
      if (const std::string path = sourceFile(source_); !path.empty())
        words.push_back(sourceFileOption(path));
    protocol::CompileRequest request{source_, words, headers, extensionNames(device.info()), options.workingFolder};
    SourceResult unit = run.compile(request);
    state.wasCompiled |= !unit.isCached;
    append(state.log, unit.log);
    if (explorePage_)
      explorePage_->addSource(source_, unit.included, headers);
    if (!unit.ok)
      return {};
    module.spirv = std::move(unit.spirv);
    if (faults::enabled(device) || debugger::enabled())
      module.origins.push_back({std::make_shared<const protocol::CompileRequest>(std::move(request)), nullptr});
    module.flags.uniformWorkGroupSize |= options.languageVersion < 200; // OpenCL C 1.x has no other groups
  }
  return module;
}

Result<std::shared_ptr<const DeviceProgram>> Program::loadCode(DeviceObject &device, CodeResult built,
                                                               protocol::BuildRequest request,
                                                               std::vector<ModuleOrigin> origins,
                                                               const std::string &schedules, std::string &log) const {
  append(log, built.log);
  if (!built.ok)
    return Status(CL_BUILD_PROGRAM_FAILURE, {}); // the log has the reason
  std::string driverLog;
  auto loaded = DeviceProgram::load(device, std::move(built), std::move(request), std::move(origins), releaseCallbacks_,
                                    explorePage_, schedules, driverLog);
  append(log, driverLog);
  return loaded;
}

void Program::makeExecutable(ParallelBuild &run, DeviceObject &device, ProgramModule module, BuildState &state) const {
  protocol::BuildRequest request;
  request.modules = {module.spirv};
  request.target = device.info().target;
  request.flags = module.flags;
  request.flags.debug |= keepsLines();
  request.specConstants = module.specConstants;
  request.deferKernels = module.code.empty(); // a binary has the code of all kernels
  request.quickForm = true;
  const std::string &schedules = module.schedules.empty() ? kiln::options().schedules : module.schedules;
  request.hashKernels = !schedules.empty();
  CodeResult built = run.build(request, module.code);
  if (explorePage_)
    explorePage_->addVariant(request.target, std::move(built.explored)); // not kept with the code: it may have 48 MiB
  module.code.clear();                                                   // DeviceProgram has it
  const CacheKey key = built.key;
  const bool isCached = built.isCached;
  state.wasCompiled |= !isCached;
  std::string log;
  auto loaded = loadCode(device, std::move(built), request, module.origins, schedules, log);
  if (!loaded.ok() && isCached && isFaultOfCode(loaded.code())) {
    KILN_LOG(Warn, Cache, "code ", hexadecimal(key), " is compiled again: ", loaded.message());
    Compiler::get().drop(key);
    log.clear();
    loaded = loadCode(device, Compiler::get().build(request), request, module.origins, schedules, log);
  }
  append(state.log, log);
  if (!loaded.ok()) {
    if (loaded.code() == CL_OUT_OF_RESOURCES || loaded.code() == CL_OUT_OF_HOST_MEMORY)
      state.resourceError = loaded.code();
    else if (loaded.code() == CL_MEM_OBJECT_ALLOCATION_FAILURE) // for program variables
      state.resourceError = CL_OUT_OF_RESOURCES;
    return append(state.log, loaded.message());
  }
  state.program = std::move(*loaded);
  finish(std::move(module), CL_PROGRAM_BINARY_TYPE_EXECUTABLE, state);
}

Result<BuildOptions> Program::parseOptions(const std::vector<size_t> &deviceIndices, const std::string &options,
                                           BuildStep step) {
  Result<BuildOptions> parsed = parseBuildOptions(options, step, presetOfProfile());
  if (parsed.ok())
    return parsed;
  Lock lock(mutex_);
  if (building_) // the call fails for another reason
    return parsed;
  auto changed = std::make_shared<ProgramBuild>(*build_);
  for (size_t index : deviceIndices)
    (*changed)[index].log = text("error: ", parsed.message(), "\n");
  build_ = std::move(changed);
  return parsed;
}

Status Program::build(const std::vector<DeviceObject *> &devices, const std::string &options, Callback callback,
                      void *userData) {
  std::vector<size_t> where = KILN_TRY(deviceIndices(devices));
  BuildOptions parsed = KILN_TRY(parseOptions(where, options, BuildStep::Build));
  if (origin_ == Origin::Link)
    return fail(CL_INVALID_OPERATION, "the program was created by clLinkProgram");
  if (origin_ == Origin::Binary) {
    for (size_t index : where)
      if (binaries_[index]->binaryType != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        return fail(CL_INVALID_OPERATION,
                    "the program's binary is a compiled object or a library, must be an executable");
    return run(
        where, options, CL_BUILD_PROGRAM_FAILURE,
        [this, options, parsed](ParallelBuild &run, DeviceObject &device, BuildState &state) {
          ProgramModule module = *binaries_[size_t(indexOf(device))];
          // Empty options mean those of the binary.
          if (options.empty()) {
            state.options = module.options;
          } else {
            const bool uniform = module.flags.uniformWorkGroupSize; // its language may have no other groups
            module.options = options;
            module.flags = parsed.flags;
            module.flags.uniformWorkGroupSize |= uniform;
            module.argumentInfo = parsed.kernelArgInfo;
            module.schedules = parsed.schedules;
          }
          makeExecutable(run, device, std::move(module), state);
        },
        callback, userData);
  }
  return run(
      where, options, CL_BUILD_PROGRAM_FAILURE,
      [this, options, parsed](ParallelBuild &run, DeviceObject &device, BuildState &state) {
        if (auto module = makeModule(run, device, parsed, options, {}, state))
          makeExecutable(run, device, std::move(*module), state);
      },
      callback, userData);
}

Status Program::compile(const std::vector<DeviceObject *> &devices, const std::string &options,
                        const std::vector<std::pair<std::string, Program *>> &headers, Callback callback,
                        void *userData) {
  std::vector<size_t> where = KILN_TRY(deviceIndices(devices));
  BuildOptions parsed = KILN_TRY(parseOptions(where, options, BuildStep::Compile));
  if (origin_ != Origin::Source && origin_ != Origin::IL)
    return fail(CL_INVALID_OPERATION, "the program has neither source nor IL");
  std::vector<protocol::Header> texts;
  for (const auto &[name, program] : headers) {
    if (program->origin_ != Origin::Source)
      return fail(CL_INVALID_OPERATION, "header ", name, " was not created from source");
    texts.push_back({name, program->source()});
  }
  return run(
      where, options, CL_COMPILE_PROGRAM_FAILURE,
      [this, options, parsed, texts](ParallelBuild &run, DeviceObject &device, BuildState &state) {
        if (auto module = makeModule(run, device, parsed, options, texts, state))
          finish(std::move(*module), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, state);
      },
      callback, userData);
}

namespace {

/// The inputs of a link for one device.
struct LinkInputs {
  std::vector<ProgramModule> modules;
};

/// The flags of the linked program: those that all inputs have, and the link's own unless a library was created without
/// -enable-link-options. Work-groups are uniform if one input requires it.
protocol::CodeFlags flagsOf(const LinkInputs &inputs, const protocol::CodeFlags &ofLink) {
  protocol::CodeFlags flags = inputs.modules.front().flags;
  bool uniform = false;
  for (const ProgramModule &input : inputs.modules) {
    flags = flags & input.flags;
    uniform |= input.flags.uniformWorkGroupSize;
  }
  flags.uniformWorkGroupSize = uniform;
  bool takesLinkOptions = std::ranges::all_of(inputs.modules, [](const ProgramModule &m) {
    return m.binaryType != CL_PROGRAM_BINARY_TYPE_LIBRARY || m.enableLinkOptions;
  });
  return takesLinkOptions ? flags | ofLink : flags;
}

} // namespace

Status Program::link(Context &context, const std::vector<DeviceObject *> &devices, const std::string &options,
                     const std::vector<Program *> &inputs, Callback callback, void *userData, Ref<Program> &linked) {
  BuildOptions parsed = KILN_TRY(parseBuildOptions(options, BuildStep::Link));
  if (inputs.empty())
    return fail(CL_INVALID_VALUE, "no programs to link");
  std::vector<DeviceObject *> targets;
  std::vector<LinkInputs> perDevice;
  for (DeviceObject *device : devices.empty() ? context.devices() : devices) {
    if (context.indexOf(device) < 0)
      return fail(CL_INVALID_DEVICE, "device ", device->info().name, " is not in the context");
    LinkInputs found;
    for (const Program *input : inputs) {
      std::shared_ptr<const ProgramBuild> build = input->current();
      int index = input->deviceBuildIndex(*build, *device);
      if (index < 0)
        continue;
      const BuildState &state = (*build)[size_t(index)];
      if (state.binaryType == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
          state.binaryType == CL_PROGRAM_BINARY_TYPE_LIBRARY)
        found.modules.push_back(*state.module);
    }
    if (found.modules.empty() && devices.empty())
      continue; // no input has a module for this device
    if (found.modules.size() != inputs.size())
      return fail(CL_INVALID_OPERATION, inputs.size() - found.modules.size(), " of ", inputs.size(),
                  " programs have no compiled object or library for device ", device->info().name);
    targets.push_back(device);
    perDevice.push_back(std::move(found));
  }
  if (targets.empty())
    return fail(CL_INVALID_OPERATION, "no program has a compiled object or library for any device");

  linked = Ref<Program>(new Program(context, Origin::Link, targets));
  std::vector<size_t> where(targets.size());
  for (size_t i = 0; i < where.size(); ++i)
    where[i] = i;
  return linked->run(
      where, options, CL_LINK_PROGRAM_FAILURE,
      [program = linked.get(), targets, perDevice = std::move(perDevice), options,
       parsed](ParallelBuild &run, DeviceObject &device, BuildState &state) {
        const LinkInputs &from = perDevice[size_t(std::ranges::find(targets, &device) - targets.begin())];
        ProgramModule module;
        module.options = options;
        module.flags = flagsOf(from, parsed.flags);
        module.enableLinkOptions = parsed.enableLinkOptions;
        module.argumentInfo = std::ranges::all_of(from.modules, &ProgramModule::argumentInfo);
        module.schedules = parsed.schedules;
        std::vector<wire::Bytes> modules;
        for (const ProgramModule &input : from.modules) {
          modules.push_back(withConstants(input.spirv, input.specConstants));
          if (!input.origins.empty())
            module.origins.insert(module.origins.end(), input.origins.begin(), input.origins.end());
          else if (faults::enabled(device))
            module.origins.push_back({nullptr, std::make_shared<const wire::Bytes>(modules.back())});
        }
        SourceResult joined = run.link(modules, parsed.createLibrary);
        append(state.log, joined.log);
        if (!joined.ok)
          return;
        module.spirv = std::move(joined.spirv);
        if (parsed.createLibrary)
          finish(std::move(module), CL_PROGRAM_BINARY_TYPE_LIBRARY, state);
        else
          program->makeExecutable(run, device, std::move(module), state);
      },
      callback, userData);
}

} // namespace kiln
