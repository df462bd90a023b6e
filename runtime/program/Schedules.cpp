#include "runtime/program/Schedules.h"
#include "base/protocol/ScheduleText.h"
#include "base/support/OpenCL.h"
#include "base/support/Options.h"
#include "runtime/cache/Files.h"
#include <algorithm>
#include <cctype>
#include <filesystem>

namespace kiln {
namespace {

/// Returns true for the kinds of targets: those that have a switch for their passes.
bool isTarget(const std::string &kind) {
  std::string name = "PIPELINE_";
  for (char c : kind)
    name += char(std::toupper(static_cast<unsigned char>(c)));
  return options().text(name);
}

constexpr std::string_view Suffixes[] = {".pipeline", ".mlir"}; // a pipeline; a transform-dialect schedule

} // namespace

Result<Schedules> Schedules::read(const std::string &folder) {
  Schedules made;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path().string(), file = entry->path().filename().string();
    const std::string_view *suffix =
        std::ranges::find_if(Suffixes, [&](std::string_view one) { return file.ends_with(one); });
    const std::string stem = suffix != std::end(Suffixes) ? file.substr(0, file.size() - suffix->size()) : "";
    const size_t dot = stem.rfind('.');
    const std::string kind = dot == std::string::npos ? "" : stem.substr(dot + 1);
    if (!dot || !isTarget(kind))
      return fail(CL_BUILD_PROGRAM_FAILURE, "error: schedule ", path,
                  ": the name must be KERNEL.TARGET.pipeline or HASH.TARGET.pipeline, or end with .mlir, "
                  "with a target of a switch KILN_PIPELINE_<TARGET>");
    const std::optional<wire::Bytes> content = files::read(path);
    if (!content)
      return fail(CL_BUILD_PROGRAM_FAILURE, "error: schedule ", path, ": the file cannot be read");
    std::string pipeline = protocol::scheduleText({reinterpret_cast<const char *>(content->data()), content->size()});
    const bool isTransform = *suffix == ".mlir";
    if (pipeline.empty() || protocol::isTransform(pipeline) != isTransform)
      return fail(CL_BUILD_PROGRAM_FAILURE, "error: schedule ", path, ": the file has no ",
                  isTransform ? "transform.named_sequence" : "pipeline");
    const auto [entryOfKernel, isNew] = made.all_.try_emplace({stem.substr(0, dot), kind}, path, std::move(pipeline));
    if (!isNew)
      return fail(CL_BUILD_PROGRAM_FAILURE, "error: schedule ", path, ": ", entryOfKernel->second.path,
                  " is for the same kernel and target");
  }
  if (error)
    return fail(CL_BUILD_PROGRAM_FAILURE, "error: folder of schedules ", folder, ": ", error.message());
  return made;
}

const Schedule *Schedules::find(const KernelInfo &kernel, const std::string &target) const {
  const std::string kind = target.substr(0, target.find(':'));
  for (const std::string &name : {kernel.hash, kernel.name})
    if (auto found = all_.find({name, kind}); found != all_.end())
      return &found->second;
  return nullptr;
}

} // namespace kiln
