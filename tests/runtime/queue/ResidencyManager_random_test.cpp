// Random commands on many queues of five devices, with events exactly where the order matters, against a model on the
// host. Each range has one history: readers depend on its last writer, writers on that and its readers.
//
// A longer search: KILN_TEST_SEEDS=500 runs five hundred seeds of both kinds, KILN_TEST_SEED=4711 starts at that one
// instead of 0. A failure names its seed.
#include "tests/runtime/SeveralMemoryNodes.h"
#include <random>
#include <thread>

using namespace kiln;
using kiln::test::SeveralMemoryNodes;

namespace {

[[maybe_unused]] const int switches = setenv("KILN_CPU_DEVICES", "4", 1);

constexpr size_t Size = 3000, Half = 1536; // sub-buffers start at multiples of 128

unsigned numberFrom(const char *variable, unsigned otherwise) {
  const char *given = getenv(variable);
  return given ? unsigned(std::strtoul(given, nullptr, 10)) : otherwise;
}

/// Calls `play` with each seed; `usual` seeds by default.
template <typename Play> void forSeeds(unsigned usual, Play play) {
  unsigned first = numberFrom("KILN_TEST_SEED", 0), count = numberFrom("KILN_TEST_SEEDS", usual);
  for (unsigned seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    play(seed);
  }
}

class RandomPlaces : public SeveralMemoryNodes {
protected:
  /// A buffer, its halves, and its expected contents.
  struct Model {
    Ref<Buffer> root, halves[2];
    std::vector<uint8_t> bytes, memory;
    struct History {
      Ref<Event> writer;
      std::vector<Ref<Event>> readers;
    } history[2];
  };
  /// Part 0 or 1 of a model, or the whole as part 2.
  struct Part {
    Model *model;
    int part;
    Buffer &buffer() const { return part == 2 ? *model->root : *model->halves[part]; }
    uint8_t *bytes() const { return model->bytes.data() + buffer().offset(); }
    size_t size() const { return buffer().size(); }
  };

  class Player {
  public:
    Player(RandomPlaces &test, unsigned seed, std::vector<Ref<Queue>> queues, std::vector<Model *> models)
        : test_(test), random_(seed), queues_(std::move(queues)), models_(std::move(models)) {}

    void play(int commands) {
      for (int i = 0; i < commands; ++i)
        step();
      for (const Ref<Queue> &queue : queues_)
        queue->finish();
      for (const Expected &expected : expected_)
        ASSERT_EQ(expected.found, expected.bytes) << "a read in between";
      for (Model *model : models_)
        ASSERT_EQ(test_.read(*queues_[0], *model->root), model->bytes) << "at the end";
    }

  private:
    unsigned pick(unsigned count) { return random_() % count; }
    Part part() { return {models_[pick(unsigned(models_.size()))], int(pick(3))}; }

    /// The events that a use must depend on; in an in-order queue, those of the same queue may be left out.
    void follow(Part part, bool writes, WaitList &waits) {
      for (int half : {0, 1}) {
        if (part.part != 2 && part.part != half)
          continue;
        Model::History &history = part.model->history[half];
        if (history.writer)
          waits.push_back(history.writer);
        if (writes)
          waits.insert(waits.end(), history.readers.begin(), history.readers.end());
      }
    }
    void note(Part part, bool writes, const Ref<Event> &event) {
      for (int half : {0, 1}) {
        if (part.part != 2 && part.part != half)
          continue;
        Model::History &history = part.model->history[half];
        if (writes)
          history = {event, {}};
        else
          history.readers.push_back(event);
      }
    }
    void trim(Queue &queue, WaitList &waits) {
      if (queue.inOrder() && pick(2))
        std::erase_if(waits, [&](const Ref<Event> &event) { return event->queue() == &queue; });
    }

