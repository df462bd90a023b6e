// A waiting thread runs the commands that it waits for. Commands that become ready meanwhile must not be left behind.
#include "tests/runtime/SeveralMemoryNodes.h"

using namespace kiln;

namespace {

[[maybe_unused]] const int switches = setenv("KILN_CPU_DEVICES", "4", 1);

struct TwoEvents {
  Event *first, *second;
};
void completeBoth(const void *arguments, const kiln::abi::CpuLaunch *, uint64_t, uint64_t, void *, void *) {
  auto &given = *static_cast<const TwoEvents *>(arguments);
  EXPECT_TRUE(given.first->setUserStatus(CL_COMPLETE).ok());
  EXPECT_TRUE(given.second->setUserStatus(CL_COMPLETE).ok());
}

using Progress = test::SeveralMemoryNodes;

} // namespace

// A thread waits for `first`, and runs a command that makes `first` and `second` ready. It stops when `first` is
// complete, in whichever order the two were queued. `second` was flushed before, so it must complete without another
// call.
TEST_F(Progress, FlushedCommandCompletesAfterTheWaitingThreadLeaves) {
  Ref<Queue> q = queue(Cpu, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cpu::CpuFunction function{completeBoth};
  function.nanosecondsPerItem = 1; // so short that the enqueue wakes no thread
  for (int round = 0; round < 8; ++round) {
    Ref<Event> one = userEvent(), two = userEvent();
    Ref<Event> first = enqueue(*q, Marker{false}, {one}), second = enqueue(*q, Marker{false}, {two});
    q->flush();
    TwoEvents events{one.get(), two.get()};
    HostLaunch made;
    made.arguments = ArgumentBlock::create(sizeof events);
    std::memcpy(made.arguments->data, &events, sizeof events);
    launch(*q, std::move(made), function, 1, {});
    first->wait();
    for (int i = 0; i < 10'000 && !second->isComplete(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(second->isComplete()) << "round " << round;
  }
}
