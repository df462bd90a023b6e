#include "runtime/program/Schedules.h"
#include "base/support/OpenCL.h"
#include "base/support/Options.h"
#include "runtime/cache/Files.h"
#include <algorithm>
#include <cctype>
#include <filesystem>

namespace kiln {
namespace {

constexpr std::string_view Suffix = ".pipeline";

/// Returns true for the kinds of targets: those that have a switch for their passes.
bool isTarget(const std::string &kind) {
  std::string name = "PIPELINE_";
  for (char c : kind)
    name += char(std::toupper(static_cast<unsigned char>(c)));
  return options().text(name);
}

/// The pipeline in a file, as one line without comments.
std::string pipelineIn(const wire::Bytes &content) {
  std::string all;
  for (size_t begin = 0; begin < content.size();) {
    const auto end = std::find(content.begin() + std::ptrdiff_t(begin), content.end(), uint8_t('\n'));
    const std::string line(content.begin() + std::ptrdiff_t(begin), end);
    if (!line.starts_with("#"))
      all += (all.empty() ? "" : " ") + line;
    begin += line.size() + 1;
  }
  const size_t begin = all.find_first_not_of(" \t\r"), end = all.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : all.substr(begin, end - begin + 1);
}

} // namespace

Result<Schedules> Schedules::read(const std::string &folder) {
  Schedules made;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path().string(), file = entry->path().filename().string();
    const std::string stem = file.ends_with(Suffix) ? file.substr(0, file.size() - Suffix.size()) : "";
    const size_t dot = stem.rfind('.');
    const std::string kind = dot == std::string::npos ? "" : stem.substr(dot + 1);
    if (!dot || !isTarget(kind))
      return fail(CL_BUILD_PROGRAM_FAILURE, "error: schedule ", path,
                  ": the name must be KERNEL.TARGET.pipeline or HASH.TARGET.pipeline, with a target of a switch "
                  "KILN_PIPELINE_<TARGET>");
    const std::optional<wire::Bytes> content = files::read(path);
    if (!content)
      return fail(CL_BUILD_PROGRAM_FAILURE, "error: schedule ", path, ": the file cannot be read");
    std::string pipeline = pipelineIn(*content);
    if (pipeline.empty())
      return fail(CL_BUILD_PROGRAM_FAILURE, "error: schedule ", path, ": the file has no pipeline");
    made.all_[{stem.substr(0, dot), kind}] = {path, std::move(pipeline)};
  }
  if (error)
    return fail(CL_BUILD_PROGRAM_FAILURE, "error: KILN_SCHEDULES is ", folder, ": ", error.message());
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
