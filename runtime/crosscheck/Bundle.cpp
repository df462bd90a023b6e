#include "runtime/crosscheck/Bundle.h"
#include "base/abi/ImageAbi.h"
#include "base/abi/KernelAbi.h"
#include "base/support/FileSizeLimit.h"
#include "base/support/Json.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace kiln::crosscheck {
namespace {

/// Creates a folder that only this user can access; empty on failure.
std::string makeFolder(const std::string &kernel) {
  static std::atomic<unsigned> count{0};
  std::error_code failed;
  std::filesystem::path above = options().dump;
  if (above.empty())
    above = std::filesystem::temp_directory_path(failed) / ("kiln-crosscheck-" + std::to_string(geteuid()));
  std::string name = kernel.substr(0, 60);
  std::ranges::replace_if(name, [](unsigned char c) { return !std::isalnum(c) && c != '_'; }, '_');
  std::filesystem::path folder =
      above / text("crosscheck-", getpid(), "-", count.fetch_add(1, std::memory_order_relaxed), "-", name);
  if (!failed)
    std::filesystem::create_directories(above, failed);
  if (!failed && options().dump.empty()) // it has the application's data
    std::filesystem::permissions(above, std::filesystem::perms::owner_all, failed);
  if (!failed)
    std::filesystem::create_directory(folder, failed);
  if (failed)
    KILN_LOG(Error, Program, "cross-check: bundle ", folder.string(), " cannot be written: ", failed.message());
  return failed ? std::string() : std::filesystem::absolute(folder, failed).string();
}

bool writeFile(const std::string &path, const void *bytes, size_t size) {
  FileSizeLimit noSignal;
  std::ofstream out(path, std::ios::binary);
  out.write(static_cast<const char *>(bytes), std::streamsize(size));
  return out.flush().good();
}

const Range *rangeOf(const Reached &reached, uint64_t address) {
  auto found = std::ranges::find_if(reached.ranges, [&](const Range &range) { return range.contains(address); });
  return found == reached.ranges.end() ? nullptr : &*found;
}

/// The end of a local argument: the start of the next one, or the end of local memory.
uint64_t localEnd(const KernelLaunch &launch, const std::vector<ArgInfo> &args, uint64_t begin) {
  uint64_t end = launch.launch.localBytes;
  for (const ArgInfo &argument : args) {
    uint64_t other;
    if (argument.kind != ArgKind::Local)
      continue;
    std::memcpy(&other, launch.arguments->data + argument.offset, sizeof other);
    if (other > begin)
      end = std::min(end, other);
  }
  return end;
}

std::string locationOf(const Reached &reached, uint64_t address) {
  const Range *range = rangeOf(reached, address);
  if (!range)
    return ",\"memory\":-1";
  return text(",\"memory\":", range - reached.ranges.data(), ",\"offset\":", address - uint64_t(range->begin));
}

std::string describe(const KernelLaunch &launch, const Reached &reached, const ArgInfo &argument) {
  const std::byte *slot = launch.arguments->data + argument.offset;
  switch (argument.kind) {
  case ArgKind::Value:
    return text("{\"kind\":\"value\",\"bytes\":\"", json::hex(slot, argument.size), "\"}");
  case ArgKind::Global:
  case ArgKind::Constant: {
    const uint64_t address = addressOf(launch, argument);
    return address ? "{\"kind\":\"pointer\"" + locationOf(reached, address) + "}" : "{\"kind\":\"null\"}";
  }
  case ArgKind::Local: {
    uint64_t begin;
    std::memcpy(&begin, slot, sizeof begin);
    return text("{\"kind\":\"local\",\"size\":", localEnd(launch, launch.kernel->info().args, begin) - begin, "}");
  }
  case ArgKind::Sampler: {
    uint32_t number;
    std::memcpy(&number, slot, sizeof number);
    return text("{\"kind\":\"sampler\",\"normalized\":", bool(number & abi::SamplerNormalized),
                ",\"linear\":", bool(number & abi::SamplerLinear), ",\"addressing\":", number & abi::SamplerModeMask,
                "}");
  }
  case ArgKind::Image: {
    abi::Image image;
    std::memcpy(&image, slot, sizeof image);
    return text("{\"kind\":\"image\",\"type\":", argument.imageType, ",\"order\":", abi::imageOrder(image.format),
                ",\"channel\":", abi::imageType(image.format), ",\"width\":", image.width, ",\"height\":", image.height,
                ",\"slices\":", image.slices, ",\"rowPitch\":", image.rowPitch, ",\"slicePitch\":", image.slicePitch,
                locationOf(reached, image.pixels), "}");
  }
  case ArgKind::Pipe:
    return "{\"kind\":\"pipe\"}";
  case ArgKind::Queue:
    return "{\"kind\":\"queue\"}";
  }
  return "{}";
}

/// Returns true if the program's variables have their initial values.
bool hasFirstVariables(const BuildState &state, const Reached &reached,
                       const std::vector<std::unique_ptr<std::byte[]>> &before) {
  const ProgramVariables &variables = state.program->info().variables;
  const uint64_t address = state.program->variables();
  const Range *range = rangeOf(reached, address);
  if (!range)
    return false;
  wire::Bytes first = variables.image;
  for (const Relocation &relocation : variables.relocations) {
    const uint64_t target = address + relocation.target;
    std::memcpy(first.data() + relocation.offset, &target, sizeof target);
  }
  first.resize(variables.size);
  const std::byte *now = before[size_t(range - reached.ranges.data())].get() + (address - uint64_t(range->begin));
  return std::memcmp(now, first.data(), first.size()) == 0;
}

} // namespace

