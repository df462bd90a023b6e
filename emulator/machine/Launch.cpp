// Waves of a group interleave in an order that the launch's seed fixes; groups are spread over the host's threads.
#include "emulator/machine/Launch.h"
#include "base/support/Checks.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "emulator/machine/CountReport.h"
#include "emulator/machine/Fault.h"
#include "emulator/machine/StreamGate.h"
#include "emulator/machine/Wave.h"
#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

namespace kiln::emulator {
namespace {

/// The largest number of instructions that a wave executes before another one continues.
constexpr u64 MostInstructions = 200;
constexpr u64 SliceInstructions = 100'000; // about a millisecond; after them a wave that runs alone looks for the end

/// SplitMix64: a small generator of well-mixed numbers. A group's numbers depend on the seed and on the group alone.
class Random {
public:
  explicit Random(u64 seed) : state_(seed) {}
  u64 operator()() {
    u64 z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

private:
  u64 state_;
};

/// All work-items of a group execute the same barriers, so all waves do, and none has ended.
void checkBarrier(const std::vector<std::unique_ptr<Wave>> &waves) {
  const Wave *waiting = nullptr;
  for (const auto &wave : waves)
    if (wave->atBarrier && !waiting)
      waiting = wave.get();
  if (!waiting)
    return;
  for (const auto &wave : waves)
    if (wave->ended)
      throw waiting->located(
          Fault(FaultKind::LaunchFailure, "wave ", wave->index,
                " of the group has ended without this barrier (if by a failed assertion, KILN_EMULATOR_CHECKS=off goes "
                "on, as hardware does)"),
          *waiting->barrier);
    else if (wave->barrier != waiting->barrier)
      throw waiting->located(Fault(FaultKind::LaunchFailure, "wave ", wave->index,
                                   " of the group waits at another barrier: offset 0x", std::hex,
                                   wave->barrier->address - waiting->group.launch.kernel->entry),
                             *waiting->barrier);
}

void releaseBarrier(Group &group, std::vector<std::unique_ptr<Wave>> &waves) {
  bool isBarrier = false;
  for (const auto &wave : waves)
    if (!wave->ended && !wave->atBarrier)
      return;
    else
      isBarrier |= wave->atBarrier;
  if (!isBarrier)
    return;
  if (group.launch.checks && !checks().barriers) // Kiln's code reports it then, and goes on, as it does on hardware
    checkBarrier(waves);
  if (group.accesses) {
    for (const auto &wave : waves)
      group.accesses->arrive(*wave);
    group.accesses->leave();
  }
  for (const auto &wave : waves)
    wave->atBarrier = false;
}

void runGroup(const Launch &launch, u64 number, Counts &counts) {
  Group group{launch, {}, {}};
  group.id = {u32(number % launch.groups[0]), u32(number / launch.groups[0] % launch.groups[1]),
              u32(number / launch.groups[0] / launch.groups[1])};
  Random random(launch.seed + (number << 32));
  group.local.resize(launch.localBytes());
  for (u8 &byte : group.local)
    byte = u8(0xa5 + launch.seed); // its contents are undefined
  if (launch.checks)
    group.localBits.assign(group.local.size(), 0xff);
  if (launch.counts)
    group.counter = std::make_unique<Counter>(launch.gpu->lineBytes);
  if (launch.races)
    group.accesses = std::make_unique<LocalAccesses>(group.local.size(), launch.items());
  std::vector<std::unique_ptr<Wave>> waves;
  for (unsigned i = 0; i * launch.kernel->waveSize < launch.items(); ++i)
    waves.emplace_back(std::make_unique<Wave>(group, i))->start();
  std::vector<Wave *> ready;
  for (;;) {
    ready.clear();
    for (const auto &wave : waves)
      if (!wave->ended && !wave->atBarrier)
        ready.push_back(wave.get());
    if (ready.empty())
      break;
    Wave &wave = *ready[random() % ready.size()];
    if (ready.size() == 1)
      while (!wave.ended && !wave.atBarrier && !StreamGate::isClosed())
        wave.run(SliceInstructions);
    else
      wave.run(1 + random() % MostInstructions);
    if (StreamGate::isClosed())
      return;
    releaseBarrier(group, waves);
  }
  if (group.counter)
    counts.add(group.counter->counts());
}

unsigned hostThreads() {
  const u64 wanted = options().emulatorThreads;
  return unsigned(wanted ? wanted : std::max(1u, std::thread::hardware_concurrency()));
}

} // namespace

unsigned Launch::localBytes() const { return kernel->descriptor.group_segment_fixed_size + dynamicLocalBytes; }

int run(Launch &launch, std::string *message) {
  launch.code->decode();
  launch.ranges = addressSpace().ranges();
  const u64 groups = u64(launch.groups[0]) * launch.groups[1] * launch.groups[2];
  std::atomic<u64> nextGroup{0};
  std::atomic<int> result{0};
  Mutex mutex;
  Counts counts;
  auto work = [&] {
    Counts own;
    for (u64 number; !result.load(std::memory_order_relaxed) && !StreamGate::isClosed() &&
                     (number = nextGroup.fetch_add(1)) < groups;)
      try {
        runGroup(launch, number, own);
      } catch (const Fault &fault) {
        int none = 0;
        if (!result.compare_exchange_strong(none, int(fault.kind)))
          continue;
        if (message)
          *message = fault.what();
        KILN_LOG(Error, Device, "emulated ", launch.gpu->name, ": ", fault.what());
      }
    Lock lock(mutex);
    counts.add(own);
  };
  std::vector<std::jthread> helpers;
  try {
    for (u64 i = 1; i < std::min<u64>(hostThreads(), groups); ++i)
      helpers.emplace_back(work);
  } catch (const std::system_error &) { // there are too many threads, or the application calls exec: fewer have to do
  }
  work();
  helpers.clear(); // joins them
  if (launch.counts)
    countReport().add(launch, counts);
  return result;
}

} // namespace kiln::emulator
