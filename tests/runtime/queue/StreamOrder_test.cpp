// A device with fences: commands are issued at once, and a dependency on another stream of the device is a fence there,
// not a wait on the host.
#include "tests/runtime/NullPlatform.h"
#include <algorithm>

using namespace kiln;
using kiln::null::RecordedCall;
using kiln::test::OnNullDevice;

namespace {

class StreamOrder : public OnNullDevice {
protected:
  void prepare(null::NullDevice &device) override {
    device.info_.hasFences = true;
    device.info_.sharesHostMemory = false;
    device.pause(true);
  }
  Ref<Event> fill(Queue &on, Ref<Buffer> buffer, const WaitList &waits = {}) {
    uint8_t zero = 0;
    cl_event handle = nullptr;
    EXPECT_TRUE(on.enqueue(FillBuffer{std::move(buffer), &zero, 1, 0, 64}, waits, &handle).ok());
    Ref<Event> event(static_cast<Event *>(handle));
    event->release();
    return event;
  }
  size_t count(RecordedCall what) const {
    std::vector<RecordedCall> all = null->recordedCalls();
    return size_t(std::ranges::count(all, what));
  }
};

} // namespace

TEST_F(StreamOrder, ThousandCommandsBeforeTheFirstHasEnded) {
  for (bool chained : {false, true}) {
    Ref<Queue> q = queue();
    Ref<Buffer> b = buffer();
    size_t before = null->recordedCalls().size();
    Ref<Event> first = fill(*q, b), last = first;
    for (int i = 1; i < 1000; ++i)
      last = fill(*q, b, chained ? WaitList{last} : WaitList{});
    EXPECT_EQ(null->recordedCalls().size() - before, 1000u) << "1000 fills and no fence";
    EXPECT_EQ(null->open(), 1000u);
    EXPECT_FALSE(first->isComplete());
    while (null->completeOne()) {
    }
    EXPECT_EQ(last->executionStatus(), CL_COMPLETE);
  }
}

// Two queues: one fence, recorded when the second command is submitted, before it on its stream.
TEST_F(StreamOrder, FenceBetweenQueues) {
  Ref<Queue> a = queue(), b = queue();
  Ref<Buffer> shared = buffer();
  Ref<Event> first = fill(*a, shared), second = fill(*b, shared, {first});
  EXPECT_EQ(null->recordedCalls(),
            (std::vector{RecordedCall::Fill, RecordedCall::RecordFence, RecordedCall::WaitFence, RecordedCall::Fill}));
  EXPECT_EQ(null->open(), 2u);
  EXPECT_TRUE(null->completeOne());
  EXPECT_TRUE(null->completeOne());
  EXPECT_EQ(second->executionStatus(), CL_COMPLETE);
  // A complete dependency needs no fence.
  fill(*b, shared, {first});
  EXPECT_EQ(count(RecordedCall::RecordFence), 1u);
}

// Several dependencies on one stream need one fence.
TEST_F(StreamOrder, OneFencePerStream) {
  Ref<Queue> a = queue(), b = queue(), c = queue();
  Ref<Buffer> shared = buffer();
  Ref<Event> last = fill(*c, shared, {fill(*a, shared), fill(*a, shared), fill(*b, shared), fill(*a, shared)});
  EXPECT_EQ(count(RecordedCall::RecordFence), 2u);
  EXPECT_EQ(count(RecordedCall::WaitFence), 2u);
}

// While the first waits for the host, so does the second; then both are issued at once.
TEST_F(StreamOrder, SubmittedWhenTheDependencyIsIssued) {
  Ref<Queue> a = queue(), b = queue();
  Ref<Buffer> shared = buffer();
  Ref<Event> gate = userEvent();
  Ref<Event> first = fill(*a, shared, {gate}), second = fill(*b, shared, {first}), third = fill(*a, shared, {second});
  EXPECT_EQ(null->open(), 0u);
  ASSERT_TRUE(gate->setUserStatus(CL_COMPLETE).ok());
  EXPECT_EQ(null->open(), 3u);
  EXPECT_EQ(null->recordedCalls(),
            (std::vector{RecordedCall::Fill, RecordedCall::RecordFence, RecordedCall::WaitFence, RecordedCall::Fill,
                         RecordedCall::RecordFence, RecordedCall::WaitFence, RecordedCall::Fill}));
}

