#include "runtime/capture/Bundle.h"
#include "base/protocol/BuildOptions.h"
#include "base/support/FileSizeLimit.h"
#include "base/support/Json.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "runtime/capture/Describe.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>

namespace kiln::capture {
namespace {

/// Creates the folder, readable by this user only because it has the application's data.
bool makeFolder(const std::filesystem::path &folder) {
  std::error_code failed;
  if (folder.has_parent_path())
    std::filesystem::create_directories(folder.parent_path(), failed);
  if (!failed && !std::filesystem::create_directory(folder, failed) && !failed)
    failed = std::make_error_code(std::errc::file_exists);
  if (!failed)
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  if (failed)
    KILN_LOG(Error, Program, "bundle ", folder.string(), " cannot be written: ", failed.message());
  return !failed;
}

bool writeFile(const std::filesystem::path &path, const void *bytes, size_t size) {
  FileSizeLimit noSignal;
  std::ofstream out(path, std::ios::binary);
  out.write(static_cast<const char *>(bytes), std::streamsize(size));
  return out.flush().good();
}

/// Returns true if the program's variables had their initial values before the launch.
bool hadFirstVariables(const BuildState &state, const Range &range, const std::byte *before) {
  const ProgramVariables &variables = state.program->info().variables;
  const uint64_t address = state.program->variables();
  wire::Bytes first = variables.image;
  for (const Relocation &relocation : variables.relocations) {
    const uint64_t target = address + relocation.target;
    std::memcpy(first.data() + relocation.offset, &target, sizeof target);
  }
  first.resize(variables.size);
  return std::memcmp(before + (address - uint64_t(range.begin)), first.data(), first.size()) == 0;
}

std::string digestOf(const void *bytes, size_t size) { return hexadecimal(Sha256::of(bytes, size)); }

std::string describeProgram(const HostLaunch &launch, const DeviceObject &device, const BuildState &state) {
  const ProgramModule &module = *state.module;
  const Schedule *schedule =
      launch.kernel->on(device)->schedule; // kiln-replay repeats it as the pipeline of the program
  const std::string &target = device.info().target, kind = target.substr(0, target.find(':'));
  std::string switchName = "PIPELINE_";
  for (char c : kind)
    switchName += char(std::toupper(static_cast<unsigned char>(c)));
  const std::string *ofTarget = options().text(switchName);
  const std::string pipeline = schedule ? schedule->pipeline : ofTarget ? *ofTarget : "";
  std::string out = text(
      ",\n \"options\":", json::quoted(state.options), ",\n \"codeOptions\":", json::quoted(optionsOf(module.flags)),
      ",\n \"source\":", launch.kernel->program().source().empty() ? "false" : "true",
      ",\n \"spirv\":", json::quoted(digestOf(module.spirv.data(), module.spirv.size())),
      ",\n \"code\":", json::quoted(state.program->codeDigest()), ",\n \"build\":", json::quoted(buildId()),
      ",\n \"device\":", json::quoted(device.info().name), ",\n \"pipeline\":", json::quoted(pipeline),
      ",\n \"target\":", json::quoted(kind), ",\n \"plugins\":", json::quoted(options().passPlugins),
      ",\n \"machineWidth\":", options().cpuMachineWidth, ",\n \"specConstants\":[");
  const char *separator = "";
  for (const protocol::SpecConstant &constant : module.specConstants)
    out += text(std::exchange(separator, ","), "{\"id\":", constant.id, ",\"value\":\"",
                json::hex(constant.value.data(), constant.value.size()), "\"}");
  return out + "]";
}

/// Why two correct runs may have different results; empty if they may not.
const char *freedom(uint32_t traits) {
  if (traits & TraitHostAtomics)
    return "the host may take part in its atomics";
  if (traits & TraitClock)
    return "it reads a clock";
  return traits & TraitAtomicOrder ? "the order of its atomics is free" : "";
}

} // namespace

std::unique_ptr<std::byte[]> copyOf(const Range &range) {
  auto copy = std::make_unique_for_overwrite<std::byte[]>(range.size);
  std::memcpy(copy.get(), range.begin, range.size);
  return copy;
}

Contents inPlace(const Reached &reached) {
  Contents contents;
  for (const Range &range : reached.ranges)
    contents.push_back(range.begin);
  return contents;
}

std::string fileNameOf(const std::string &kernel) {
  constexpr size_t Longest = 60, DigestSize = 8;
  std::string name = kernel;
  if (name.size() > Longest) // kernels of SYCL have long names with common beginnings
    name =
        kernel.substr(0, Longest - 1 - DigestSize) + "_" + digestOf(kernel.data(), kernel.size()).substr(0, DigestSize);
  std::ranges::replace_if(name, [](unsigned char c) { return !std::isalnum(c) && c != '_'; }, '_');
  return name;
}

std::string writeBundle(const std::filesystem::path &folder, const HostLaunch &launch, const DeviceObject &device,
                        const BuildState &state, const Reached &reached, const Copies &before, const Contents &after,
                        const About &about) {
  if (!makeFolder(folder))
    return {};
  const Launch &sizes = launch.grid;
  const ProgramModule &module = *state.module;
  const std::string &source = launch.kernel->program().source();
  bool written = writeFile(folder / "program.spv", module.spirv.data(), module.spirv.size());
  if (!source.empty())
    written &= writeFile(folder / "program.cl", source.data(), source.size());

  const char *variables = "none", *separator = "\n  ";
  std::string memory;
  for (size_t i = 0; i < reached.ranges.size(); ++i) {
    const Range &range = reached.ranges[i];
    if (range.contains(uint64_t(launch.arguments->data)))
      continue; // a replay writes its own argument block
    if (state.program->variables() && range.contains(state.program->variables())) {
      variables = hadFirstVariables(state, range, before[i].get()) ? "initial" : "changed";
      continue;
    }
    const std::string file = text("memory-", i, ".bin"), afterFile = text("memory-", i, ".after.bin");
    written &= writeFile(folder / file, before[i].get(), range.size);
    memory += text(std::exchange(separator, ",\n  "), "{\"file\":\"", file, "\",\"size\":", range.size,
                   ",\"address\":", uint64_t(range.begin), ",\"written\":", range.written ? "true" : "false");
    if (std::memcmp(before[i].get(), after[i], range.size) != 0) {
      written &= writeFile(folder / afterFile, after[i], range.size);
      memory += text(",\"after\":\"", afterFile, "\"");
    }
    memory += "}";
  }
  const std::string out =
      text("{\n \"version\":2,\n \"writer\":", json::quoted(about.writer),
           ",\n \"kernel\":", json::quoted(launch.kernel->name()), ",\n \"number\":", about.number,
           ",\n \"variant\":", json::quoted(about.variant), ",\n \"workDim\":", sizes.workDim,
           ",\n \"globalOffset\":", json::list(sizes.globalOffset), ",\n \"globalSize\":", json::list(sizes.globalSize),
           ",\n \"localSize\":", json::list(launch.requestedLocalSize), describeProgram(launch, device, state),
           ",\n \"followsPointers\":", about.traits & TraitFollowsPointers ? "true" : "false",
           ",\n \"unknown\":", json::quoted(reached.unknown ? reached.unknown : ""),
           ",\n \"freedom\":", json::quoted(freedom(about.traits)), ",\n \"variables\":\"", variables,
           "\",\n \"arguments\":[", describeArguments(launch, device), "],\n \"memory\":[", memory, "]\n}\n");
  written &= writeFile(folder / "bundle.json", out.data(), out.size());
  std::error_code ignored;
  const std::string path = std::filesystem::absolute(folder, ignored).string();
  if (!written)
    KILN_LOG(Error, Program, "bundle ", path, " is not complete: a file cannot be written");
  return path;
}

} // namespace kiln::capture
