// Threads that wait run what they wait for themselves. What becomes ready on them meanwhile must not stay behind.
#include "tests/runtime/SeveralPlaces.h"

using namespace kiln;

namespace {

[[maybe_unused]] const int switches = setenv("KILN_CPU_DEVICES", "4", 1);

struct TwoEvents {
  Event *first, *second;
};
void completeBoth(const void *arguments, const kiln::abi::LaunchInfo *, uint64_t, uint64_t, void *, void *) {
  auto &given = *static_cast<const TwoEvents *>(arguments);
  EXPECT_TRUE(given.first->setUserStatus(CL_COMPLETE).ok());
  EXPECT_TRUE(given.second->setUserStatus(CL_COMPLETE).ok());
}

using Help = test::SeveralPlaces;

} // namespace

// A thread waits for `first`, and what it runs for that makes `first` and `second` ready. It stops when `first` has
// ended, wherever the two were queued; `second` was flushed before, so it must end without another call.
TEST_F(Help, WhatWasFlushedEndsThoughItsHelperLeaves) {
  Ref<Queue> q = queue(Cpu, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cpu::CpuFunction function{completeBoth};
  function.nanosecondsPerItem = 1; // so little that the enqueue wakes nobody
  for (int round = 0; round < 8; ++round) {
    Ref<Event> one = userEvent(), two = userEvent();
    Ref<Event> first = enqueue(*q, Marker{false}, {one}), second = enqueue(*q, Marker{false}, {two});
    q->flush();
    TwoEvents events{one.get(), two.get()};
    KernelLaunch made;
    made.arguments = ArgumentBlock::create(sizeof events);
    std::memcpy(made.arguments->data, &events, sizeof events);
    launch(*q, std::move(made), function, 1, {});
    first->wait();
    for (int i = 0; i < 10'000 && !second->isComplete(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(second->isComplete()) << "round " << round;
  }
}