TEST_F(StreamOrder, LongChainIsIssuedWithoutRecursion) {
  Ref<Queue> queues[] = {queue(), queue()};
  Ref<Event> gate = userEvent(), last = gate;
  for (int i = 0; i < 100'000; ++i)
    last = marker(*queues[i % 2], {last});
  ASSERT_TRUE(gate->setUserStatus(CL_COMPLETE).ok());
  EXPECT_EQ(null->open(), 100'000u);
  null->pause(false);
  queues[0]->flush();
  queues[1]->flush();
  last->wait();
  EXPECT_EQ(last->executionStatus(), CL_COMPLETE);
}

// No dependent runs after a command that will be skipped, on its own queue and on others, though none has ended yet.
TEST_F(StreamOrder, FailureIsKnownAtTheIssue) {
  Ref<Queue> a = queue(), b = queue();
  Ref<Buffer> shared = buffer();
  Ref<Event> gate = userEvent();
  Ref<Event> first = fill(*a, shared, {gate}), same = fill(*a, shared, {first}), other = fill(*b, shared, {same}),
             unrelated = fill(*b, shared);
  ASSERT_TRUE(gate->setUserStatus(-3).ok());
  EXPECT_EQ(count(RecordedCall::Fill), 1u) << "the unrelated one";
  while (null->completeOne()) {
  }
  for (const Ref<Event> &event : {first, same, other})
    EXPECT_EQ(event->executionStatus(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(unrelated->executionStatus(), CL_COMPLETE);
}

// A failure that only the device detects reaches dependents that were submitted long ago.
TEST_F(StreamOrder, FailureFoundLaterIsPassedOn) {
  Ref<Queue> a = queue(), b = queue();
  Ref<Buffer> shared = buffer();
  Ref<Event> first = fill(*a, shared), second = fill(*b, shared, {first});
  EXPECT_EQ(null->open(), 2u);
  EXPECT_TRUE(null->completeOne(CL_OUT_OF_RESOURCES));
  EXPECT_TRUE(null->completeOne());
  EXPECT_EQ(first->executionStatus(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(second->executionStatus(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

// An out-of-order queue's barriers are fences between its streams if no thread waits for their events.
TEST_F(StreamOrder, BarriersAreFences) {
  Ref<Queue> q = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Ref<Buffer> shared = buffer();
  for (int i = 0; i < 3; ++i)
    fill(*q, shared);
  ASSERT_TRUE(q->enqueue(Marker{.all = true, .barrier = true}, {}, nullptr).ok());
  fill(*q, shared);
  EXPECT_EQ(null->open(), 5u) << "all of it handed over";
  EXPECT_EQ(count(RecordedCall::WaitFence), 4u) << "three for the barrier, one for the command after it";
}

// A failed marker still completes after the commands before it: the application may then free what they use.
TEST_F(StreamOrder, FailedMarkerWaitsForEarlierCommands) {
  Ref<Queue> q = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Ref<Buffer> shared = buffer();
  Ref<Event> gate = userEvent(), slow = fill(*q, shared), failing = fill(*q, shared, {gate});
  cl_event handle = nullptr;
  ASSERT_TRUE(q->enqueue(Marker{.all = false}, {slow, failing}, &handle).ok());
  Ref<Event> marker(static_cast<Event *>(handle));
  marker->release();
  ASSERT_TRUE(gate->setUserStatus(-3).ok());
  EXPECT_EQ(count(RecordedCall::WaitFence), 0u) << "the host waits: an event ends later than its stream";
  EXPECT_GT(marker->executionStatus(), CL_COMPLETE);
  while (null->completeOne()) {
  }
  EXPECT_EQ(marker->executionStatus(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

// A failed transfer leaves its node not current: the command fails with the transfer's code, and the next one fetches
// the bytes again.
TEST_F(StreamOrder, FailedTransferLeavesNodeNotCurrent) {
  null->info_.hasFences = false; // for queues created from here on
  Ref<Queue> q = queue();
  std::vector<uint8_t> bytes(64);
  Ref<Buffer> from = *Buffer::create(*context, CL_MEM_COPY_HOST_PTR, 64, bytes.data()), to = buffer();
  auto copy = [&] {
    cl_event handle = nullptr;
    EXPECT_TRUE(q->enqueue(CopyBuffer{from, to, {}, {}, {64, 1, 1}}, {}, &handle).ok());
    Ref<Event> event(static_cast<Event *>(handle));
    event->release();
    return event;
  };
  Ref<Event> first = copy();
  EXPECT_TRUE(null->completeOne(CL_OUT_OF_RESOURCES)); // the transfer
  EXPECT_TRUE(null->completeOne());                    // the copy, which calls nothing
  EXPECT_EQ(first->executionStatus(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(null->recordedCalls(), (std::vector{RecordedCall::Copy}));
  EXPECT_EQ(ResidencyManager::of(*context)->transferStats().transfers, 0u);
  Ref<Event> second = copy();
  EXPECT_TRUE(null->completeOne());
  EXPECT_TRUE(null->completeOne());
  EXPECT_EQ(second->executionStatus(), CL_COMPLETE);
  EXPECT_EQ(null->recordedCalls(), (std::vector{RecordedCall::Copy, RecordedCall::Copy, RecordedCall::Copy}));
  EXPECT_EQ(ResidencyManager::of(*context)->transferStats().transfers, 1u);
}

// Bytes that one stream is fetching are waited for on another one with a fence, once.
TEST_F(StreamOrder, FetchedBytesAreAwaitedByFence) {
  Ref<Queue> a = queue(), b = queue();
  std::vector<uint8_t> bytes(64);
  Ref<Buffer> from = *Buffer::create(*context, CL_MEM_COPY_HOST_PTR, 64, bytes.data()), one = buffer(), two = buffer();
  ASSERT_TRUE(a->enqueue(CopyBuffer{from, one, {}, {}, {64, 1, 1}}, {}, nullptr).ok());
  ASSERT_TRUE(b->enqueue(CopyBuffer{from, two, {}, {}, {64, 1, 1}}, {}, nullptr).ok());
  EXPECT_EQ(null->recordedCalls(), (std::vector{RecordedCall::Copy, RecordedCall::Copy, RecordedCall::RecordFence,
                                                RecordedCall::WaitFence, RecordedCall::Copy}));
}
