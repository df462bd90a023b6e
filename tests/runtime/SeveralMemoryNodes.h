// A context of devices with different memory nodes: the CPU that shares the host's memory, three CPU devices with
// memory of their own (neighbours are peers), and one that behaves like a GPU behind a driver.
#pragma once
#include "backends/cpu/driver/CpuLaunch.h"
#include "runtime/queue/Queue.h"
#include "tests/runtime/AsyncDevice.h"
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <list>
#include <thread>

namespace kiln::cpu {
std::vector<std::unique_ptr<Device>> discover();
}

namespace kiln::test {

/// A kernel over bytes: each becomes 3 * b + add, once the gate is open.
struct ScaleArguments {
  uint64_t address;
  uint64_t add;
  const std::atomic<bool> *gate;
};
inline void scaleBytes(const void *arguments, const abi::CpuLaunch *, uint64_t first, uint64_t end, void *, void *) {
  auto &given = *static_cast<const ScaleArguments *>(arguments);
  auto *bytes = reinterpret_cast<uint8_t *>(given.address);
  while (given.gate && !given.gate->load())
    std::this_thread::yield();
  for (uint64_t i = first; i < end; ++i)
    bytes[i] = uint8_t(3 * bytes[i] + given.add);
}
/// Adds up the first buffer into the first eight bytes of the second, which it overwrites.
struct SumArguments {
  uint64_t from, to, size;
};
inline void sumBytes(const void *arguments, const abi::CpuLaunch *, uint64_t, uint64_t, void *, void *) {
  auto &given = *static_cast<const SumArguments *>(arguments);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < given.size; ++i)
    sum += reinterpret_cast<const uint8_t *>(given.from)[i];
  std::memcpy(reinterpret_cast<void *>(given.to), &sum, sizeof sum);
}

class SeveralMemoryNodes : public ::testing::Test {
protected:
  enum { Cpu, Own1, Own2, Own3, Async, Devices };

