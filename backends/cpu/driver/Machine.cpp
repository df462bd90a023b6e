#include "backends/cpu/driver/Machine.h"
#include "base/support/Descriptor.h"
#include "base/support/Futex.h"
#include "base/support/Options.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace kiln::cpu {
namespace {

/// Not with a stream, which treats a lack of memory as the end of the file.
std::optional<std::string> readText(const std::string &path, size_t enough = SIZE_MAX) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file)
    return {};
  std::string text;
  char part[4096];
  for (ssize_t count; text.size() < enough && (count = read(file.get(), part, sizeof part)) != 0;)
    if (count > 0)
      text.append(part, size_t(count));
    else if (errno != EINTR)
      break;
  return text;
}

template <typename Visit> void eachLine(const std::string &path, Visit visit) {
  if (std::optional<std::string> text = readText(path))
    for (const std::string &line : splitList(*text, '\n'))
      visit(line);
}

std::optional<std::string> firstLine(const std::string &path) {
  std::optional<std::string> text = readText(path);
  if (text)
    text->resize(std::min(text->find('\n'), text->size()));
  return text && !text->empty() ? text : std::nullopt;
}

std::optional<uint64_t> number(const std::string &text) {
  uint64_t value = 0;
  return Options::parse(text.c_str(), value) ? std::optional(value) : std::nullopt;
}

template <typename T> void lower(std::optional<T> &limit, T value) { limit = limit ? std::min(*limit, value) : value; }

void lowerProcessors(CgroupLimits &limits, const std::string &quota, const std::string &period) {
  auto q = number(quota), p = number(period); // "max" and "-1" do not parse
  if (q && p && *q && *p)
    lower(limits.processors, unsigned(std::clamp<uint64_t>((*q + *p - 1) / *p, 1, 1 << 20)));
}

void lowerMemory(std::optional<uint64_t> &limit, const std::optional<std::string> &text) {
  // Version 1 writes a number near 2^63 for "no limit".
  if (auto bytes = text ? number(*text) : std::nullopt; bytes && *bytes < (1ull << 60))
    lower(limit, *bytes);
}

/// The value of a "key  value" line, in bytes if the line ends in kB; 0 if there is no such line.
uint64_t valueOf(const std::string &path, const std::string &key) {
  uint64_t value = 0;
  eachLine(path, [&](const std::string &line) {
    if (line.starts_with(key) && line.find_first_of(" :") == key.size())
      value = std::strtoull(line.c_str() + key.size() + 1, nullptr, 10) << (line.ends_with("kB") ? 10 : 0);
  });
  return value;
}

/// Calls `visit` for the cgroup's folder below `mount` and each of its ancestors. In a container the path may be the
/// host's, of which some or all folders are missing; a missing folder has no limit.
template <typename Visit> void upwards(const std::string &mount, std::string path, Visit visit) {
  for (;;) {
    visit(mount + (path == "/" ? "" : path));
    if (path.empty() || path == "/")
      return;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

/// Calls `visit(controllers, path)` for each hierarchy of the process: ",cpu,cpuacct," for example, or ",," for version
/// 2.
template <typename Visit> void eachGroup(const std::string &root, Visit visit) {
  eachLine(root + "/proc/self/cgroup", [&](const std::string &line) { // number:controllers:path
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first != std::string::npos && second != std::string::npos)
      visit("," + line.substr(first + 1, second - first - 1) + ",", line.substr(second + 1));
  });
}

} // namespace

