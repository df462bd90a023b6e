// The text of a schedule's file: a pass pipeline, or a module of MLIR's transform dialect. libkiln reads files of
// KILN_SCHEDULES, and kilnc those of --schedule.
#pragma once
#include <string>
#include <string_view>

namespace kiln::protocol {

/// Returns true if the text is a transform-dialect schedule and not a pass pipeline: it contains a named sequence.
inline bool isTransform(std::string_view schedule) {
  return schedule.find("transform.named_sequence") != std::string_view::npos;
}

/// What a compiler takes: a pipeline as one line without comments, which are lines that start with #, or the unchanged
/// text of a transform-dialect schedule, so that errors have the file's lines. Empty if the file has neither.
inline std::string scheduleText(std::string_view file) {
  if (isTransform(file))
    return std::string(file);
  std::string all;
  for (size_t begin = 0; begin < file.size();) {
    const std::string_view line = file.substr(begin, file.find('\n', begin) - begin);
    if (!line.starts_with("#"))
      (all += all.empty() ? "" : " ") += line;
    begin += line.size() + 1;
  }
  const size_t begin = all.find_first_not_of(" \t\r"), end = all.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : all.substr(begin, end - begin + 1);
}

} // namespace kiln::protocol