    void step() {
      Queue &queue = *queues_[pick(unsigned(queues_.size()))];
      Part to = part(), from = part();
      WaitList waits;
      auto value = uint8_t(random_());
      switch (pick(12)) {
      case 0: { // a kernel that reads and writes
        follow(to, true, waits);
        trim(queue, waits);
        note(to, true, test_.scale(queue, to.buffer(), value, waits));
        SeveralMemoryNodes::scaleLocally(to.bytes(), to.size(), value);
        break;
      }
      case 1: { // a kernel that reads here and writes there
        if (from.model == to.model)
          break;
        follow(to, true, waits);
        follow(from, false, waits);
        trim(queue, waits);
        Ref<Event> event = test_.sum(queue, from.buffer(), to.buffer(), waits);
        note(to, true, event);
        note(from, false, event);
        uint64_t sum = 0;
        for (size_t i = 0; i < from.size(); ++i)
          sum += from.bytes()[i];
        std::memcpy(to.bytes(), &sum, sizeof sum);
        break;
      }
      case 2: { // a fill of some bytes
        size_t begin = pick(unsigned(to.size())), size = 1 + pick(unsigned(to.size() - begin));
        follow(to, true, waits);
        trim(queue, waits);
        note(to, true, test_.enqueue(queue, FillBuffer{&to.buffer(), &value, 1, begin, size}, waits));
        std::memset(to.bytes() + begin, value, size);
        break;
      }
      case 3: { // a write of a box
        size_t w = 1 + pick(20), h = 1 + pick(10), pitch = 24 + pick(40), x = pick(100);
        written_.push_back(std::vector<uint8_t>(w * h, value));
        follow(to, true, waits);
        trim(queue, waits);
        note(to, true,
             test_.enqueue(
                 queue,
                 WriteBuffer{
                     &to.buffer(), {x, pitch, pitch * h}, written_.back().data(), {0, w, w * h}, {w, h, 1}, true},
                 waits));
        for (size_t row = 0; row < h; ++row)
          std::memset(to.bytes() + x + row * pitch, value, w);
        break;
      }
      case 4: { // a copy
        if (from.model == to.model)
          break;
        size_t size = 1 + pick(unsigned(std::min(from.size(), to.size())));
        size_t x = pick(unsigned(from.size() - size + 1)), y = pick(unsigned(to.size() - size + 1));
        follow(to, true, waits);
        follow(from, false, waits);
        trim(queue, waits);
        Ref<Event> event =
            test_.enqueue(queue, CopyBuffer{&from.buffer(), &to.buffer(), {x}, {y}, {size, 1, 1}}, waits);
        note(to, true, event);
        note(from, false, event);
        std::memcpy(to.bytes() + y, from.bytes() + x, size);
        break;
      }
      case 5:
      case 6: { // a read, checked at the end
        size_t begin = pick(unsigned(from.size())), size = 1 + pick(unsigned(from.size() - begin));
        Expected &expected = expected_.emplace_back();
        expected.bytes.assign(from.bytes() + begin, from.bytes() + begin + size);
        expected.found.resize(size);
        follow(from, false, waits);
        trim(queue, waits);
        note(from, false,
             test_.enqueue(queue, ReadBuffer{&from.buffer(), {begin}, expected.found.data(), {}, {size, 1, 1}}, waits));
        break;
      }
      case 7: { // a map and its unmap
        bool writes = pick(2), all = writes && pick(2);
        size_t begin = pick(unsigned(to.size())), size = 1 + pick(unsigned(to.size() - begin));
        follow(to, writes, waits);
        cl_map_flags flags = all ? CL_MAP_WRITE_INVALIDATE_REGION : writes ? CL_MAP_WRITE | CL_MAP_READ : CL_MAP_READ;
        Result<void *> mapped = queue.enqueueMap({&to.buffer(), flags, {begin}, {size, 1, 1}}, waits, nullptr, true);
        ASSERT_TRUE(mapped.ok()) << mapped.message();
        if (!all)
          ASSERT_EQ(std::memcmp(*mapped, to.bytes() + begin, size), 0) << "under a map";
        if (writes) {
          std::memset(*mapped, value, size);
          std::memset(to.bytes() + begin, value, size);
        }
        cl_event unmapped = nullptr;
        ASSERT_TRUE(queue.enqueueUnmap(to.buffer(), *mapped, {}, &unmapped).ok());
        note(to, writes, static_cast<Event *>(unmapped));
        static_cast<Event *>(unmapped)->release();
        break;
      }
      case 8: { // a migration
        follow(to, true, waits);
        note(to, true,
             test_.enqueue(queue,
                           Migrate{{&to.buffer()}, pick(2) ? CL_MIGRATE_MEM_OBJECT_HOST : cl_mem_migration_flags(0)},
                           waits));
        break;
      }
      case 9: { // a native kernel
        if (!(queue.device().info().executionCapabilities & CL_EXEC_NATIVE_KERNEL))
          break;
        struct Given {
          std::byte *bytes;
          size_t size;
          uint8_t add;
        } given{*to.buffer().residency().host() + to.buffer().offset(), to.size(), value};
        NativeKernel native{[](void *argument) {
                              auto *given = static_cast<Given *>(argument);
                              SeveralMemoryNodes::scaleLocally(reinterpret_cast<uint8_t *>(given->bytes), given->size,
                                                               given->add);
                            },
                            std::vector<std::byte>(sizeof(Given)),
                            {&to.buffer()},
                            true};
        std::memcpy(native.arguments.data(), &given, sizeof given);
        follow(to, true, waits);
        trim(queue, waits);
        note(to, true, test_.enqueue(queue, std::move(native), waits));
        SeveralMemoryNodes::scaleLocally(to.bytes(), to.size(), value);
        break;
      }
      case 10: { // skipped commands: they change nothing
        follow(to, true, waits);
        Ref<Event> gate = Event::createUser(*test_.context);
        gate.handle();
        waits.push_back(gate);
        Ref<Event> first =
            pick(2) ? test_.scale(queue, to.buffer(), value, waits) : test_.fill(queue, to.buffer(), value, waits);
        Ref<Event> second = test_.fill(queue, to.buffer(), uint8_t(value + 1), {first});
        ASSERT_TRUE(gate->setUserStatus(-7).ok());
        gate->release();
        // Others must not depend on the failure, and the two must not run with them.
        first->wait();
        second->wait();
        break;
      }
      default:
        if (pick(4) == 0)
          queue.finish();
        else
          queue.flush();
      }
    }

