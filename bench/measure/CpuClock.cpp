#include "bench/measure/CpuClock.h"
#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>

namespace bench {
namespace {

constexpr double LowestShare = 0.9; // of the highest frequency

std::optional<uint64_t> numberIn(const std::filesystem::path &path) {
  std::ifstream file(path);
  uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

bool isProcessor(const std::string &name) {
  return name.size() > 3 && name.starts_with("cpu") &&
         std::all_of(name.begin() + 3, name.end(), [](unsigned char c) { return std::isdigit(c); });
}

uint64_t sum(const std::vector<std::filesystem::path> &paths) {
  uint64_t all = 0;
  for (const std::filesystem::path &path : paths)
    all += numberIn(path).value_or(0);
  return all;
}

} // namespace

std::unique_ptr<CpuClock> CpuClock::open(const std::filesystem::path &root, std::string &why) {
  auto watch = std::make_unique<CpuClock>();
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(root, error)) {
    if (!isProcessor(entry.path().filename().string()))
      continue;
    for (const char *name : {"core_throttle_count", "package_throttle_count"})
      if (const auto path = entry.path() / "thermal_throttle" / name; numberIn(path))
        watch->counters_.push_back(path);
    if (const auto path = entry.path() / "cpufreq/scaling_cur_freq"; numberIn(path))
      watch->frequencies_.push_back(path);
  }
  if (!watch->counters_.empty() || !watch->frequencies_.empty())
    return watch;
  why = "neither thermal_throttle nor cpufreq of " + root.string() + " is readable";
  return nullptr;
}

void CpuClock::begin() { events_ = sum(counters_); }

bool CpuClock::throttled() {
  uint64_t fastest = 0;
  for (const std::filesystem::path &path : frequencies_)
    fastest = std::max(fastest, numberIn(path).value_or(0));
  highest_ = std::max(highest_, fastest);
  return sum(counters_) != events_ || double(fastest) < LowestShare * double(highest_);
}

} // namespace bench
