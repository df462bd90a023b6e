// Runs an NDRange. Work-groups are numbered, dimension 0 fastest, and run in chunks of consecutive numbers.
//
// The time of a work-item in earlier launches decides if other threads are woken. A launch with a short estimate runs
// on this thread alone, in a few chunks, and is divided if a chunk takes too long. One with a long or unknown estimate
// is divided from the start.
#include "backends/cpu/driver/CpuLaunch.h"
#include "backends/cpu/driver/ThreadArena.h"
#include "base/abi/Assumptions.h"
#include "base/support/Log.h"
#include "base/support/Trace.h"
#include <algorithm>
#include <cstring>

namespace kiln::cpu {
namespace {

// The approximate cost of a wake-up, for both threads.
constexpr double WakeNanoseconds = 8'000;
// Shorter work stays on one thread: dividing it gains little, and loses if the other thread is late.
constexpr double ShareNanoseconds = 4 * WakeNanoseconds;
// The scheduling of a shorter chunk takes too large a part of its time.
constexpr double ChunkNanoseconds = 2'000;
// Chunks per thread. A launch that has an upgrade or a trial may change its code after each, so it has more.
constexpr uint64_t Chunks = 16, ChunksIfCodeChanges = 64;

struct Range {
  const Launch &launch;
  abi::CpuLaunch info;
  size_t localBytes, itemsBytes;
  uint64_t begin = 0, groupItems = 1;

