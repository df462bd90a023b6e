#include "runtime/program/FaultReplay.h"
#include "base/protocol/EmbeddedFolder.h"
#include "base/support/Log.h"
#include "base/support/Trace.h"
#include "runtime/program/Kernel.h"
#include "runtime/program/WorkItem.h"
#include <algorithm>
#include <sstream>

namespace kiln::faults {
namespace {

constexpr uint64_t MaxReplayNanoseconds = 10'000'000'000; // of a program
constexpr size_t MaxSourceText = 120;                     // characters of a line

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
              place->isItem ? describeItem(launch.grid, launch.requestedLocalSize, place->id)
                            : "group id " + describeIds(place->id, launch.grid.workDim));
} catch (const std::bad_alloc &) {
  return failure;
}

} // namespace kiln::faults
