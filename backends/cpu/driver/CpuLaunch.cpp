// Runs an NDRange. Work-groups are numbered, dimension 0 fastest, and run in chunks of consecutive numbers.
//
// The time of a work-item in earlier launches decides how many threads take part (HelperBudget.h). A launch that is
// expected to be too short to be divided runs on this thread, in a few chunks, and is divided if a chunk takes too
// long. One of unknown length is divided from the start.
#include "backends/cpu/driver/CpuLaunch.h"
#include "backends/cpu/driver/LaunchWatch.h"
#include "backends/cpu/driver/ThreadArena.h"
#include "base/abi/Assumptions.h"
#include "base/abi/Check.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Trace.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

namespace kiln::cpu {
namespace {

// The scheduling of a shorter chunk takes too large a part of its time.
constexpr double ChunkNanoseconds = 1'000;
// Chunks per thread. A launch that has an upgrade or a trial may change its code after each, so it has more.
constexpr uint64_t Chunks = 16, ChunksIfCodeChanges = 64;

struct Range : CpuCall {
  const Launch &launch;
  uint64_t begin = 0;
  mutable fault::Report fault{};
  std::optional<CpuCall> debugged{}; // of the work-groups that a debugger sees

  explicit Range(const Launch &launch) : launch(launch) {}

  /// As CpuCall::describe, also for `debugged`.
  Status describe() {
    KILN_TRY(CpuCall::describe(launch));
    if (!launch.debugged)
      return {};
    Launch other = launch;
    other.plan = launch.debugged->plan;
    return debugged.emplace().describe(other);
  }
  bool prepare() const { return CpuCall::prepare() && (!debugged || debugged->prepare()); }

  bool mayChangeCode() const { return launch.upgrade || launch.trial; }
  /// The code of groups that begin now, except those that are on trial.
  CpuFunction &function() const {
    Function *upgraded = launch.upgrade ? launch.upgrade->function.load(std::memory_order_acquire) : nullptr;
    return static_cast<CpuFunction &>(upgraded ? *upgraded : *launch.function);
  }
  void run(uint64_t first, uint64_t end) const {
    if (!debugged)
      return runUsual(first, end);
    const uint64_t from = std::clamp(launch.debugged->first, first, end);
    const uint64_t to = std::clamp(launch.debugged->end, from, end);
    if (first < from)
      runUsual(first, from);
    if (from < to)
      run(static_cast<CpuFunction &>(*launch.debugged->function), debugged->info, from, to);
    if (to < end)
      runUsual(to, end);
  }
  void runUsual(uint64_t first, uint64_t end) const {
    if (!mayChangeCode())
      return run(function(), info, first, end);
    const bool isTrial = launch.trial && launch.trial->takesChunk();
    const uint64_t chunkBegin = nowNanoseconds();
    run(isTrial ? static_cast<CpuFunction &>(launch.trial->challenger) : function(), info, first, end);
    const uint64_t now = nowNanoseconds();
    if (launch.trial)
      launch.trial->add(isTrial, (end - first) * groupItems, now - chunkBegin);
    if (launch.upgrade && now - begin >= launch.upgrade->patience)
      launch.upgrade->request();
  }
  void run(const CpuFunction &function, const abi::CpuLaunch &call, uint64_t first, uint64_t end) const {
    if (!fault.empty())
      return;
    ThreadArena &arena = ThreadArena::ofThisThread(); // already grown by prepare
    fault::Running running(function.kernel, launch.arguments, first, end, fault);
    sampler::Sampling sampling(function.sampledCode, function.sampled);
    running.run([&] { function.entry(launch.arguments, &call, first, end, arena.local(), arena.items()); });
  }
  /// Clears local and per-item memory, so that a kernel that reads it uninitialised does not depend on earlier
  /// launches.
  void clear() const {
    ThreadArena &arena = ThreadArena::ofThisThread();
    if (info.localBytes)
      std::memset(arena.local(), 0, info.localBytes);
    if (info.itemsBytes)
      std::memset(arena.items(), 0, info.itemsBytes);
  }
};

// For launches that the runtime does not check, of code that checks its accesses: those of a program binary that a
// process with KILN_CHECK has made. Accepts all accesses.
constexpr size_t MostArguments = 4096; // each has at least one byte of the argument block
constexpr std::array<abi::CheckRange, MostArguments> AnyMemory = [] {
  std::array<abi::CheckRange, MostArguments> ranges{};
  ranges.fill({0, UINT64_MAX, 0});
  return ranges;
}();
constexpr abi::CheckLaunch Unchecked{
    [](const abi::CheckLaunch *, const abi::CheckSite *, void *pointer, void *, uint64_t, uint64_t, uint64_t, uint64_t,
       uint64_t) { return pointer; },
    AnyMemory.data(),
    [](const abi::CheckLaunch *, const abi::CheckSite *, uint64_t, uint64_t, uint64_t) {},
    [](const abi::CheckLaunch *, uint64_t, uint64_t, uint64_t) {},
    [](const abi::CheckLaunch *, uint64_t) {},
    [](const abi::CheckLaunch *, const abi::CheckSite *, void *, uint64_t, int64_t, uint64_t, uint64_t) {},
    [](const abi::CheckLaunch *, const abi::CheckSite *, uint64_t) {},
    [](const abi::CheckLaunch *) {},
    [](const abi::CheckLaunch *, const abi::CheckSite *, const uintptr_t *, uint64_t, uint64_t, uint64_t) {},
    [](const abi::CheckLaunch *, const abi::CheckSite *, const abi::Image *, double, double, double, uint64_t, uint64_t,
       uint64_t) {},
    [](const abi::CheckLaunch *, const abi::CheckSite *, void *, uint64_t, uint64_t, uint64_t) {},
    [](const abi::CheckLaunch *, const abi::CheckSite *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) {},
    [](const abi::CheckLaunch *, const abi::CheckSite *, void *, uint64_t, int64_t, uint64_t, int64_t, uint64_t) {
      return uint64_t(1);
    },
    /*comparesLocal=*/0};

// Only reports: code for the CPU accepts every address (backends/cpu/codegen/DropClaimedAlignment.h).
void logMisaligned(const abi::AssumptionReport &report, const std::string &kernel) {
  if (report.misaligned)
    KILN_LOG(Error, Device, "kernel ", kernel, ", line ", report.misalignedLine, ": the address of an access is 0x",
             std::hex, report.misalignedAddress, std::dec, ", must be a multiple of ", report.requiredAlignment,
             " by its type (", report.misaligned,
             " times in this launch); OpenCL C does not define the access, and NVIDIA's GPUs fault");
}

Status checked(const abi::AssumptionReport &report) {
  if (report.needless)
    KILN_LOG(Info, Device, "checks of vector code failed though its assumptions held: ", report.needless, " times");
  if (!report.broken)
    return {};
  const AssumptionText &text = Assumptions[report.kind];
  return fail(CL_OUT_OF_RESOURCES, "vector code relies on an assumption that does not hold: ", text.name, ", line ",
              report.line, ": ", text.sentence, " (", report.broken, " times)");
}

/// The groups of a launch, while they run. A short launch takes about as long as ten looks at the clock, so each time
/// is used for all that it is good for.
struct Groups {
  const Range &range;
  const uint64_t count;
  uint64_t now;             // the last look at the clock: at first, when the launch began
  uint64_t first = 0;       // that has not run
  uint64_t nanoseconds = 0; // that the groups before it took, on all threads

