#include "runtime/capture/Capture.h"
#include "base/support/Log.h"
#include "base/support/Mutex.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include "runtime/capture/Bundle.h"
#include <algorithm>
#include <charconv>
#include <new>
#include <unistd.h>

namespace kiln::capture {
namespace {

/// The launches that KILN_CAPTURE names, and how many each of its kernels had. Leaked: launches may run while the
/// process ends.
struct Counts {
  std::vector<Wanted> wanted;
  std::map<std::string, uint64_t> launches;
};
constinit Mutex mutex;
constinit Counts *counts = nullptr;

// Another thread may have held the lock during the fork, and the counts are the parent's.
constinit ForkHandler forget{[] {
  new (&mutex) Mutex;
  counts = nullptr;
}};

/// At the end of the process: names launches that did not happen.
void report() {
  trace::ignoringBadAlloc([] {
    Lock lock(mutex);
    if (!counts)
      return;
    for (const Wanted &wanted : counts->wanted)
      if (const uint64_t number = counts->launches[wanted.kernel]; number < wanted.number)
        KILN_LOG(Error, Program, "KILN_CAPTURE names launch ", wanted.number, " of kernel ", wanted.kernel,
                 ", which was launched ", number, " times");
  });
}

Counts *read() {
  static const bool once = (onFork(forget), std::atexit(report), true);
  (void)once;
  auto *made = new Counts;
  if (auto wanted = parseWanted(options().capture))
    made->wanted = std::move(*wanted);
  else
    KILN_LOG(Error, Program, "KILN_CAPTURE is ", options().capture,
             ", must be a kernel's name or name#number, separated by commas");
  return made;
}

/// Counts a launch. Returns its number if it is to be captured, else 0.
uint64_t numberOf(const std::string &kernel) {
  Lock lock(mutex);
  if (!counts)
    counts = read();
  if (std::ranges::find(counts->wanted, kernel, &Wanted::kernel) == counts->wanted.end())
    return 0;
  const uint64_t number = ++counts->launches[kernel];
  return std::ranges::any_of(counts->wanted,
                             [&](const Wanted &wanted) { return wanted.kernel == kernel && wanted.number == number; })
             ? number
             : 0;
}

/// Returns why the launch cannot be captured; null if it can.
const char *refusal(const KernelLaunch &launch, const DeviceObject &device) {
  if (!device.info().runsInIssue)
    return "it runs on a GPU; with KILN_DEVICES=cpu it runs on the CPU, where launches are captured";
  return launch.children ? "it enqueues kernels" : nullptr;
}

} // namespace

std::optional<std::vector<Wanted>> parseWanted(const std::string &text) {
  std::vector<Wanted> all;
  for (const std::string &part : splitList(text, ',')) {
    const size_t mark = part.rfind('#');
    Wanted wanted{part.substr(0, mark)};
    if (mark != std::string::npos) {
      const char *end = part.data() + part.size();
      auto [last, error] = std::from_chars(part.data() + mark + 1, end, wanted.number);
      if (error != std::errc() || last != end || !wanted.number)
        return std::nullopt;
    }
    if (wanted.kernel.empty())
      return std::nullopt;
    all.push_back(std::move(wanted));
  }
  return all;
}

Status launch(KernelLaunch &launch, const DeviceObject &device, const std::function<Status()> &run) {
  const uint64_t number = launch.kernel ? numberOf(launch.kernel->name()) : 0;
  if (!number)
    return run();
  const std::string &name = launch.kernel->name();
  if (const char *why = refusal(launch, device)) {
    KILN_LOG(Error, Program, "launch ", number, " of kernel ", name, " cannot be captured: ", why);
    return run();
  }
  const BuildState &state = *launch.kernel->state(device);
  DeviceKernel &kernel = *launch.kernel->on(device);
  const uint32_t traits = kernel.info.plan.traits;
  const Reached reached = reachedBy(launch, device, state, traits);
  Copies before;
  try {
    for (const Range &range : reached.ranges)
      before.push_back(copyOf(range));
  } catch (const std::bad_alloc &) {
    KILN_LOG(Error, Program, "launch ", number, " of kernel ", name, " cannot be captured: no memory for a copy of ",
             reached.copyBytes(), " bytes");
    return run();
  }
  KILN_TRY(run());
  const std::filesystem::path above = options().captureDir.empty() ? "." : options().captureDir;
  const std::string folder = writeBundle(
      above / text("kiln-", getpid(), "-", fileNameOf(name), "-", number), launch, device, state, reached, before,
      {.writer = "KILN_CAPTURE", .number = number, .form = kernel.formOf(launch.launch.function), .traits = traits});
  if (folder.empty())
    return {};
  // Without regard to KILN_LOG's level, because KILN_CAPTURE is set; off means off.
  if (log::enabled(log::Level::Error, log::Group::Program))
    log::write(log::Level::Info, log::Group::Program,
               text("launch ", number, " of kernel ", name, " is captured in ", folder,
                    reached.unknown ? text("; its memory is not complete: ", reached.unknown) : ""));
  return {};
}

} // namespace kiln::capture