std::string writeBundle(const KernelLaunch &launch, const BuildState &state, const Reached &reached,
                        const std::vector<std::unique_ptr<std::byte[]>> &before, const std::string &form,
                        uint32_t traits) {
  const std::string folder = makeFolder(launch.kernel->name());
  if (folder.empty())
    return {};
  const Launch &sizes = launch.launch;
  const ProgramModule &module = *state.module;
  std::string out = text(
      "{\n \"kernel\":", json::quoted(launch.kernel->name()), ",\n \"form\":", json::quoted(form),
      ",\n \"options\":", json::quoted(module.math), ",\n \"pipeline\":", json::quoted(options().pipelineCpu),
      ",\n \"plugins\":", json::quoted(options().passPlugins), ",\n \"width\":", options().cpuVectorWidth,
      ",\n \"workDim\":", sizes.workDim, ",\n \"globalOffset\":", json::list(sizes.globalOffset),
      ",\n \"globalSize\":", json::list(sizes.globalSize), ",\n \"localSize\":", json::list(launch.requestedLocalSize));
  out += ",\n \"specConstants\":[";
  const char *separator = "";
  for (const protocol::SpecConstant &constant : module.specConstants)
    out += text(std::exchange(separator, ","), "{\"id\":", constant.id, ",\"value\":\"",
                json::hex(constant.value.data(), constant.value.size()), "\"}");
  out += text("],\n \"followsPointers\":", traits & TraitFollowsPointers ? "true" : "false", ",\n \"variables\":\"",
              !state.program->variables()                 ? "none"
              : hasFirstVariables(state, reached, before) ? "initial"
                                                          : "changed",
              "\",\n \"arguments\":[");
  separator = "\n  ";
  for (const ArgInfo &argument : launch.kernel->info().args)
    out += std::exchange(separator, ",\n  ") + describe(launch, reached, argument);
  out += "],\n \"memory\":[";
  separator = "\n  ";
  bool written = writeFile(folder + "/program.spv", module.spirv.data(), module.spirv.size());
  for (size_t i = 0; i < reached.ranges.size(); ++i) {
    const Range &range = reached.ranges[i];
    const std::string file = text("memory-", i, ".bin");
    written &= writeFile(text(folder, "/", file), before[i].get(), range.size);
    out += text(std::exchange(separator, ",\n  "), "{\"file\":\"", file, "\",\"size\":", range.size,
                ",\"address\":", uint64_t(range.begin), ",\"written\":", range.written ? "true" : "false", "}");
  }
  out += "]\n}\n";
  written &= writeFile(folder + "/replay.json", out.data(), out.size());
  if (!written)
    KILN_LOG(Error, Program, "cross-check: bundle ", folder, " is not complete: a file cannot be written");
  return folder;
}

} // namespace kiln::crosscheck
