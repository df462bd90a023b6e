// The three steps that turn a program into something else: build, compile and link. Each is a Step, which fills in one
// device's row; Program::run says when and where steps run and makes their rows visible.
#include "runtime/program/BuildRun.h"
#include "runtime/support/Log.h"
#include "runtime/support/Options.h"
#include "runtime/support/Thread.h"
#include "runtime/support/Trace.h"
#include <algorithm>

namespace kiln {
namespace {

std::vector<std::string> extensionNames(const DeviceInfo &info) {
  std::vector<std::string> names;
  for (const NamedVersion &extension : info.extensions)
    names.push_back(extension.name);
  for (const NamedVersion &feature : info.openclCFeatures)
    names.push_back(feature.name);
  return names;
}

void append(std::string &log, std::string_view more) {
  if (!log.empty() && !more.empty() && log.back() != '\n')
    log += '\n';
  log += more;
}

bool hasWord(const std::string &words, const std::string &word) {
  std::vector<std::string> list = splitList(words, ' ');
  return std::ranges::find(list, word) != list.end();
}

/// Modules of either byte order are legal; compilers see the host's.
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

} // namespace

Result<std::vector<size_t>> Program::places(const std::vector<DeviceObject *> &devices) const {
  std::vector<size_t> list;
  for (const DeviceObject *device : devices.empty() ? devices_ : devices) {
    int index = indexOf(*device);
    if (index < 0)
      return fail(CL_INVALID_DEVICE, "device ", device->info().name, " has no part in the program");
    if (std::ranges::find(list, size_t(index)) == list.end())
      list.push_back(size_t(index));
  }
  return list;
}

Status Program::run(const std::vector<size_t> &places, const std::string &options, cl_int failure, Step step,
                    Callback callback, void *userData) {
  {
    Lock lock(mutex_);
    if (building_)
      return fail(CL_INVALID_OPERATION, "the program is being built");
    if (kernels_)
      return fail(CL_INVALID_OPERATION, kernels_, " kernels are attached to the program");
    auto rows = std::make_shared<ProgramBuild>(*build_), failed = std::make_shared<ProgramBuild>(*build_);
    for (size_t place : places) {
      (*rows)[place].status = CL_BUILD_IN_PROGRESS;
      const BuildState &before = (*build_)[place];
      (*failed)[place] = {.status = CL_BUILD_ERROR,
                          .binaryType = origin_ == Origin::Binary ? before.binaryType : CL_PROGRAM_BINARY_TYPE_NONE,
                          .options = options,
                          .log = {},
                          .module = before.module,
                          .program = nullptr,
                          .shortage = CL_OUT_OF_HOST_MEMORY};
    }
    build_ = std::move(rows);
    failed_ = std::move(failed);
    building_ = true;
  }
  if (!callback)
    return runHere(places, options, failure, step);
  try {
    auto inBackground = [self = Ref<Program>(this), places, options, failure, step, callback, userData] {
      Status status = self->runHere(places, options, failure, step);
      if (!status.ok())
        KILN_LOG(Info, Program, "a build in the background failed: ", status.message());
      callback(self.get(), userData);
    };
    if (!buildThreads().runFunction(inBackground))
      inBackground(); // which takes the caller's time, but OpenCL promises none
  } catch (const std::bad_alloc &) {
    publish(nullptr);
    throw;
  }
  return {};
}

void Program::publish(std::shared_ptr<const ProgramBuild> build) noexcept {
  Lock lock(mutex_);
  build_ = build ? std::move(build) : std::move(failed_);
  failed_ = nullptr;
  building_ = false;
}

Status Program::runHere(const std::vector<size_t> &places, const std::string &options, cl_int failure,
                        const Step &step) noexcept {
  try {
    return runOrThrow(places, options, failure, step);
  } catch (const std::bad_alloc &) {
    publish(nullptr);
    return fail(CL_OUT_OF_HOST_MEMORY, "there is no memory for the build");
  }
}

Status Program::runOrThrow(const std::vector<size_t> &places, const std::string &options, cl_int failure,
                           const Step &step) {
  trace::Span span("program", "build");
  ProgramBuild rows(*current());
  std::vector<BuildRun::Row> work;
  for (size_t place : places) {
    // What the step needs of the row is its module; nothing else of an earlier step survives.
    BuildRun::Row &row = work.emplace_back(BuildRun::Row{devices_[place], {}});
    row.state.module = rows[place].module;
    row.state.options = options;
  }
  work = BuildRun::all(std::move(work), step);
  // A device for which it fails has its own error; the others' results stand.
  Status result;
  for (size_t i = 0; i < places.size(); ++i) {
    BuildState &state = rows[places[i]], &next = work[i].state;
    if (next.shortage == CL_OUT_OF_HOST_MEMORY)
      append(next.log, "error: there is no memory for the build\n");
    if (next.status != CL_BUILD_SUCCESS) {
      next.status = CL_BUILD_ERROR;
      next.binaryType = CL_PROGRAM_BINARY_TYPE_NONE;
      next.program = nullptr;
      if (result.ok())
        result = fail(next.shortage ? next.shortage : failure, next.log.empty() ? "no log" : next.log);
      if (origin_ == Origin::Binary)
        next.binaryType = state.binaryType; // the binary itself is as good as before
    }
    state = std::move(next);
  }
  publish(std::make_shared<ProgramBuild>(std::move(rows)));
  return result;
}

bool Program::makeModule(BuildRun &run, const DeviceObject &device, const BuildOptions &options,
                         const std::string &optionText, const std::vector<protocol::Header> &headers,
                         BuildState &state) const {
  if (options.correctlyRounded && !(device.info().singleFp & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)) {
    state.log = "-cl-fp32-correctly-rounded-divide-sqrt: the device does not round so";
    return false;
  }
  ProgramModule module;
  module.options = optionText;
  module.math = options.math;
  module.argumentInfo = options.kernelArgInfo;
  if (origin_ == Origin::IL) {
    module.spirv = inHostOrder(il_);
    module.uniformWorkGroups = hasWord(options.math, "-cl-uniform-work-group-size");
    Lock lock(mutex_);
    for (const auto &[id, value] : specConstants_)
      module.specConstants.push_back({id, value});
  } else {
    SourceResult unit = run.compile({source_, options.frontEnd, headers, extensionNames(device.info())});
    append(state.log, unit.log);
    if (!unit.ok)
      return false;
    module.spirv = std::move(unit.spirv);
    module.uniformWorkGroups = options.uniformWorkGroupSize;
  }
  state.module = std::move(module);
  return true;
}

void Program::makeExecutable(BuildRun &run, DeviceObject &device, BuildState &state) {
  protocol::BuildRequest request;
  request.modules = {state.module.spirv};
  request.target = device.info().target;
  request.options = state.module.math;
  request.specConstants = state.module.specConstants;
  CodeResult built = run.build(request);
  append(state.log, built.log);
  if (!built.ok)
    return;
  std::string driverLog;
  auto loaded =
      DeviceProgram::load(device, std::move(built.info), std::move(built.code), std::move(request), driverLog);
  append(state.log, driverLog);
  if (!loaded.ok()) {
    if (loaded.code() == CL_OUT_OF_RESOURCES || loaded.code() == CL_OUT_OF_HOST_MEMORY)
      state.shortage = loaded.code();
    else if (loaded.code() == CL_MEM_OBJECT_ALLOCATION_FAILURE) // of its variables
      state.shortage = CL_OUT_OF_RESOURCES;
    return append(state.log, loaded.message());
  }
  state.program = std::move(*loaded);
  state.binaryType = state.module.binaryType = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  state.status = CL_BUILD_SUCCESS;
}

Status Program::build(const std::vector<DeviceObject *> &devices, const std::string &options, Callback callback,
                      void *userData) {
  std::vector<size_t> where = KILN_TRY(places(devices));
  BuildOptions parsed = KILN_TRY(parseBuildOptions(options, BuildStep::Build));
  if (origin_ == Origin::Link)
    return fail(CL_INVALID_OPERATION, "the program was made by linking");
  if (origin_ == Origin::Binary) {
    std::shared_ptr<const ProgramBuild> rows = current();
    for (size_t place : where)
      if ((*rows)[place].module.binaryType != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        return fail(CL_INVALID_OPERATION, "the program's binary is a compiled object or a library: it is to be linked");
    return run(
        where, options, CL_BUILD_PROGRAM_FAILURE,
        [options, parsed](BuildRun &run, DeviceObject &device, BuildState &state) {
          // Without options, those that the binary was built with.
          if (options.empty()) {
            state.options = state.module.options;
          } else {
            state.module.options = options;
            state.module.math = parsed.math;
            state.module.argumentInfo = parsed.kernelArgInfo;
          }
          makeExecutable(run, device, state);
        },
        callback, userData);
  }
  return run(
      where, options, CL_BUILD_PROGRAM_FAILURE,
      [this, options, parsed](BuildRun &run, DeviceObject &device, BuildState &state) {
        if (makeModule(run, device, parsed, options, {}, state))
          makeExecutable(run, device, state);
      },
      callback, userData);
}

Status Program::compile(const std::vector<DeviceObject *> &devices, const std::string &options,
                        const std::vector<std::pair<std::string, Program *>> &headers, Callback callback,
                        void *userData) {
  std::vector<size_t> where = KILN_TRY(places(devices));
  BuildOptions parsed = KILN_TRY(parseBuildOptions(options, BuildStep::Compile));
  if (origin_ != Origin::Source && origin_ != Origin::IL)
    return fail(CL_INVALID_OPERATION, "the program has neither source nor IL");
  std::vector<protocol::Header> texts;
  for (const auto &[name, program] : headers) {
    if (program->origin_ != Origin::Source)
      return fail(CL_INVALID_OPERATION, "the header ", name, " is no program with source");
    texts.push_back({name, program->source()});
  }
  return run(
      where, options, CL_COMPILE_PROGRAM_FAILURE,
      [this, options, parsed, texts](BuildRun &run, DeviceObject &device, BuildState &state) {
        if (!makeModule(run, device, parsed, options, texts, state))
          return;
        state.binaryType = state.module.binaryType = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        state.status = CL_BUILD_SUCCESS;
      },
      callback, userData);
}

namespace {

/// What is linked for one device.
struct LinkInputs {
  std::vector<ProgramModule> modules;
};

/// Options of every input's compile step hold for the whole; the link's own join them, except that a library takes
/// them only where it was made so.
std::string mathOf(const LinkInputs &inputs, const std::string &linkOptions) {
  std::string math;
  for (const std::string &word : splitList(inputs.modules.front().math, ' '))
    if (std::ranges::all_of(inputs.modules, [&](const ProgramModule &m) { return hasWord(m.math, word); }))
      math += (math.empty() ? "" : " ") + word;
  bool takesLinkOptions = std::ranges::all_of(inputs.modules, [](const ProgramModule &m) {
    return m.binaryType != CL_PROGRAM_BINARY_TYPE_LIBRARY || m.enableLinkOptions;
  });
  if (takesLinkOptions)
    for (const std::string &word : splitList(linkOptions, ' '))
      if (!hasWord(math, word))
        math += (math.empty() ? "" : " ") + word;
  return math;
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
      return fail(CL_INVALID_DEVICE, "device ", device->info().name, " has no part in the context");
    LinkInputs found;
    for (const Program *input : inputs) {
      std::shared_ptr<const ProgramBuild> rows = input->current();
      int index = input->rowOf(*rows, *device);
      if (index < 0)
        continue;
      const BuildState &row = (*rows)[size_t(index)];
      if (row.binaryType == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || row.binaryType == CL_PROGRAM_BINARY_TYPE_LIBRARY)
        found.modules.push_back(row.module);
    }
    if (found.modules.empty() && devices.empty())
      continue; // nothing was compiled for this device
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
      [targets, perDevice = std::move(perDevice), options, parsed](BuildRun &run, DeviceObject &device,
                                                                   BuildState &state) {
        const LinkInputs &from = perDevice[size_t(std::ranges::find(targets, &device) - targets.begin())];
        ProgramModule module;
        module.options = options;
        module.math = mathOf(from, parsed.math);
        module.enableLinkOptions = parsed.enableLinkOptions;
        module.argumentInfo = std::ranges::all_of(from.modules, &ProgramModule::argumentInfo);
        std::vector<wire::Bytes> modules;
        for (const ProgramModule &input : from.modules) {
          modules.push_back(input.spirv);
          module.uniformWorkGroups |= input.uniformWorkGroups;
          module.specConstants.insert(module.specConstants.end(), input.specConstants.begin(),
                                      input.specConstants.end());
        }
        SourceResult joined = run.link(modules, module.math, parsed.createLibrary);
        append(state.log, joined.log);
        if (!joined.ok)
          return;
        module.spirv = std::move(joined.spirv);
        state.module = std::move(module);
        if (!parsed.createLibrary)
          return makeExecutable(run, device, state);
        state.binaryType = state.module.binaryType = CL_PROGRAM_BINARY_TYPE_LIBRARY;
        state.status = CL_BUILD_SUCCESS;
      },
      callback, userData);
}

} // namespace kiln
