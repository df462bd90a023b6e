#include "backends/cpu/driver/Topology.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sched.h>

namespace kiln::cpu {
namespace {

namespace fs = std::filesystem;

std::string firstLine(const fs::path &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The folders in `path` named `prefix` and a number.
std::vector<std::pair<unsigned, fs::path>> numbered(const fs::path &path, const std::string &prefix) {
  std::vector<std::pair<unsigned, fs::path>> found;
  std::error_code failed; // a missing folder counts as empty
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::string name = entry->path().filename().string();
    unsigned number;
    if (!name.starts_with(prefix))
      continue;
    auto [rest, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (error == std::errc() && rest == name.data() + name.size())
      found.emplace_back(number, entry->path());
  }
  return found;
}

cl_device_affinity_domain domainOfCache(const std::string &level) {
  return level == "1"   ? CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE
         : level == "2" ? CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE
         : level == "3" ? CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE
         : level == "4" ? CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE
                        : 0;
}

} // namespace

std::vector<unsigned> allowedProcessors() {
  // The kernel rejects sets that are smaller than its own.
  for (int count = 1024; count <= 1 << 20; count *= 4) {
    cpu_set_t *set = CPU_ALLOC(count);
    if (!set)
      break;
    size_t bytes = CPU_ALLOC_SIZE(count);
    std::vector<unsigned> allowed;
    bool known = sched_getaffinity(0, bytes, set) == 0;
    for (int i = 0; known && i < count; ++i)
      if (CPU_ISSET_S(i, bytes, set))
        allowed.push_back(unsigned(i));
    CPU_FREE(set);
    if (!allowed.empty())
      return allowed;
  }
  return {0};
}

std::vector<unsigned> parseProcessors(const std::string &list) {
  constexpr unsigned MaxProcessor = 1 << 20;
  std::vector<unsigned> processors;
  const char *at = list.data(), *end = at + list.size();
  auto number = [&](unsigned &value) {
    auto [rest, error] = std::from_chars(at, end, value);
    at = rest;
    return error == std::errc() && value < MaxProcessor;
  };
  for (unsigned first, last; number(first);) {
    last = first;
    if (at != end && *at == '-' && (++at, !number(last)))
      break;
    for (; first <= last; ++first)
      processors.push_back(first);
    if (at == end || *at++ != ',')
      break;
  }
  return processors;
}

Topology::Topology(const std::string &root) {
  auto add = [&](cl_device_affinity_domain domain, const std::vector<unsigned> &sharing) {
    for (unsigned processor : sharing)
      groups_[domain].emplace(processor, sharing.front());
  };
  const fs::path system = root + "/sys/devices/system";
  for (const auto &[number, node] : numbered(system / "node", "node"))
    add(CL_DEVICE_AFFINITY_DOMAIN_NUMA, parseProcessors(firstLine(node / "cpulist")));
  for (const auto &[processor, folder] : numbered(system / "cpu", "cpu"))
    for (const auto &[index, cache] : numbered(folder / "cache", "index")) {
      cl_device_affinity_domain domain = domainOfCache(firstLine(cache / "level"));
      if (domain && firstLine(cache / "type") != "Instruction" && !groups_[domain].contains(processor))
        add(domain, parseProcessors(firstLine(cache / "shared_cpu_list")));
    }
}

const Topology &Topology::get() {
  static const Topology *machine = new Topology(""); // never destroyed: threads may use it while the process exits
  return *machine;
}

std::vector<std::vector<unsigned>> Topology::sharing(cl_device_affinity_domain domain,
                                                     std::span<const unsigned> processors) const {
  auto known = groups_.find(domain);
  if (known == groups_.end())
    return {};
  std::vector<std::vector<unsigned>> parts;
  std::map<unsigned, size_t> partOf; // by the group's first processor
  for (unsigned i = 0; i < processors.size(); ++i) {
    auto group = known->second.find(processors[i]);
    if (group == known->second.end())
      return {};
    auto [part, isNew] = partOf.try_emplace(group->second, parts.size());
    if (isNew)
      parts.emplace_back();
    parts[part->second].push_back(i);
  }
  return parts;
}

} // namespace kiln::cpu
