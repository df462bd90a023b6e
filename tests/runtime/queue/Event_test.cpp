#include "tests/runtime/NullPlatform.h"
#include <atomic>
#include <chrono>
#include <thread>

using namespace kiln;
using kiln::test::OnNullDevice;

namespace {

/// Waits for a condition that the callback thread makes true, at most a few seconds.
bool eventually(const std::function<bool()> &what) {
  for (int i = 0; i < 5000 && !what(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return what();
}

struct Seen {
  std::mutex mutex;
  std::vector<cl_int> statuses;
  static void CL_CALLBACK note(cl_event, cl_int status, void *self) {
    auto *seen = static_cast<Seen *>(self);
    std::lock_guard lock(seen->mutex);
    seen->statuses.push_back(status);
  }
  std::vector<cl_int> all() {
    std::lock_guard lock(mutex);
    return statuses;
  }
};

using EventGraph = OnNullDevice;

} // namespace

// The states of the specification: a command is submitted before it runs, and complete only when the device says so.
TEST_F(EventGraph, StatusWalksDown) {
  null->pause(true);
  Ref<Queue> q = queue();
  Ref<Event> gate = userEvent();
  Ref<Event> event = marker(*q, {gate});
  EXPECT_EQ(event->executionStatus(), CL_QUEUED);
  ASSERT_TRUE(gate->setUserStatus(CL_COMPLETE).ok());
  EXPECT_EQ(event->executionStatus(), CL_SUBMITTED);
  EXPECT_TRUE(null->completeOne());
  EXPECT_EQ(event->executionStatus(), CL_COMPLETE);
}

// In order: the second command has no wait list, and still must not run before the first one's user event is set.
TEST_F(EventGraph, InOrderQueueWaitsForItsHead) {
  null->pause(true);
  Ref<Queue> q = queue();
  Ref<Event> gate = userEvent();
  Ref<Event> first = marker(*q, {gate}), second = marker(*q);
  q->flush();
  EXPECT_FALSE(null->completeOne());
  ASSERT_TRUE(gate->setUserStatus(CL_COMPLETE).ok());
  EXPECT_TRUE(null->completeOne());
  EXPECT_TRUE(first->isComplete());
  EXPECT_FALSE(second->isComplete());
  EXPECT_TRUE(null->completeOne());
  EXPECT_TRUE(second->isComplete());
}

// Out of order: an independent command overtakes one that waits; a barrier stops later commands.
TEST_F(EventGraph, OutOfOrderQueueKeepsOnlyExplicitOrder) {
  null->pause(true);
  Ref<Queue> q = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Ref<Event> gate = userEvent();
  Ref<Buffer> b = buffer();
  cl_event handles[3];
  uint8_t zero = 0;
  ASSERT_TRUE(q->enqueue(FillBuffer{b, &zero, 1, 0, 16}, {gate}, &handles[0]).ok());
  ASSERT_TRUE(q->enqueue(FillBuffer{b, &zero, 1, 16, 16}, {}, &handles[1]).ok());
  auto *first = static_cast<Event *>(handles[0]), *second = static_cast<Event *>(handles[1]);
  EXPECT_TRUE(null->completeOne());
  EXPECT_TRUE(second->isComplete());
  EXPECT_FALSE(first->isComplete());

  ASSERT_TRUE(q->enqueue(Marker{.all = true, .barrier = true}, {}, nullptr).ok());
  ASSERT_TRUE(q->enqueue(FillBuffer{b, &zero, 1, 32, 16}, {}, &handles[2]).ok());
  EXPECT_FALSE(null->completeOne()) << "the barrier waits for the first command, the last one for the barrier";
  ASSERT_TRUE(gate->setUserStatus(CL_COMPLETE).ok());
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(null->completeOne());
  EXPECT_TRUE(static_cast<Event *>(handles[2])->isComplete());
  EXPECT_FALSE(null->completeOne());
  for (cl_event handle : handles)
    static_cast<Event *>(handle)->release();
}

// A failure reaches the dependents, across queues, but not other later commands.
TEST_F(EventGraph, FailureReachesDependentsOnly) {
  Ref<Queue> a = queue(), b = queue();
  Ref<Event> gate = userEvent();
  Ref<Event> first = marker(*a, {gate}), second = marker(*b, {first}), later = marker(*b);
  ASSERT_TRUE(gate->setUserStatus(-77).ok());
  a->finish();
  b->finish();
  EXPECT_EQ(first->executionStatus(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(second->executionStatus(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(later->executionStatus(), CL_COMPLETE);
  EXPECT_EQ(Event::waitFor({first}).code(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

// On one in-order queue no edge is counted, but the wait list still passes a failure on.
TEST_F(EventGraph, FailureAlongOneInOrderQueue) {
  null->pause(true);
  Ref<Queue> q = queue();
  Ref<Event> first = marker(*q), second = marker(*q, {first}), third = marker(*q);
  EXPECT_TRUE(null->completeOne(CL_OUT_OF_RESOURCES));
  EXPECT_TRUE(null->completeOne());
  EXPECT_TRUE(null->completeOne());
  EXPECT_EQ(first->executionStatus(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(second->executionStatus(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(third->executionStatus(), CL_COMPLETE);
}

TEST_F(EventGraph, UserEventIsSetOnce) {
  Ref<Event> event = userEvent();
  EXPECT_EQ(event->setUserStatus(CL_RUNNING).code(), CL_INVALID_VALUE);
  EXPECT_TRUE(event->setUserStatus(CL_COMPLETE).ok());
  EXPECT_EQ(event->setUserStatus(-1).code(), CL_INVALID_OPERATION);
  EXPECT_EQ(event->executionStatus(), CL_COMPLETE);
  Ref<Queue> q = queue();
  EXPECT_EQ(marker(*q)->setUserStatus(CL_COMPLETE).code(), CL_INVALID_EVENT);
}

// The status cannot be set any more: dependents fail instead of waiting forever.
TEST_F(EventGraph, ReleasedUserEventFailsDependents) {
  Ref<Queue> q = queue();
  Ref<Event> gate = userEvent();
  Ref<Event> event = marker(*q, {gate});
  gate->release();
  q->finish();
  EXPECT_LT(event->executionStatus(), 0);
}

// Each state is reported once, in order, and a callback that is set late is called at once.
TEST_F(EventGraph, CallbacksReportEachStateOnce) {
  null->pause(true);
  Ref<Queue> q = queue();
  Ref<Event> gate = userEvent();
  Ref<Event> event = marker(*q, {gate});
  Seen seen;
  for (cl_int state : {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED})
    ASSERT_TRUE(event->addCallback(state, Seen::note, &seen).ok());
  ASSERT_TRUE(gate->setUserStatus(CL_COMPLETE).ok());
  EXPECT_TRUE(eventually([&] { return seen.all().size() == 1; }));
  null->completeOne();
  EXPECT_TRUE(eventually([&] { return seen.all().size() == 3; }));
  ASSERT_TRUE(event->addCallback(CL_COMPLETE, Seen::note, &seen).ok());
  EXPECT_TRUE(eventually([&] { return seen.all().size() == 4; }));
  EXPECT_EQ(seen.all(), (std::vector<cl_int>{CL_SUBMITTED, CL_RUNNING, CL_COMPLETE, CL_COMPLETE}));
  EXPECT_EQ(event->addCallback(CL_QUEUED, Seen::note, &seen).code(), CL_INVALID_VALUE);
}

// Programs poll the status, or wait for a callback, without flushing: both must flush.
TEST_F(EventGraph, PollingAndListeningFlush) {
  Ref<Queue> q = queue();
  EXPECT_EQ(marker(*q)->polledStatus(), CL_COMPLETE);
  Ref<Event> event = marker(*q);
  EXPECT_EQ(event->executionStatus(), CL_SUBMITTED);
  Seen seen;
  ASSERT_TRUE(event->addCallback(CL_COMPLETE, Seen::note, &seen).ok());
  EXPECT_TRUE(eventually([&] { return seen.all().size() == 1; }));
}

TEST_F(EventGraph, CallbackReceivesTheError) {
  null->pause(true);
  Ref<Queue> q = queue();
  Ref<Event> event = marker(*q);
  Seen seen;
  ASSERT_TRUE(event->addCallback(CL_COMPLETE, Seen::note, &seen).ok());
  null->completeOne(CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(eventually([&] { return !seen.all().empty(); }));
  EXPECT_EQ(seen.all(), std::vector<cl_int>{CL_OUT_OF_RESOURCES});
}

// A long chain of commands, each waiting for the previous one on another queue: neither completing it nor freeing it
// may recurse.
TEST_F(EventGraph, LongChainEndsWithoutRecursion) {
  Ref<Queue> queues[] = {queue(), queue()};
  Ref<Event> gate = userEvent(), last = gate;
  for (int i = 0; i < 200'000; ++i)
    last = marker(*queues[i % 2], {last});
  ASSERT_TRUE(gate->setUserStatus(CL_COMPLETE).ok());
  last->wait();
  EXPECT_EQ(last->executionStatus(), CL_COMPLETE);
}

// The same if its first command fails.
TEST_F(EventGraph, LongChainFailsWithoutRecursion) {
  Ref<Queue> q = queue();
  Ref<Event> gate = userEvent(), last = gate;
  for (int i = 0; i < 200'000; ++i)
    last = marker(*q, {last});
  ASSERT_TRUE(gate->setUserStatus(-5).ok());
  q->finish();
  EXPECT_LT(last->executionStatus(), 0);
}

// API-4.4b EXEC-3.2f: the context's callback is called once for a command that failed by itself, and not for skipped
// dependents; other queues go on.
TEST_F(EventGraph, ContextCallbackReportsFailedCommands) {
  struct Told {
    std::vector<std::string> messages;
    static void CL_CALLBACK note(const char *message, const void *, size_t, void *self) {
      static_cast<Told *>(self)->messages.emplace_back(message);
    }
  } told;
  context = *Context::create({}, {device.get()}, Told::note, &told);
  null->pause(true);
  Ref<Queue> first = queue(), second = queue();
  Ref<Buffer> b = buffer();
  uint8_t zero = 0;
  cl_event failed = nullptr;
  ASSERT_TRUE(first->enqueue(FillBuffer{b, &zero, 1, 0, 16}, {}, &failed).ok());
  Ref<Event> dropped = marker(*first, {static_cast<Event *>(failed)}), other = marker(*second);
  null->completeOne(CL_OUT_OF_RESOURCES);
  null->completeOne();
  null->completeOne();
  ASSERT_EQ(told.messages.size(), 1u);
  EXPECT_NE(told.messages[0].find("fill buffer"), std::string::npos) << told.messages[0];
  EXPECT_NE(told.messages[0].find("-5"), std::string::npos) << told.messages[0];
  EXPECT_EQ(static_cast<Event *>(failed)->executionStatus(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(dropped->executionStatus(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(other->executionStatus(), CL_COMPLETE);
  static_cast<Event *>(failed)->release();
}

// A command's objects are released when it completes, not with its event.
TEST_F(EventGraph, CompleteCommandReleasesItsObjects) {
  null->pause(true);
  Ref<Queue> q = queue();
  std::atomic<int> destroyed{0};
  cl_event event = nullptr;
  {
    Ref<Buffer> b = buffer();
    b->addDestructorCallback([](cl_mem, void *count) { ++*static_cast<std::atomic<int> *>(count); }, &destroyed);
    uint8_t zero = 0;
    ASSERT_TRUE(q->enqueue(FillBuffer{b, &zero, 1, 0, 16}, {}, &event).ok());
  }
  EXPECT_EQ(destroyed, 0);
  null->completeOne();
  EXPECT_EQ(destroyed, 1);
  static_cast<Event *>(event)->release();
}

// A blocking call reports that a dependency failed, and returns no event.
TEST_F(EventGraph, BlockingCallReportsFailedDependency) {
  Ref<Queue> q = queue();
  Ref<Buffer> b = buffer();
  Ref<Event> gate = userEvent();
  ASSERT_TRUE(gate->setUserStatus(-3).ok());
  char target[16];
  cl_event event = nullptr;
  Status status = q->enqueue(ReadBuffer{b, {}, target, {}, {16, 1, 1}}, {gate}, &event, true);
  EXPECT_EQ(status.code(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(event, nullptr);
}

TEST_F(EventGraph, ProfilingTimesAreOrdered) {
  Ref<Queue> q = queue(CL_QUEUE_PROFILING_ENABLE);
  Ref<Event> event = marker(*q);
  q->finish();
  cl_ulong before = 0;
  for (cl_profiling_info which : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                  CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE}) {
    Result<cl_ulong> time = event->profilingTime(which);
    ASSERT_TRUE(time.ok());
    EXPECT_GE(*time, before);
    before = *time;
  }
  EXPECT_GT(before, 0u);
  EXPECT_EQ(marker(*queue())->profilingTime(CL_PROFILING_COMMAND_END).code(), CL_PROFILING_INFO_NOT_AVAILABLE);
}

// Times cost a device two events a command, so commands that nobody can ask have none.
TEST_F(EventGraph, CommandsWithoutAnEventHaveNoTimes) {
  Ref<Queue> q = queue(CL_QUEUE_PROFILING_ENABLE);
  EXPECT_TRUE(q->enqueue(Marker{true}, {}, nullptr).ok());
  q->finish();
  EXPECT_EQ(null->timed(), 0u);
  marker(*q);
  q->finish();
  EXPECT_EQ(null->timed(), 1u);
}

// Many threads on many queues, waiting for each other's events: every event completes, and finish covers all of its
// queue's.
TEST_F(EventGraph, ManyThreadsLoseNoEvent) {
  constexpr int Threads = 8, Rounds = 400;
  std::vector<Ref<Queue>> queues;
  for (int i = 0; i < Threads; ++i)
    queues.push_back(queue(i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
  std::mutex mutex;
  Ref<Event> shared = userEvent();
  ASSERT_TRUE(shared->setUserStatus(CL_COMPLETE).ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < Threads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < Rounds; ++i) {
        Ref<Event> before;
        {
          std::lock_guard lock(mutex);
          before = shared;
        }
        Ref<Event> mine = marker(*queues[t], {before});
        {
          std::lock_guard lock(mutex);
          shared = mine;
        }
        if (i % 16 == 0)
          mine->wait();
        if (i % 64 == 0)
          queues[t]->finish();
      }
      queues[t]->finish();
    });
  for (std::thread &thread : threads)
    thread.join();
  shared->wait();
  EXPECT_EQ(shared->executionStatus(), CL_COMPLETE);
}