  bool mayChangeCode() const { return launch.upgrade || launch.trial; }
  /// The code of groups that begin now, except those that are on trial.
  CpuFunction &function() const {
    Function *upgraded = launch.upgrade ? launch.upgrade->function.load(std::memory_order_acquire) : nullptr;
    return static_cast<CpuFunction &>(upgraded ? *upgraded : *launch.function);
  }
  void run(uint64_t first, uint64_t end) const {
    if (!mayChangeCode())
      return run(function(), first, end);
    const bool isTrial = launch.trial && launch.trial->takesChunk();
    const uint64_t chunkBegin = nowNanoseconds();
    run(isTrial ? static_cast<CpuFunction &>(launch.trial->challenger) : function(), first, end);
    const uint64_t now = nowNanoseconds();
    if (launch.trial)
      launch.trial->add(isTrial, (end - first) * groupItems, now - chunkBegin);
    if (launch.upgrade && now - begin >= launch.upgrade->patience)
      launch.upgrade->request();
  }
  void run(const CpuFunction &function, uint64_t first, uint64_t end) const {
    ThreadArena &arena = ThreadArena::ofThisThread(); // already grown by prepare
    const fault::Running running(function.kernel, launch.arguments, first, end);
    function.entry(launch.arguments, &info, first, end, arena.local(), arena.items());
  }
  /// Clears local and per-item memory, so that a kernel that reads it uninitialised does not depend on earlier
  /// launches.
  void clear() const {
    ThreadArena &arena = ThreadArena::ofThisThread();
    if (localBytes)
      std::memset(arena.local(), 0, localBytes);
    if (itemsBytes)
      std::memset(arena.items(), 0, itemsBytes);
  }
  bool prepare() const { return ThreadArena::ofThisThread().reserve(localBytes, itemsBytes); }
};

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

} // namespace

Status runLaunch(const ThreadAllotment &allotment, const Launch &launch) {
  Range range{launch, {}, launch.localBytes, 0};
  uint64_t groups = 1, items = 1;
  for (int d = 0; d < 3; ++d) {
    range.info.globalSize[d] = launch.globalSize[d];
    range.info.globalOffset[d] = launch.globalOffset[d];
    range.info.localSize[d] = launch.localSize[d];
    range.info.numGroups[d] = (launch.globalSize[d] - 1) / launch.localSize[d] + 1;
    if (__builtin_mul_overflow(groups, range.info.numGroups[d], &groups))
      return fail(CL_OUT_OF_RESOURCES, "more than 2^64 work-groups");
    items *= launch.localSize[d];
  }
  range.info.workDim = launch.workDim;
  range.info.programVariables = launch.programVariables;
  range.info.printfBuffer = launch.printfBuffer;
  range.info.enqueueArena = launch.enqueueArena;

  abi::AssumptionReport assumptions; // written by code that checks its assumptions
  range.info.assumptions = reinterpret_cast<uint64_t>(&assumptions);

  uint64_t rounded = (items + abi::ItemRounding - 1) / abi::ItemRounding * abi::ItemRounding;
  if (__builtin_mul_overflow(rounded, launch.plan->itemBytes, &range.itemsBytes) ||
      __builtin_add_overflow(range.itemsBytes, launch.plan->threadBytes, &range.itemsBytes) || !range.prepare())
    return fail(CL_OUT_OF_RESOURCES, "no memory for a work-group of ", items, " work-items: ", launch.localBytes,
                " bytes of local memory and ", launch.plan->itemBytes, " bytes per work-item");
  range.info.localBytes = range.localBytes;
  range.info.itemsBytes = range.itemsBytes;

  if (launch.repeatable)
    range.clear();

  range.groupItems = items;
  const uint64_t begin = range.begin = nowNanoseconds();
  CpuFunction &function = range.function();
  float known = function.nanosecondsPerItem.load(std::memory_order_relaxed);
  double perGroup = double(known) * double(items);
  double expected = perGroup * double(groups);
  uint64_t timedGroups = 0;
  uint64_t first = 0;

  bool alone = groups == 1 || allotment.threads == 1 || launch.repeatable;
  if (!alone && known > 0 && expected < ShareNanoseconds) {
    // Estimated to be short: in chunks, with a check of the time after each.
    uint64_t chunk = std::max<uint64_t>(1, groups / 4);
    for (; first < groups; first += chunk) {
      range.run(first, std::min(first + chunk, groups));
      if (groups > first + chunk && double(nowNanoseconds() - begin) > ShareNanoseconds) {
        first += chunk;
        perGroup = double(nowNanoseconds() - begin) / double(first);
        expected = perGroup * double(groups - first);
        break;
      }
    }
    timedGroups = first = std::min(first, groups);
  } else if (alone) {
    const uint64_t chunk = range.mayChangeCode() ? std::max<uint64_t>(1, groups / ChunksIfCodeChanges) : groups;
    for (; first < groups; first += std::min(chunk, groups - first))
      range.run(first, first + std::min(chunk, groups - first));
    timedGroups = groups;
  }
  uint64_t soFar = nowNanoseconds();

  if (first < groups) {
    uint64_t left = groups - first;
    unsigned helpers = allotment.threads - 1;
    if (perGroup > 0)
      helpers = unsigned(std::min<double>(helpers, expected / WakeNanoseconds + 1));
    helpers = unsigned(std::min<uint64_t>(helpers, left - 1));
    uint64_t chunk =
        std::max<uint64_t>(1, left / ((helpers + 1) * (range.mayChangeCode() ? ChunksIfCodeChanges : Chunks)));
    if (perGroup > 0) {
      // Large enough that scheduling costs little, while every thread still gets a few.
      uint64_t worthwhile = uint64_t(ChunkNanoseconds / perGroup) + 1;
      chunk = std::max(chunk, std::min(worthwhile, left / (uint64_t(helpers + 1) * 2) + 1));
    }
    struct Shared {
      Range &range;
      uint64_t first;
      std::atomic<uint64_t> busy{0}; // nanoseconds of all threads
    } shared{range, first};
    Job job = {.body =
                   [](void *context, uint64_t from, uint64_t to) {
                     auto &shared = *static_cast<Shared *>(context);
                     uint64_t start = nowNanoseconds();
                     shared.range.run(shared.first + from, shared.first + to);
                     shared.busy.fetch_add(nowNanoseconds() - start, std::memory_order_relaxed);
                   },
               .prepare = [](void *context) { return static_cast<Shared *>(context)->range.prepare(); },
               .context = &shared,
               .end = left,
               .chunk = chunk};
    allotment.pool.run(job, helpers);
    soFar += shared.busy.load(std::memory_order_relaxed);
    timedGroups = groups;
  }
  logMisaligned(assumptions, function.kernel.name);
  const bool isUpgraded = &range.function() != &function;
  if (isUpgraded)
    KILN_LOG(Info, Device, "kernel ", function.kernel.name,
             " continues with faster code: ", double(nowNanoseconds() - begin) / 1e6, " ms in all");
  if (isUpgraded || launch.trial)
    return checked(assumptions); // two functions took the time
  float measured = float(double(soFar - begin) / (double(timedGroups) * double(items)));
  function.nanosecondsPerItem.store(known > 0 ? (known + measured) / 2 : measured, std::memory_order_relaxed);
  return checked(assumptions);
}

} // namespace kiln::cpu