  /// Runs the groups on this thread until all have run, or until that has taken `limit` nanoseconds.
  void runAlone(HelperBudget &budget, uint64_t chunk, double limit = std::numeric_limits<double>::infinity()) {
    const uint64_t begin = now;
    do {
      const uint64_t end = first + std::min(chunk, count - first);
      range.run(first, end);
      first = end;
      now = nowNanoseconds();
      nanoseconds = now - begin;
    } while (first < count && double(nanoseconds) <= limit);
    budget.ranAlone(now, nanoseconds);
  }

  /// Runs the others. `perGroup`: the estimated nanoseconds of a group; 0 if that is unknown.
  void runDivided(const ThreadAllotment &allotment, Helpers helpers, double perGroup) {
    const uint64_t left = count - first, ofThread = left / (helpers.most + 1);
    uint64_t chunks = range.mayChangeCode() ? ChunksIfCodeChanges : Chunks; // of a thread
    if (perGroup > 0)
      chunks = std::min(chunks, 1 + uint64_t(perGroup * double(ofThread) / ChunkNanoseconds));
    struct Shared {
      const Range &range;
      const uint64_t first;
    } shared{range, first};
    Job job = {.body =
                   [](void *context, uint64_t from, uint64_t to) {
                     auto &shared = *static_cast<Shared *>(context);
                     shared.range.run(shared.first + from, shared.first + to);
                   },
               .prepare = [](void *context) { return static_cast<Shared *>(context)->range.prepare(); },
               .context = &shared,
               .end = left,
               .chunk = ofThread / chunks + 1};
    const uint64_t begin = now;
    const JobTimes times = allotment.pool.run(job, allotment.parts, helpers);
    first = count;
    nanoseconds += times.busy;
    const double own = times.ownUnits ? double(times.own) / double(times.ownUnits) : 0;
    now = nowNanoseconds();
    allotment.budget.ranDivided(now, now - begin, std::max(own, perGroup) * double(left), times.woken);
  }
};

/// Runs all groups, on as many threads as pays.
void runGroups(const ThreadAllotment &allotment, Groups &groups, bool repeatable, double perGroup) {
  HelperBudget &budget = allotment.budget;
  const unsigned most = repeatable ? 0 : unsigned(std::min<uint64_t>(allotment.threads - 1, groups.count - 1));
  Helpers helpers{most, most};
  if (!most) {
    groups.runAlone(budget, groups.range.mayChangeCode() ? groups.count / ChunksIfCodeChanges + 1 : groups.count);
  } else if (perGroup > 0) {
    const double expected = perGroup * double(groups.count);
    helpers = budget.helpersFor(groups.now, expected, most, allotment.pool.awakeOthers(),
                                ThreadPool::isCalledByApplication());
    if (!helpers.most)
      groups.runAlone(budget, groups.count / 4 + 1, std::max(HelperBudget::MinWakeNanoseconds, 2 * expected));
  }
  if (groups.first == groups.count)
    return;
  if (groups.first) {
    // Takes longer than expected.
    perGroup = double(groups.nanoseconds) / double(groups.first);
    const uint64_t left = groups.count - groups.first;
    const double pays = perGroup * double(left) / HelperBudget::WakeNanoseconds + 1;
    helpers.most = helpers.wakes = unsigned(std::min({pays, double(left - 1), double(most)}));
  }
  groups.runDivided(allotment, helpers, perGroup);
}

} // namespace

bool CpuCall::prepare() const { return ThreadArena::ofThisThread().reserve(info.localBytes, info.itemsBytes); }

Status CpuCall::describe(const Launch &launch) {
  for (int d = 0; d < 3; ++d) {
    info.globalSize[d] = launch.globalSize[d];
    info.globalOffset[d] = launch.globalOffset[d];
    info.localSize[d] = launch.localSize[d];
    info.numGroups[d] = (launch.globalSize[d] - 1) / launch.localSize[d] + 1;
    if (__builtin_mul_overflow(groups, info.numGroups[d], &groups))
      return fail(CL_OUT_OF_RESOURCES, "more than 2^64 work-groups");
    groupItems *= launch.localSize[d];
  }
  info.workDim = launch.workDim;
  info.programVariables = launch.programVariables;
  info.printfBuffer = launch.printfBuffer;
  info.enqueueArena = launch.enqueueArena;
  info.distinctArguments = launch.distinctArguments;
  info.check = reinterpret_cast<uint64_t>(launch.check ? launch.check : &Unchecked);
  info.localBytes = launch.localBytes;

  uint64_t rounded = (groupItems + abi::ItemRounding - 1) / abi::ItemRounding * abi::ItemRounding;
  if (__builtin_mul_overflow(rounded, launch.plan->itemBytes, &info.itemsBytes) ||
      __builtin_add_overflow(info.itemsBytes, launch.plan->threadBytes, &info.itemsBytes) || !prepare())
    return fail(CL_OUT_OF_RESOURCES, "no memory for a work-group of ", groupItems, " work-items: ", launch.localBytes,
                " bytes of local memory and ", launch.plan->itemBytes, " bytes per work-item");
  return {};
}

Status runLaunch(const ThreadAllotment &allotment, const Launch &launch) {
  Range range(launch);
  KILN_TRY(range.describe());
  const uint64_t groups = range.groups, items = range.groupItems;
  abi::AssumptionReport assumptions; // written by code that checks its assumptions
  range.info.assumptions = reinterpret_cast<uint64_t>(&assumptions);
  if (range.debugged)
    range.debugged->info.assumptions = range.info.assumptions;
  if (launch.repeatable)
    range.clear();

  range.begin = nowNanoseconds();
  CpuFunction &function = range.function();
  const float known = function.nanosecondsPerItem.load(std::memory_order_relaxed);
  Groups running{range, groups, range.begin};
  {
    std::optional<LaunchWatch> watch;
    if (const uint64_t seconds = options().launchTimeout; seconds || launch.terminated)
      watch.emplace(range.fault, function.kernel.name, seconds * 1'000'000'000, launch.terminated);
    // After the watch exists, so that a termination that follows finds it.
    if (!isTerminated(launch.terminated))
      runGroups(allotment, running, launch.repeatable, double(known) * double(items));
  }
  if (isTerminated(launch.terminated))
    return fail(CL_CONTEXT_TERMINATED_KHR, "the context has been terminated");
  if (!range.fault.empty()) {
    if (launch.fault)
      *launch.fault = range.fault.fault();
    return fail(CL_OUT_OF_RESOURCES, range.fault.text());
  }
  logMisaligned(assumptions, function.kernel.name);
  const bool isUpgraded = &range.function() != &function;
  if (isUpgraded)
    KILN_LOG(Info, Device, "kernel ", function.kernel.name,
             " continues with faster code: ", double(nowNanoseconds() - range.begin) / 1e6, " ms in all");
  else if (launch.upgrade)
    launch.upgrade->ran(running.nanoseconds);
  if (isUpgraded || launch.trial || launch.debugged)
    return checked(assumptions); // two functions took the time
  float measured = float(double(running.nanoseconds) / (double(groups) * double(items)));
  // Limited, because the system may have suspended a thread.
  function.nanosecondsPerItem.store(known > 0 ? (known + std::min(measured, 2 * known)) / 2 : measured,
                                    std::memory_order_relaxed);
  return checked(assumptions);
}

} // namespace kiln::cpu