CgroupLimits cgroupLimits(const std::string &root) {
  CgroupLimits limits;
  eachGroup(root, [&](const std::string &controllers, const std::string &path) {
    if (controllers == ",,") {
      for (const char *mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
        upwards(root + mount, path, [&](const std::string &folder) {
          if (auto text = firstLine(folder + "/cpu.max"))
            if (size_t blank = text->find(' '); blank != std::string::npos)
              lowerProcessors(limits, text->substr(0, blank), text->substr(blank + 1));
          lowerMemory(limits.memory, firstLine(folder + "/memory.max"));
        });
    }
    if (controllers.find(",cpu,") != std::string::npos)
      for (const char *mount : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"})
        upwards(root + mount, path, [&](const std::string &folder) {
          auto quota = firstLine(folder + "/cpu.cfs_quota_us"), period = firstLine(folder + "/cpu.cfs_period_us");
          if (quota && period)
            lowerProcessors(limits, *quota, *period);
        });
    if (controllers.find(",memory,") != std::string::npos)
      upwards(root + "/sys/fs/cgroup/memory", path, [&](const std::string &folder) {
        lowerMemory(limits.memory, firstLine(folder + "/memory.limit_in_bytes"));
      });
  });
  return limits;
}

unsigned threadCount() {
  static const unsigned count = [] {
    if (options().cpuThreads)
      return unsigned(std::min<uint64_t>(options().cpuThreads, 4096));
    return std::min(processorCount(), cgroupLimits().processors.value_or(~0u));
  }();
  return count;
}

std::optional<uint64_t> availableBytes(const std::string &root) {
  std::optional<uint64_t> available;
  if (uint64_t bytes = valueOf(root + "/proc/meminfo", "MemAvailable"))
    available = bytes + valueOf(root + "/proc/meminfo", "SwapFree");
  // A cgroup has its limit minus its usage, plus the page cache, which the kernel reclaims first.
  auto lowerBy = [&](const std::string &folder, const char *limitName, const char *usageName, const char *prefix) {
    std::optional<uint64_t> limit;
    lowerMemory(limit, firstLine(folder + limitName));
    auto usage = firstLine(folder + usageName);
    if (!limit || !usage)
      return;
    uint64_t used = number(*usage).value_or(0);
    for (const char *list : {"active_file", "inactive_file"})
      used -= std::min(used, valueOf(folder + "/memory.stat", std::string(prefix) + list));
    lower(available, *limit - std::min(*limit, used));
  };
  eachGroup(root, [&](const std::string &controllers, const std::string &path) {
    if (controllers == ",,")
      for (const char *mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
        upwards(root + mount, path,
                [&](const std::string &folder) { lowerBy(folder, "/memory.max", "/memory.current", ""); });
    if (controllers.find(",memory,") != std::string::npos)
      upwards(root + "/sys/fs/cgroup/memory", path, [&](const std::string &folder) {
        lowerBy(folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_");
      });
  });
  return available;
}

uint64_t memoryBytes() {
  static const uint64_t bytes = [] {
    uint64_t all = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
    return std::min(all, cgroupLimits().memory.value_or(all));
  }();
  return bytes;
}

static std::string cpuinfo(const char *key) {
  std::string text = readText("/proc/cpuinfo", 4096).value_or(""); // only the first processor
  size_t at = text.starts_with(key) ? 0 : text.find(std::string("\n") + key);
  size_t colon = text.find(": ", at), end = text.find('\n', at + 1);
  return at != std::string::npos && colon < end ? text.substr(colon + 2, end - colon - 2) : std::string();
}

std::string processorName() {
  std::string name = cpuinfo("model name");
  return name.empty() ? "CPU" : name;
}

unsigned clockMHz() {
  if (auto text = firstLine("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"))
    if (auto kHz = number(*text))
      return unsigned(*kHz / 1000);
  return unsigned(std::strtod(cpuinfo("cpu MHz").c_str(), nullptr));
}

CacheInfo cache(int level) {
  for (int index = 0; index < 8; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    auto is = firstLine(folder + "/level"), type = firstLine(folder + "/type"), size = firstLine(folder + "/size"),
         line = firstLine(folder + "/coherency_line_size");
    if (!is || !type || !size || *is != std::to_string(level) || *type == "Instruction")
      continue;
    return {number(*size).value_or(0), unsigned(line ? number(*line).value_or(64) : 64)};
  }
  return {};
}

std::string visibleProcessor(std::string_view flags, bool seesAvx512, bool seesAvx2) {
  const auto has = [words = splitList(std::string(flags), ' ')](std::string_view name) {
    return std::ranges::find(words, name) != words.end();
  };
  if (has("avx2") && !seesAvx2)
    return "x86-64-v2";
  return has("avx512f") && !seesAvx512 ? "x86-64-v3" : "";
}

std::string targetOfProcess() {
#if defined(__x86_64__)
  const std::string name =
      visibleProcessor(cpuinfo("flags"), __builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx2"));
  return name.empty() ? "cpu" : "cpu:" + name;
#else
  return "cpu";
#endif
}

bool hasInvariantCounter() {
#if defined(__x86_64__)
  constexpr unsigned PowerManagement = 0x80000007, InvariantCounter = 1 << 8; // in edx
  unsigned a, b, c, d;
  return __get_cpuid(PowerManagement, &a, &b, &c, &d) && (d & InvariantCounter);
#else
  return false;
#endif
}

} // namespace kiln::cpu
