#include "runtime/program/DebuggedLaunch.h"
#include "base/support/Log.h"
#include "runtime/program/Kernel.h"
#include <charconv>

namespace kiln::debugger {
namespace {

const Selection &selection() {
  static const Selection chosen = parse(options().debug).value_or(Selection());
  return chosen;
}

std::array<uint64_t, 3> groupsOf(const Launch &launch) {
  std::array<uint64_t, 3> groups{};
  for (size_t d = 0; d < 3; ++d)
    groups[d] = (launch.globalSize[d] - 1) / launch.localSize[d] + 1;
  return groups;
}

/// Logged for each kernel and device once, because an application may launch a kernel a million times.
void logOnce(const HostLaunch &launch, const std::string &why) {
  static std::atomic<bool> isLogged{false};
  if (!isLogged.exchange(true))
    KILN_LOG(Error, Program, "KILN_DEBUG: kernel ", launch.kernel->name(), " runs as usual: ", why);
}

} // namespace

std::optional<Selection> parse(const std::string &text) {
  Selection made{text.substr(0, text.find(':')), {}};
  if (made.kernel.size() == text.size())
    return made;
  for (const std::string &part : splitList(text.substr(made.kernel.size() + 1), ',')) {
    uint64_t number = 0;
    const char *end = part.data() + part.size();
    if (const auto [next, failed] = std::from_chars(part.data(), end, number); failed != std::errc() || next != end)
      made.group.resize(4);
    made.group.push_back(number);
  }
  if (!made.kernel.empty() && !made.group.empty() && made.group.size() <= 3)
    return made;
  KILN_LOG(Error, Program, "KILN_DEBUG is ", text, ", must be kernel, kernel:number or kernel:x,y,z");
  return {};
}

std::optional<uint64_t> numberOf(const std::vector<uint64_t> &group, const Launch &launch) {
  const std::array<uint64_t, 3> groups = groupsOf(launch);
  const uint64_t all = groups[0] * groups[1] * groups[2];
  if (group.size() == 1)
    return group[0] < all ? std::optional(group[0]) : std::nullopt;
  uint64_t number = 0;
  for (size_t d = group.size(); d-- > 0;) {
    if (group[d] >= groups[d])
      return {};
    number = number * groups[d] + group[d];
  }
  return number;
}

bool isSelected(const std::string &kernel) { return enabled() && selection().kernel == kernel; }
bool isSelected(const HostLaunch &launch) {
  return enabled() && launch.kernel && isSelected(launch.kernel->name()); // an initializer has none
}

Status launch(HostLaunch &launch, const DeviceObject &device, const std::function<Status()> &run) {
  const DeviceProgram &program = *launch.kernel->state(device)->program;
  if (!device.info().runsInIssue)
    return logOnce(launch, "the device is not the CPU"), run();
  const std::vector<uint64_t> &group = selection().group;
  DebuggedGroups groups{nullptr, nullptr, 0, UINT64_MAX};
  if (!group.empty()) {
    const std::optional<uint64_t> number = numberOf(group, launch.grid);
    if (!number)
      return run();
    groups.first = *number, groups.end = *number + 1;
  }
  std::string why;
  const LocatedKernel *kernel =
      program.locatedKernel(launch.kernel->on(device)->info, LocatedKernel::Form::Debugged, why);
  if (!kernel)
    return logOnce(launch, why), run();
  groups.function = kernel->function(), groups.plan = &kernel->plan();
  launch.grid.debugged = &groups;
  Status status = run();
  launch.grid.debugged = nullptr;
  return status;
}

} // namespace kiln::debugger
