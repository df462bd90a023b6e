#include "runtime/program/FaultReplay.h"
#include "base/protocol/EmbeddedFolder.h"
#include "base/support/Log.h"
#include "base/support/Trace.h"
#include "runtime/program/Kernel.h"
#include <algorithm>
#include <sstream>

namespace kiln::faults {
namespace {

constexpr uint64_t MaxReplayNanoseconds = 10'000'000'000; // of a program
constexpr size_t MaxSourceText = 120;                     // characters of a line

using Ids = std::array<uint64_t, 3>;

std::string words(const Ids &ids, uint32_t workDim) {
  std::string list;
  for (uint32_t d = 0; d < workDim; ++d)
    list += text(d ? ", " : "", ids[d]);
  return "(" + list + ")";
}

/// The line of the access, with its text, and those of the calls that it is in.
std::string linesOf(const FaultPlace &place, const LocatedKernel &located) {
  static const std::string embedded = text(protocol::EmbeddedFolder, '/');
  std::string all;
  std::istringstream site(place.site);
  for (std::string at; std::getline(site, at);) {
    if (at.starts_with(embedded))
      at.erase(0, embedded.size());
    all += (all.empty() ? "" : ", called at ") + at;
    if (all.size() != at.size())
      continue;
    const size_t colon = at.rfind(':');
    std::string source = located.sourceLine(at.substr(0, colon), strtoul(at.c_str() + colon + 1, nullptr, 10));
    if (source.size() > MaxSourceText)
      source.replace(MaxSourceText, std::string::npos, "...");
    if (!source.empty())
      all += " (" + source + ")";
  }
  return all.empty() ? "the program has no lines" : all;
}

/// The ids that the kernel observes: the launch may run with another local size (LocalSize.h).
std::string itemOf(const FaultPlace &place, const HostLaunch &launch) {
  const uint32_t dims = launch.grid.workDim;
  if (!place.isItem)
    return "group id " + words(place.id, dims);
  Ids local{}, group{};
  for (uint32_t d = 0; d < dims; ++d) {
    const uint64_t index = place.id[d] - launch.grid.globalOffset[d], size = launch.requestedLocalSize[d];
    local[d] = index % size, group[d] = index / size;
  }
  return text("work-item with global id ", words(place.id, dims), ", local id ", words(local, dims), ", group id ",
              words(group, dims));
}

} // namespace

bool enabled(const DeviceObject &device) {
  return device.info().runsInIssue && options().signals && options().replayFaults;
}

Status withPlace(Status failure, Issuer &issuer, const HostLaunch &launch, const DeviceObject &device,
                 const LaunchFault &fault) noexcept try {
  if (!launch.kernel) // an initializer
    return failure;
  const DeviceProgram &program = *launch.kernel->state(device)->program;
  std::string why;
  const LocatedKernel *located =
      program.locatedKernel(launch.kernel->on(device)->info, LocatedKernel::Form::Located, why);
  if (!located) {
    KILN_LOG(Info, Program, "kernel ", launch.kernel->name(), " has no located form: ", why);
    return failure;
  }
  Launch again = launch.grid;
  again.function = located->function();
  again.plan = &located->plan();
  again.upgrade = nullptr, again.trial = nullptr, again.debugged = nullptr;
  std::optional<FaultPlace> place;
  const uint64_t spent = program.replayNanoseconds.load(std::memory_order_relaxed);
  if (spent < MaxReplayNanoseconds) {
    const uint64_t begin = nowNanoseconds();
    place = issuer.replay(again, fault, MaxReplayNanoseconds - spent);
    program.replayNanoseconds.fetch_add(nowNanoseconds() - begin, std::memory_order_relaxed);
  }
  if (!place) {
    KILN_LOG(Info, Program, "the fault of kernel ", launch.kernel->name(), " did not happen again in a replay");
    return failure;
  }
  // A vector of work-items accesses memory in another order than one work-item after the other.
  const std::string other = place->address != fault.address ? place->access : "";
  return fail(failure.code(), failure.message(), "; replayed", other, ": ", linesOf(*place, *located), ", ",
              itemOf(*place, launch));
} catch (const std::bad_alloc &) {
  return failure;
}

} // namespace kiln::faults