  void SetUp() override {
    for (auto &found : cpu::discover())
      devices.emplace_back(new DeviceObject(std::move(found), unsigned(devices.size())));
    ASSERT_EQ(devices.size(), size_t(Async));
    devices.emplace_back(new DeviceObject(std::make_unique<AsyncDevice>(), Async));
    std::vector<DeviceObject *> all;
    for (const Ref<DeviceObject> &device : devices)
      all.push_back(device.get());
    context = *Context::create({}, all, nullptr, nullptr);
  }
  void TearDown() override {
    for (const Ref<Event> &event : userEvents)
      if (event->referenceCount())
        event->release();
    userEvents.clear();
    endQueues();
    if (context)
      letGo();
  }
  /// Checks that no complete command holds a reference: the context is destroyed with the test's last reference,
  /// perhaps a moment later, while a thread leaves an operation.
  void letGo() {
    auto *gone = new std::atomic<bool>(false); // leaked if it is never set: a late thread may still set it
    context->addDestructorCallback([](cl_context, void *gone) { *static_cast<std::atomic<bool> *>(gone) = true; },
                                   gone);
    context = nullptr;
    for (int i = 0; i < 20'000 && !*gone; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!*gone)
      ADD_FAILURE() << "something still holds the context";
    else
      delete gone;
  }
  void endQueues() {
    for (const Ref<Queue> &queue : queues)
      queue->finish();
    for (const Ref<Queue> &queue : queues)
      queue->release();
    queues.clear();
  }
  Ref<Queue> queue(int device, cl_command_queue_properties properties = 0) {
    queues.push_back(*Queue::create(*context, *devices[size_t(device)], properties, {}));
    queues.back().handle();
    return queues.back();
  }
  Ref<Buffer> buffer(size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE, void *host = nullptr) {
    return *Buffer::create(*context, flags, size, host);
  }
  Ref<Buffer> sub(Buffer &parent, size_t offset, size_t size) { return *Buffer::createSub(parent, 0, {offset, size}); }
  Ref<Event> userEvent() {
    Ref<Event> event = Event::createUser(*context);
    event.handle();
    userEvents.push_back(event);
    return event;
  }

  Ref<Event> enqueue(Queue &on, Command command, const WaitList &waits = {}) {
    cl_event handle = nullptr;
    Status status = on.enqueue(std::move(command), waits, &handle);
    EXPECT_TRUE(status.ok()) << status.message();
    Ref<Event> event(static_cast<Event *>(handle));
    if (event)
      event->release();
    return event;
  }
  static void scaleLocally(uint8_t *bytes, size_t size, uint8_t add) {
    for (size_t i = 0; i < size; ++i)
      bytes[i] = uint8_t(3 * bytes[i] + add);
  }
  /// The kernel that reads and writes all of a buffer.
  Ref<Event> scale(Queue &on, Buffer &buffer, uint8_t add, const WaitList &waits = {},
                   const std::atomic<bool> *gate = nullptr) {
    HostLaunch made;
    made.arguments = ArgumentBlock::create(sizeof(ScaleArguments));
    ScaleArguments arguments{*buffer.address(on.device()), add, gate};
    std::memcpy(made.arguments->data, &arguments, sizeof arguments);
    made.uses.push_back({&buffer, true, true});
    return launch(on, std::move(made), scaleFunction, buffer.size(), waits);
  }
  /// The kernel that only reads one buffer and writes another.
  Ref<Event> sum(Queue &on, Buffer &from, Buffer &to, const WaitList &waits = {}) {
    HostLaunch made;
    made.arguments = ArgumentBlock::create(sizeof(SumArguments));
    SumArguments arguments{*from.address(on.device()), *to.address(on.device()), from.size()};
    std::memcpy(made.arguments->data, &arguments, sizeof arguments);
    made.uses.push_back({&from, true, false});
    made.uses.push_back({&to, true, true});
    return launch(on, std::move(made), sumFunction, 1, waits);
  }
  std::vector<uint8_t> read(Queue &on, Buffer &buffer, const WaitList &waits = {}) {
    std::vector<uint8_t> bytes(buffer.size());
    Status status = on.enqueue(ReadBuffer{&buffer, {}, bytes.data(), {}, {buffer.size(), 1, 1}}, waits, nullptr, true);
    EXPECT_TRUE(status.ok()) << status.message();
    return bytes;
  }
  Ref<Event> fill(Queue &on, Buffer &buffer, uint8_t value, const WaitList &waits = {}) {
    return enqueue(on, FillBuffer{&buffer, &value, 1, 0, buffer.size()}, waits);
  }
  /// Writes from a copy of the bytes, which may change meanwhile.
  Ref<Event> write(Queue &on, Buffer &buffer, std::vector<uint8_t> bytes, const WaitList &waits = {}) {
    written.push_back(std::move(bytes));
    size_t size = written.back().size();
    return enqueue(on, WriteBuffer{&buffer, {}, written.back().data(), {}, {size, 1, 1}}, waits);
  }
  Ref<Event> launch(Queue &on, HostLaunch made, cpu::CpuFunction &function, size_t items, const WaitList &waits) {
    made.grid.function = &function;
    made.grid.plan = &plan;
    made.grid.arguments = made.arguments->data;
    made.grid.argumentBytes = made.arguments->size;
    made.grid.globalSize = {items, 1, 1};
    return enqueue(on, NDRange{std::move(made)}, waits);
  }
  ResidencyManager::TransferStats transferStats() const { return ResidencyManager::of(*context)->transferStats(); }
  uint64_t transfersBy(const std::function<void()> &what) {
    uint64_t before = transferStats().transfers;
    what();
    return transferStats().transfers - before;
  }

  std::vector<Ref<DeviceObject>> devices;
  Ref<Context> context;
  std::vector<Ref<Queue>> queues;
  std::vector<Ref<Event>> userEvents;
  std::list<std::vector<uint8_t>> written;

private:
  KernelPlan plan;
  cpu::CpuFunction scaleFunction{scaleBytes}, sumFunction{sumBytes};
};

} // namespace kiln::test
