#include "runtime/capture/Capture.h"
#include "base/support/Log.h"
#include "base/support/Mutex.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include "runtime/capture/Bundle.h"
#include "runtime/capture/DeviceRanges.h"
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

void refuse(const std::string &kernel, uint64_t number, std::string_view why) {
  KILN_LOG(Error, Program, "launch ", number, " of kernel ", kernel, " cannot be captured: ", why);
}

/// Writes the bundle of a launch that has ended.
void write(const HostLaunch &launch, const DeviceObject &device, uint64_t number, const Reached &reached,
           const Copies &before, const Contents &after) {
  const std::string &name = launch.kernel->name();
  DeviceKernel &kernel = *launch.kernel->on(device);
  const std::filesystem::path above = options().captureDir.empty() ? "." : options().captureDir;
  const std::string folder = writeBundle(above / text("kiln-", getpid(), "-", fileNameOf(name), "-", number), launch,
                                         device, *launch.kernel->state(device), reached, before, after,
                                         {.writer = "KILN_CAPTURE",
                                          .number = number,
                                          .variant = kernel.variantOf(launch.grid.function),
                                          .traits = kernel.info.plan.traits});
  if (folder.empty())
    return;
  // Without regard to KILN_LOG's level, because KILN_CAPTURE is set; off means off.
  if (log::enabled(log::Level::Error, log::Group::Program))
    log::write(log::Level::Info, log::Group::Program,
               text("launch ", number, " of kernel ", name, " is captured in ", folder,
                    reached.unknown ? text("; its memory is not complete: ", reached.unknown) : ""));
}

/// On a device that runs in issue.
Status captureInPlace(HostLaunch &launch, const DeviceObject &device, uint64_t number,
                      const std::function<Status()> &run) {
  const Reached reached =
      reachedBy(launch, device, *launch.kernel->state(device), launch.kernel->on(device)->info.plan.traits);
  Copies before;
  try {
    for (const Range &range : reached.ranges)
      before.push_back(copyOf(range));
  } catch (const std::bad_alloc &) {
    refuse(launch.kernel->name(), number, text("no memory for a copy of ", reached.copyBytes(), " bytes"));
    return run();
  }
  KILN_TRY(run());
  write(launch, device, number, reached, before, inPlace(reached));
  return {};
}

/// A launch on a GPU. The stream copies each range to the host before and after it.
class StreamCapture : public LaunchObserver {
public:
  StreamCapture(uint64_t number, DeviceRanges ranges) : number_(number), ranges_(std::move(ranges)) {
    for (Copies *copies : {&before_, &after_})
      for (const Range &range : ranges_.reached.ranges)
        copies->push_back(std::make_unique_for_overwrite<std::byte[]>(range.size));
  }
  Status copyBefore(Issuer &issuer) { return copy(issuer, before_); }
  Status copyAfter(Issuer &issuer) { return copy(issuer, after_); }

  void onEnded(const HostLaunch &launch, const DeviceObject &device) noexcept override {
    trace::ignoringBadAlloc([&] {
      const std::vector<bool> reachable = reachableRanges(ranges_, launch, before_);
      Reached reached{{}, ranges_.reached.allocations, ranges_.reached.unknown};
      Copies before;
      Contents after;
      for (size_t i = 0; i < reachable.size(); ++i) {
        if (!reachable[i])
          continue;
        reached.ranges.push_back(ranges_.reached.ranges[i]);
        before.push_back(std::move(before_[i]));
        after.push_back(after_[i].get());
      }
      write(launch, device, number_, reached, before, after);
    });
  }

private:
  Status copy(Issuer &issuer, const Copies &to) {
    for (size_t i = 0; i < to.size(); ++i) {
      Region host = ranges_.regions[i];
      host.memory = nullptr;
      host.host = to[i].get();
      host.offset = 0;
      KILN_TRY(issuer.copy(host, ranges_.regions[i]));
    }
    return {};
  }

  const uint64_t number_;
  const DeviceRanges ranges_;
  Copies before_, after_;
};

Status captureOnStream(Issuer &issuer, HostLaunch &launch, const DeviceObject &device, uint64_t number,
                       const std::function<Status()> &run) {
  std::unique_ptr<StreamCapture> capture;
  try {
    capture = std::make_unique<StreamCapture>(
        number, rangesOn(device, launch, *launch.kernel->state(device), launch.kernel->on(device)->info.plan.traits));
  } catch (const std::bad_alloc &) {
    refuse(launch.kernel->name(), number, "no memory for copies of the device's memory");
    return run();
  }
  StreamCapture &copies = *capture;
  launch.observer = std::move(capture); // lives until the stream's copies have ended, also after an error
  KILN_TRY(copies.copyBefore(issuer));
  KILN_TRY(run());
  return copies.copyAfter(issuer);
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

Status launch(Issuer &issuer, HostLaunch &launch, const DeviceObject &device, const std::function<Status()> &run) {
  const uint64_t number = launch.kernel ? numberOf(launch.kernel->name()) : 0;
  if (!number)
    return run();
  if (launch.children) {
    refuse(launch.kernel->name(), number, "it enqueues kernels");
    return run();
  }
  return device.info().runsInIssue ? captureInPlace(launch, device, number, run)
                                   : captureOnStream(issuer, launch, device, number, run);
}

} // namespace kiln::capture
