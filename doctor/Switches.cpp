#include "base/support/Options.h"
#include "base/support/Outputs.h"
#include "base/support/Status.h"
#include "doctor/Checks.h"
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

namespace kiln::doctor {
namespace {

constexpr const char *Names[] = {
#define KILN_OPTION(member, NAME, type, initial, sentence) #NAME,
#include "base/support/Options.def"
};

/// Returns false if the switch exists and the value is not one of its type.
bool isValid(const std::string &name, const std::string &value) {
  Options options;
#define KILN_OPTION(member, NAME, type, initial, sentence)                                                             \
  if (name == #NAME)                                                                                                   \
    return value.empty() || Options::parse(value.c_str(), options.member);
#include "base/support/Options.def"
  return true;
}

/// The first file that the switch names and that does not exist; empty if there is none, or if it names no files that
/// are read.
std::string missingFile(const std::string &name, const std::string &value) {
  constexpr std::string_view namesFiles[] = {"CUDA_LIBRARY", "HIP_LIBRARY",    "PASS_PLUGINS",
                                             "SCHEDULES",    "CHECK_SUPPRESS", "EMULATOR_REPLACE"};
  if (std::ranges::find(namesFiles, name) == std::end(namesFiles))
    return {};
  for (const std::string &path : splitList(value, ':'))
    if (path.find('/') != std::string::npos && !std::filesystem::exists(path)) // a bare name is searched for
      return path;
  return {};
}

/// Levenshtein's distance.
size_t distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t k = 0; k <= b.size(); ++k)
    row[k] = k;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t k = 1; k <= b.size(); ++k)
      diagonal = std::exchange(row[k], std::min({row[k] + 1, row[k - 1] + 1, diagonal + (a[i - 1] != b[k - 1])}));
  }
  return row[b.size()];
}

} // namespace

Findings checkSwitches(const std::vector<std::string> &environment) {
  Findings all;
  std::string set;
  for (const std::string &variable : environment) {
    const size_t mark = variable.find('=');
    if (!variable.starts_with("KILN_") || mark == std::string::npos)
      continue;
    const std::string name = variable.substr(5, mark - 5), value = variable.substr(mark + 1);
    if (std::ranges::find(Names, name) == std::end(Names)) {
      const char *nearest =
          *std::ranges::min_element(Names, {}, [&](const char *other) { return distance(name, other); });
      all.push_back(note("KILN_" + name + " is not a switch of Kiln", "the nearest is KILN_" + std::string(nearest)));
    } else if (!isValid(name, value)) {
      all.push_back(note(variable + " is invalid and ignored", "the README lists the switches with their values"));
    } else if (const std::string why = Options::whyNotWords(name, value); !why.empty()) {
      all.push_back(note(text(variable, " is invalid: ", why), "the README lists the switches with their values"));
    } else if (const std::string missing = missingFile(name, value); !missing.empty()) {
      all.push_back(note(text("KILN_", name, " names ", missing, ", which does not exist"), "correct it or unset it"));
    } else if (const std::string why = name == "CACHE_DIR" ? std::string() : whyNotWritable(name, value);
               !why.empty()) { // the check of the cache says more about its folder
      all.push_back(note(text("KILN_", name, " is ", value, ", which cannot be written: ", why),
                         "name a file or a folder that this user can write"));
    } else {
      set += (set.empty() ? "" : ", ") + variable;
    }
  }
  all.push_back(good(set.empty() ? "no switch is set" : "set: " + set));
  return all;
}

} // namespace kiln::doctor
