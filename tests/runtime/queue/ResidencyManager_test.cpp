#include "tests/runtime/SeveralMemoryNodes.h"
#include <algorithm>
#include <numeric>
#include <thread>

using namespace kiln;
using kiln::test::SeveralMemoryNodes;

namespace {

// Before the switches are read.
[[maybe_unused]] const int switches = setenv("KILN_CPU_DEVICES", "4", 1);

std::vector<uint8_t> numbers(size_t size, uint8_t first = 0) {
  std::vector<uint8_t> bytes(size);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

using Places = SeveralMemoryNodes;

} // namespace

// Back and forth between every two devices: the right bytes, with one transfer for each change of node; two if the
// bytes must go through the host.
TEST_F(Places, HandedBackAndForth) {
  struct Pair {
    int a, b;
    unsigned transfersPerRound;
  };
  for (Pair pair :
       {Pair{Cpu, Own1, 2}, Pair{Own1, Own2, 2}, Pair{Own1, Own3, 4}, Pair{Cpu, Async, 2}, Pair{Async, Own1, 4}}) {
    constexpr size_t Size = 1000, Rounds = 1000;
    Ref<Buffer> shared = buffer(Size);
    Ref<Queue> a = queue(pair.a), b = queue(pair.b);
    std::vector<uint8_t> expected = numbers(Size);
    ResidencyManager::TransferStats before = transferStats();
    Ref<Event> last = write(*a, *shared, expected);
    for (size_t round = 0; round < Rounds; ++round) {
      last = scale(*b, *shared, uint8_t(round), {last});
      last = scale(*a, *shared, 7, {last});
      scaleLocally(expected.data(), Size, uint8_t(round));
      scaleLocally(expected.data(), Size, 7);
    }
    EXPECT_EQ(read(*a, *shared, {last}), expected);
    EXPECT_EQ(transferStats().transfers - before.transfers, Rounds * pair.transfersPerRound)
        << pair.a << " and " << pair.b;
    EXPECT_EQ(transferStats().bytes - before.bytes, Rounds * pair.transfersPerRound * Size);
  }
}

// A buffer that is used on one device, from any of its queues, is never transferred.
TEST_F(Places, OneDeviceTransfersNothing) {
  for (int device = 0; device < Devices; ++device) {
    Ref<Queue> a = queue(device), b = queue(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    Ref<Buffer> used = buffer(512);
    std::vector<uint8_t> expected = numbers(512);
    EXPECT_EQ(transfersBy([&] {
                Ref<Event> last = write(*a, *used, expected);
                for (int i = 0; i < 20; ++i) {
                  last = scale(i % 2 ? *a : *b, *used, uint8_t(i), {last});
                  scaleLocally(expected.data(), 512, uint8_t(i));
                }
                EXPECT_EQ(read(*b, *used, {last}), expected);
              }),
              0u)
        << device;
  }
}

// Readers on all devices: each node gets the bytes once, and no node loses them.
TEST_F(Places, ReadersTransferOnce) {
  Ref<Buffer> input = buffer(4096);
  std::vector<uint8_t> bytes = numbers(4096);
  uint64_t expected = std::accumulate(bytes.begin(), bytes.end(), uint64_t(0));
  Ref<Queue> writer = queue(Cpu);
  Ref<Event> written = write(*writer, *input, bytes);
  for (int round = 0; round < 3; ++round)
    EXPECT_EQ(transfersBy([&] {
                std::vector<std::pair<Ref<Queue>, Ref<Buffer>>> readers;
                for (int device = 0; device < Devices; ++device) {
                  readers.emplace_back(queue(device), buffer(8));
                  sum(*readers.back().first, *input, *readers.back().second, {written});
                }
                for (auto &[q, result] : readers) {
                  std::vector<uint8_t> found = read(*q, *result);
                  EXPECT_EQ(std::memcmp(found.data(), &expected, 8), 0);
                }
              }),
              round ? 0u : unsigned(Devices - 1));
}

// A read takes the bytes from any node: nothing is transferred into the buffer for it, except bytes that only another
// device can copy.
TEST_F(Places, ReadTakesBytesFromWhereTheyAre) {
  Ref<Queue> host = queue(Cpu), own = queue(Own1), other = queue(Own3);
  Ref<Buffer> parent = buffer(4096), lower = sub(*parent, 0, 2048), upper = sub(*parent, 2048, 2048);
  std::vector<uint8_t> expected = numbers(4096, 5);
  write(*host, *parent, expected);
  host->finish();
  EXPECT_EQ(transfersBy([&] { EXPECT_EQ(read(*own, *parent), expected); }), 0u) << "all of it in the host's memory";
  scale(*own, *lower, 1);
  own->finish();
  scaleLocally(expected.data(), 2048, 1);
  EXPECT_EQ(transfersBy([&] { EXPECT_EQ(read(*own, *parent), expected); }), 0u) << "half and half";
  EXPECT_EQ(transfersBy([&] { EXPECT_EQ(read(*other, *parent), expected); }), 1u) << "half of it is out of reach";
  EXPECT_EQ(transfersBy([&] { EXPECT_EQ(read(*other, *parent), expected); }), 0u) << "and is in the host's memory now";
}

// A read of bytes that were never written allocates nothing in the host's memory: hashcat fills a GPU with buffers and
// reads some bytes of each before it writes them.
TEST_F(Places, ReadOfUnwrittenBytesAllocatesOnTheDevice) {
  Ref<Buffer> flat = buffer(4096);
  Ref<Queue> own = queue(Own1);
  read(*own, *flat);
  EXPECT_TRUE(flat->residency().has(context->nodeOf(*devices[Own1])));
  EXPECT_FALSE(flat->residency().has(HostNode));
  write(*own, *flat, numbers(4096));
  EXPECT_EQ(read(*own, *flat), numbers(4096));
  EXPECT_FALSE(flat->residency().has(HostNode));
}

// Two devices write the halves of one buffer at once, as OpenCL allows with sub-buffers; repeatedly, in both orders.
TEST_F(Places, DisjointSubBuffersAtOnce) {
  for (auto [first, second] : {std::pair{Cpu, Own1}, {Own1, Own3}, {Async, Cpu}, {Own2, Async}, {Own1, Own2}}) {
    constexpr size_t Size = 8192, Half = 4096, Rounds = 50;
    Ref<Buffer> parent = buffer(Size), lower = sub(*parent, 0, Half), upper = sub(*parent, Half, Half);
    Ref<Queue> a = queue(first), b = queue(second);
    std::vector<uint8_t> expected = numbers(Size);
    Ref<Event> last = write(*a, *parent, expected);
    for (size_t round = 0; round < Rounds; ++round) {
      Ref<Event> one, two;
      auto writeLower = [&] { one = scale(*a, *lower, 3, {last}); };
      auto writeUpper = [&] { two = scale(*b, *upper, 9, {last}); };
      if (round % 2) {
        std::thread other(writeUpper);
        writeLower();
        other.join();
      } else {
        writeUpper();
        writeLower();
      }
      a->flush();
      b->flush();
      scaleLocally(expected.data(), Half, 3);
      scaleLocally(expected.data() + Half, Half, 9);
      // One of them uses all of it in between, so that the halves are coalesced and split again.
      if (round % 5 == 4) {
        last = scale(round % 2 ? *a : *b, *parent, 1, {one, two});
        scaleLocally(expected.data(), Size, 1);
      } else {
        last = enqueue(*a, Marker{false}, {one, two});
      }
    }
    EXPECT_EQ(read(*b, *parent, {last}), expected) << first << " and " << second;
  }
}

// Each device keeps writing its own half: only the first time transfers.
TEST_F(Places, DisjointSubBuffersStayWhereTheyAre) {
  Ref<Buffer> parent = buffer(8192), lower = sub(*parent, 0, 4096), upper = sub(*parent, 4096, 4096);
  Ref<Queue> a = queue(Own1), b = queue(Async);
  std::vector<uint8_t> expected(8192, 1);
  Ref<Event> filled = fill(*a, *parent, 1);
  auto round = [&] {
    Ref<Event> one = scale(*a, *lower, 0, {filled}), two = scale(*b, *upper, 0, {filled});
    scaleLocally(expected.data(), 8192, 0);
    a->finish();
    b->finish();
  };
  EXPECT_EQ(transfersBy(round), 2u) << "the upper half, through the host";
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(transfersBy(round), 0u);
  EXPECT_EQ(read(*a, *parent), expected);
}

// Bytes are not transferred while a command still writes on their node, with or without events: a program may know that
// the two use different bytes, and the command's later writes must not be lost.
TEST_F(Places, WritersEndBeforeTransfers) {
  for (auto [writer, reader] : {std::pair{Own1, Own1}, {Async, Async}, {Own1, Own2}, {Own1, Own3}, {Cpu, Own1}}) {
    Ref<Queue> a = queue(writer), b = queue(reader);
    Ref<Buffer> used = buffer(256);
    fill(*a, *used, 1);
    a->finish();
    std::atomic<bool> open{false};
    Ref<Event> writing = scale(*a, *used, 2, {}, &open);
    a->flush();
    cl_event handle = nullptr;
    // On the writer's device, the host needs the bytes; otherwise the other device does.
    Ref<Buffer> sink = buffer(8);
    Ref<Event> reading;
    void *mapped = nullptr;
    if (writer == reader) {
      mapped = *b->enqueueMap({used, CL_MAP_READ, {0}, {256, 1, 1}}, {}, &handle, false);
      reading = Ref<Event>(static_cast<Event *>(handle));
      reading->release();
    } else {
      reading = sum(*b, *used, *sink);
    }
    b->flush();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(reading->isComplete()) << writer << " and " << reader;
    open = true;
    reading->wait();
    EXPECT_TRUE(writing->isComplete());
    if (mapped) {
      EXPECT_EQ(static_cast<uint8_t *>(mapped)[255], 5);
      EXPECT_TRUE(b->enqueueUnmap(*used, mapped, {}, nullptr).ok());
      b->finish();
    }
    EXPECT_EQ(read(*queue(Cpu), *used), std::vector<uint8_t>(256, 5));
    EXPECT_EQ(read(*b, *used), std::vector<uint8_t>(256, 5));
  }
}

// Overwriting needs no previous bytes.
TEST_F(Places, OverwritingTransfersNothing) {
  Ref<Queue> host = queue(Cpu), own = queue(Own1), async = queue(Async);
  Ref<Buffer> target = buffer(1024), source = buffer(1024);
  EXPECT_EQ(transfersBy([&] {
              fill(*own, *source, 4);
              own->finish();
              fill(*host, *target, 1);
              host->finish();
              fill(*own, *target, 2);
              own->finish();
              write(*async, *target, numbers(1024));
              async->finish();
              enqueue(*own, CopyBuffer{source, target, {}, {}, {1024, 1, 1}});
              EXPECT_EQ(read(*own, *target), std::vector<uint8_t>(1024, 4));
            }),
            0u);
}

TEST_F(Places, MapsBetweenDevices) {
  for (int device : {Own1, Async, Cpu}) {
    Ref<Queue> own = queue(device), host = queue(Cpu);
    Ref<Buffer> b = buffer(1024);
    std::vector<uint8_t> expected = numbers(1024, 3);
    write(*own, *b, expected);
    for (int round = 0; round < 20; ++round) {
      scale(*own, *b, uint8_t(round));
      scaleLocally(expected.data(), 1024, uint8_t(round));
      own->finish();
      // Maps a part for writing, on either device's queue.
      Queue &on = round % 2 ? *own : *host;
      auto *mapped = static_cast<uint8_t *>(
          *on.enqueueMap({b, CL_MAP_READ | CL_MAP_WRITE, {100}, {300, 1, 1}}, {}, nullptr, true));
      EXPECT_EQ(std::memcmp(mapped, expected.data() + 100, 300), 0);
      for (int i = 0; i < 300; ++i)
        mapped[i] = expected[size_t(100 + i)] = uint8_t(i + round);
      EXPECT_TRUE(on.enqueueUnmap(*b, mapped, {}, nullptr).ok());
      on.finish();
      // And for reading only, after which the device is still current.
      scale(*own, *b, 1);
      scaleLocally(expected.data(), 1024, 1);
      own->finish();
      mapped = static_cast<uint8_t *>(*on.enqueueMap({b, CL_MAP_READ, {0}, {1024, 1, 1}}, {}, nullptr, true));
      EXPECT_EQ(std::memcmp(mapped, expected.data(), 1024), 0);
      EXPECT_TRUE(on.enqueueUnmap(*b, mapped, {}, nullptr).ok());
      on.finish();
      EXPECT_EQ(transfersBy([&] {
                  scale(*own, *b, 5);
                  own->finish();
                }),
                0u);
      scaleLocally(expected.data(), 1024, 5);
    }
    EXPECT_EQ(read(*host, *b), expected);
  }
}

TEST_F(Places, MapForOverwritingTransfersNothing) {
  Ref<Queue> own = queue(Own1);
  Ref<Buffer> b = buffer(256);
  fill(*own, *b, 1);
  own->finish();
  EXPECT_EQ(transfersBy([&] {
              void *mapped = *own->enqueueMap({b, CL_MAP_WRITE_INVALIDATE_REGION, {0}, {256, 1, 1}}, {}, nullptr, true);
              std::memset(mapped, 9, 256);
              EXPECT_TRUE(own->enqueueUnmap(*b, mapped, {}, nullptr).ok());
              own->finish();
            }),
            0u);
  EXPECT_EQ(transfersBy([&] {
              scale(*own, *b, 0);
              own->finish();
            }),
            1u);
  EXPECT_EQ(read(*own, *b), std::vector<uint8_t>(256, 27));
}

// The application's own memory is the host's storage: devices' writes appear there under a map, and writes there under
// a map reach the devices.
TEST_F(Places, ApplicationMemoryIsTheHostsStorage) {
  std::vector<uint8_t> memory = numbers(4096), expected = memory;
  Ref<Buffer> b = buffer(4096, CL_MEM_USE_HOST_PTR, memory.data());
  Ref<Queue> own = queue(Own1), async = queue(Async);
  for (int round = 0; round < 10; ++round) {
    Ref<Event> first = scale(*own, *b, 1);
    scale(*async, *b, 2, {first});
    scaleLocally(expected.data(), 4096, 1);
    scaleLocally(expected.data(), 4096, 2);
    async->finish();
    void *mapped = *async->enqueueMap({b, CL_MAP_READ | CL_MAP_WRITE, {0}, {4096, 1, 1}}, {}, nullptr, true);
    ASSERT_EQ(mapped, memory.data());
    EXPECT_EQ(memory, expected);
    memory[7] = expected[7] = uint8_t(round);
    EXPECT_TRUE(async->enqueueUnmap(*b, mapped, {}, nullptr).ok());
    async->finish();
  }
}

TEST_F(Places, CopiedHostBytesReachEveryDevice) {
  std::vector<uint8_t> bytes = numbers(300, 9);
  for (int device = 0; device < Devices; ++device) {
    Ref<Buffer> b = buffer(300, CL_MEM_COPY_HOST_PTR, bytes.data());
    Ref<Queue> q = queue(device);
    scale(*q, *b, 1);
    std::vector<uint8_t> expected = bytes;
    scaleLocally(expected.data(), 300, 1);
    EXPECT_EQ(read(*q, *b), expected);
  }
}

// Boxes: the bytes between their rows keep their values, on any device.
TEST_F(Places, BoxesBetweenDevices) {
  constexpr size_t Pitch = 32, Rows = 32, Size = Pitch * Rows;
  Ref<Queue> queues[] = {queue(Cpu), queue(Own1), queue(Own3), queue(Async)};
  Ref<Buffer> a = buffer(Size), b = buffer(Size);
  std::vector<uint8_t> inA = numbers(Size), inB = numbers(Size, 77);
  Ref<Event> last = write(*queues[0], *b, inB, {write(*queues[1], *a, inA)});
  for (size_t round = 0; round < 40; ++round) {
    Queue &on = *queues[round % 4];
    size_t x = round % 7, y = round % 5, w = 3 + round % 11, h = 2 + round % 9;
    BoxLayout from{y * Pitch + x, Pitch, Size}, to{x * Pitch + y, Pitch, Size};
    last = enqueue(on, CopyBuffer{a, b, from, to, {w, h, 1}}, {last});
    for (size_t row = 0; row < h; ++row)
      std::memcpy(&inB[to.offset + row * Pitch], &inA[from.offset + row * Pitch], w);
    Queue &next = *queues[(round / 4 + 1) % 4];
    std::vector<uint8_t> rows = numbers(w * h, uint8_t(round));
    ASSERT_TRUE(next.enqueue(WriteBuffer{a, from, rows.data(), {0, w, w * h}, {w, h, 1}}, {last}, nullptr, true).ok());
    for (size_t row = 0; row < h; ++row)
      std::memcpy(&inA[from.offset + row * Pitch], &rows[row * w], w);
    std::vector<uint8_t> found(w * h);
    ASSERT_TRUE(on.enqueue(ReadBuffer{b, to, found.data(), {0, w, w * h}, {w, h, 1}}, {}, nullptr, true).ok());
    for (size_t row = 0; row < h; ++row)
      EXPECT_EQ(std::memcmp(&found[row * w], &inB[to.offset + row * Pitch], w), 0);
  }
  EXPECT_EQ(read(*queues[0], *a), inA);
  EXPECT_EQ(read(*queues[0], *b), inB);
}

// The unmap of a box makes only its bytes current on the host: a device's writes between its rows meanwhile are kept.
TEST_F(Places, UnmapOfABoxLeavesItsGaps) {
  constexpr size_t Pitch = 32, Rows = 16, Size = Pitch * Rows;
  for (int device : {int(Own1), int(Async)}) {
    Ref<Queue> own = queue(device), host = queue(Cpu);
    Ref<Buffer> b = buffer(Size);
    std::vector<uint8_t> expected = numbers(Size, 5);
    const BoxLayout left{0, Pitch, Size}, right{16, Pitch, Size};
    const Extent half{16, Rows, 1};
    for (uint8_t round = 0; round < 10; ++round) {
      write(*own, *b, expected);
      own->finish();
      Queue &on = round % 2 ? *own : *host;
      auto *mapped = static_cast<uint8_t *>(*on.enqueueMap({b, CL_MAP_WRITE, left, half}, {}, nullptr, true));
      const uint8_t value = uint8_t(100 + round);
      enqueue(*own, FillBuffer(b, Pattern(&value, 1), right, half, CL_COMMAND_FILL_BUFFER));
      own->finish();
      for (size_t y = 0; y < Rows; ++y) {
        std::memset(mapped + y * Pitch, round, 16);
        std::memset(&expected[y * Pitch], round, 16);
        std::memset(&expected[y * Pitch + 16], value, 16);
      }
      EXPECT_TRUE(on.enqueueUnmap(*b, mapped, {}, nullptr).ok());
      on.finish();
      ASSERT_EQ(read(round % 3 ? *own : *host, *b), expected) << int(round);
    }
  }
}

TEST_F(Places, MigrationTransfersAhead) {
  Ref<Queue> own = queue(Own1), host = queue(Cpu);
  Ref<Buffer> b = buffer(128);
  fill(*host, *b, 3);
  host->finish();
  EXPECT_EQ(transfersBy([&] {
              enqueue(*own, Migrate{{b}, 0});
              own->finish();
            }),
            1u);
  EXPECT_EQ(transfersBy([&] {
              scale(*own, *b, 0);
              own->finish();
            }),
            0u);
  EXPECT_EQ(transfersBy([&] {
              enqueue(*own, Migrate{{b}, CL_MIGRATE_MEM_OBJECT_HOST});
              own->finish();
            }),
            1u);
  EXPECT_EQ(transfersBy([&] { EXPECT_EQ(read(*host, *b), std::vector<uint8_t>(128, 9)); }), 0u);
  fill(*host, *b, 1);
  host->finish();
  EXPECT_EQ(transfersBy([&] {
              enqueue(*own, Migrate{{b}, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED});
              own->finish();
            }),
            0u);
}

TEST_F(Places, NativeKernelsUseTheHostsStorage) {
  Ref<Queue> own = queue(Own1);
  Ref<Buffer> b = buffer(64);
  fill(*own, *b, 5);
  std::byte *pointer = *b->residency().host();
  NativeKernel native{[](void *argument) { std::memset(*static_cast<void **>(argument), 6, 32); }, {}, {b}, true};
  native.arguments.resize(sizeof pointer);
  std::memcpy(native.arguments.data(), &pointer, sizeof pointer);
  enqueue(*own, std::move(native));
  scale(*own, *b, 0);
  std::vector<uint8_t> expected(64, 15);
  std::fill_n(expected.begin(), 32, 18);
  EXPECT_EQ(read(*own, *b), expected);
}

// A skipped command changes nothing: neither its device's bytes nor those of other nodes.
TEST_F(Places, SkippedCommandsLoseNothing) {
  for (int device : {Own1, Own3, Async, Cpu}) {
    Ref<Queue> own = queue(device), other = queue(device == Own1 ? Async : Own1);
    Ref<Buffer> b = buffer(128);
    std::vector<uint8_t> bytes = numbers(128, 1), other128(128, 0xee);
    Ref<Event> written = write(*other, *b, bytes);
    written->wait();
    for (int kind = 0; kind < 4; ++kind) {
      Ref<Event> gate = userEvent();
      // The first waits for a failure; the second, on the same queue, for the first, and is planned before that
      // completes.
      Ref<Event> first = enqueue(*own, Marker{false}, {gate}), second;
      switch (kind) {
      case 0:
        second = fill(*own, *b, 0xee, {first});
        break;
      case 1:
        second = write(*own, *b, other128, {first});
        break;
      case 2:
        second = scale(*own, *b, 9, {first});
        break;
      case 3:
        EXPECT_TRUE(
            own->enqueueMap({b, CL_MAP_WRITE_INVALIDATE_REGION, {0}, {128, 1, 1}}, {first}, nullptr, false).ok());
        break;
      }
      ASSERT_TRUE(gate->setUserStatus(-5).ok());
      own->finish();
      if (second)
        EXPECT_EQ(second->executionStatus(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      EXPECT_EQ(b->mapCount(), 0u);
      EXPECT_EQ(read(*own, *b), bytes) << "kind " << kind << " on device " << device;
      EXPECT_EQ(read(*other, *b), bytes) << "kind " << kind << " on device " << device;
    }
  }
}

// A device without enough memory fails the enqueue, and the bytes stay where they are. (LIM-44, R9)
TEST_F(Places, DeviceWithoutRoom) {
  static_cast<test::AsyncDevice &>(devices[Async]->device()).info_.maxAllocSize = 64;
  Ref<Queue> async = queue(Async), host = queue(Cpu);
  Ref<Buffer> b = buffer(128);
  fill(*host, *b, 2);
  uint8_t one = 1;
  EXPECT_EQ(async->enqueue(FillBuffer{b, &one, 1, 0, 16}, {}, nullptr).code(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(b->address(*devices[Async]).code(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  host->finish();
  EXPECT_EQ(read(*async, *b), std::vector<uint8_t>(128, 2)) << "a read needs no storage there";
}

// Buffers, queues and their context are released in any order while commands run.
TEST_F(Places, ObjectsMayBeReleasedEarly) {
  for (int round = 0; round < 50; ++round) {
    Ref<Event> last;
    {
      Ref<Queue> a = *Queue::create(*context, *devices[Own1], 0, {}),
                 b = *Queue::create(*context, *devices[Async], 0, {});
      Ref<Buffer> shared = buffer(256);
      last = scale(*b, *shared, 1, {scale(*a, *shared, 1, {fill(*b, *shared, 1)})});
      a->flush();
      b->flush();
    }
    last->wait();
    EXPECT_EQ(last->executionStatus(), CL_COMPLETE);
  }
}