    struct Expected {
      std::vector<uint8_t> bytes, found;
    };
    RandomPlaces &test_;
    std::mt19937 random_;
    const std::vector<Ref<Queue>> queues_;
    const std::vector<Model *> models_;
    std::list<Expected> expected_;
    std::list<std::vector<uint8_t>> written_;
  };

  std::unique_ptr<Model> model(unsigned seed) {
    auto made = std::make_unique<Model>();
    made->bytes.resize(Size);
    std::mt19937 random(seed);
    for (uint8_t &byte : made->bytes)
      byte = uint8_t(random());
    made->memory = made->bytes;
    made->root = buffer(Size, seed % 2 ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, made->memory.data());
    made->halves[0] = sub(*made->root, 0, Half);
    made->halves[1] = sub(*made->root, Half, Size - Half);
    return made;
  }
  /// One or two queues of every device.
  std::vector<Ref<Queue>> manyQueues(std::mt19937 &random) {
    std::vector<Ref<Queue>> made;
    for (int device = 0; device < Devices; ++device) {
      made.push_back(queue(device));
      if (random() % 2)
        made.push_back(queue(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
    }
    return made;
  }
};

} // namespace

TEST_F(RandomPlaces, OneThread) {
  forSeeds(40, [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::unique_ptr<Model>> models;
    std::vector<Model *> all;
    for (unsigned i = 0; i < 4; ++i)
      all.push_back(models.emplace_back(model(seed * 4 + i)).get());
    Player(*this, seed, manyQueues(random), all).play(300);
    endQueues();
  });
}

// Each thread has its own buffers; queues are shared, so that waiting bytes of one thread delay the other's commands.
TEST_F(RandomPlaces, ManyThreads) {
  forSeeds(1, [&](unsigned seed) {
    std::mt19937 random(seed + 7);
    std::vector<Ref<Queue>> queues = manyQueues(random);
    std::vector<std::unique_ptr<Model>> models;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) {
      std::vector<Model *> mine;
      for (unsigned i = 0; i < 3; ++i)
        mine.push_back(models.emplace_back(model(seed * 12 + t * 3 + i)).get());
      threads.emplace_back([=, this] { Player(*this, 100 + seed * 4 + t, queues, mine).play(600); });
    }
    for (std::thread &thread : threads)
      thread.join();
    endQueues();
  });
}
