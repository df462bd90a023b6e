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
    device = new DeviceObject(std::move(owned), 0); // devices live as long as the process
    context = *Context::create({}, {device}, nullptr, nullptr);
  }
  Ref<Queue> queue(cl_command_queue_properties properties = 0) {
    return *Queue::create(*context, *device, properties, {});
  }
  Ref<Buffer> buffer(size_t size = 4096, cl_mem_flags flags = CL_MEM_READ_WRITE) {
    return *Buffer::create(*context, flags, size, nullptr);
  }
  /// Enqueues a marker, which is the least of commands, and gives its event.
  Ref<Event> marker(Queue &on, const WaitList &waits = {}) {
    cl_event handle = nullptr;
    EXPECT_TRUE(on.enqueue(Marker{waits.empty()}, waits, &handle).ok());
    Ref<Event> event(static_cast<Event *>(handle));
    event->release();
    return event;
  }
  /// A user event with a handle, as the application holds it.
  Ref<Event> userEvent() {
    Ref<Event> event = Event::createUser(*context);
    event.handle();
    return event;
  }

  null::NullDevice *null = nullptr;
  DeviceObject *device = nullptr;
  Ref<Context> context;
};

} // namespace kiln::test
