// A context on one null device whose commands end when the test says so.
#pragma once
#include "backends/null/NullDevice.h"
#include "runtime/queue/Queue.h"
#include <gtest/gtest.h>

namespace kiln::test {

class OnNullDevice : public ::testing::Test {
protected:
  void SetUp() override {
    auto owned = std::make_unique<null::NullDevice>();
    null = owned.get();
    prepare(*null);
    device = Ref<DeviceObject>(new DeviceObject(std::move(owned), 0));
    context = *Context::create({}, {device.get()}, nullptr, nullptr);
  }
  void TearDown() override {
    for (const Ref<Event> &event : userEvents)
      if (event->referenceCount())
        event->release();
    null->pause(false);
    for (const Ref<Queue> &queue : queues) // as releasing the last handle does
      queue->flush();
  }
  /// Changes the device before its first use.
  virtual void prepare(null::NullDevice &) {}
  Ref<Queue> queue(cl_command_queue_properties properties = 0) {
    queues.push_back(*Queue::create(*context, *device, properties, {}));
    return queues.back();
  }
  Ref<Buffer> buffer(size_t size = 4096, cl_mem_flags flags = CL_MEM_READ_WRITE) {
    return *Buffer::create(*context, flags, size, nullptr);
  }
  /// Enqueues a marker, the simplest command, and returns its event.
  Ref<Event> marker(Queue &on, const WaitList &waits = {}) {
    cl_event handle = nullptr;
    EXPECT_TRUE(on.enqueue(Marker{waits.empty()}, waits, &handle).ok());
    Ref<Event> event(static_cast<Event *>(handle));
    event->release();
    return event;
  }
  /// A user event with a handle, as the application has it.
  Ref<Event> userEvent() {
    Ref<Event> event = Event::createUser(*context);
    event.handle();
    userEvents.push_back(event);
    return event;
  }

  null::NullDevice *null = nullptr;
  Ref<DeviceObject> device; // outlives what the test made on it
  Ref<Context> context;
  std::vector<Ref<Queue>> queues;
  std::vector<Ref<Event>> userEvents;
};

} // namespace kiln::test
