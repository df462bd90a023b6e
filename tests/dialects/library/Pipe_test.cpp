// The device library's pipes, compiled for the host with sanitizers: each thread is a work-item. The test includes
// Pipe.clcpp and defines a few OpenCL C functions for a group of one work-item.
#include "base/abi/PipeAbi.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <thread>

#define global
using uchar = unsigned char;
using atomic_ulong = std::atomic<uint64_t>;
using std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release, std::memory_order_seq_cst;
using std::min;
namespace {
constexpr int memory_scope_device = 0, CLK_GLOBAL_MEM_FENCE = 0;
uint64_t atomic_load_explicit(volatile atomic_ulong *from, std::memory_order order, int) { return from->load(order); }
void atomic_store_explicit(volatile atomic_ulong *to, uint64_t value, std::memory_order order, int) {
  to->store(value, order);
}
bool atomic_compare_exchange_weak_explicit(volatile atomic_ulong *at, uint64_t *seen, uint64_t value,
                                           std::memory_order good, std::memory_order bad, int) {
  return at->compare_exchange_weak(*seen, value, good, bad);
}
bool atomic_compare_exchange_strong_explicit(volatile atomic_ulong *at, uint64_t *seen, uint64_t value,
                                             std::memory_order good, std::memory_order bad, int) {
  return at->compare_exchange_strong(*seen, value, good, bad);
}
void atomic_work_item_fence(int, std::memory_order order, int) { std::atomic_thread_fence(order); }
void work_group_barrier(int) {}
void sub_group_barrier(int) {}
uint64_t get_local_linear_id() { return 0; }
uint32_t get_sub_group_local_id() { return 0; }
uint64_t work_group_broadcast(uint64_t value, size_t, size_t, size_t) { return value; }
uint64_t sub_group_broadcast(uint64_t value, uint32_t) { return value; }
} // namespace

#include "dialects/library/Pipe.clcpp"

namespace kiln::test {
namespace {

/// A pipe in an allocation of exactly its size.
class Ring {
public:
  Ring(uint32_t packetSize, uint32_t capacity, uint64_t number = 0)
      : memory_(static_cast<std::byte *>(std::aligned_alloc(128, (bytes(packetSize, capacity) + 127) / 128 * 128))) {
    std::memset(memory_.get(), 0, bytes(packetSize, capacity));
    abi::PipeHead head = abi::emptyPipe(packetSize, capacity, number);
    std::memcpy(memory_.get(), &head, sizeof head);
  }
  operator abi::PipeHead *() { return reinterpret_cast<abi::PipeHead *>(memory_.get()); }

private:
  static size_t bytes(uint32_t packetSize, uint32_t capacity) { return abi::pipeBytes(packetSize, capacity); }
  struct Free {
    void operator()(std::byte *memory) { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
};

int put(Ring &ring, uint64_t value) { return ocl_write_pipe(ring, reinterpret_cast<uchar *>(&value), sizeof value); }
int take(Ring &ring, uint64_t &value) { return ocl_read_pipe(ring, reinterpret_cast<uchar *>(&value), sizeof value); }
int putAt(Ring &ring, uint64_t id, uint32_t index, uint64_t value) {
  return ocl_write_reserved(ring, id, index, reinterpret_cast<uchar *>(&value), sizeof value);
}
int takeAt(Ring &ring, uint64_t id, uint32_t index, uint64_t &value) {
  return ocl_read_reserved(ring, id, index, reinterpret_cast<uchar *>(&value), sizeof value);
}

/// A model of the specification's pipe with one work-item.
struct Model {
  struct Block {
    uint64_t id;
    std::vector<uint64_t> packets;
    bool open = true;
  };
  explicit Model(size_t capacity) : capacity(capacity) {}
  size_t capacity, free = capacity;
  std::deque<uint64_t> ready;         // may be reserved for reading
  std::deque<Block> writing, reading; // in order of reservation

  bool canWrite(size_t count) const { return count && count <= free; }
  bool canRead(size_t count) const { return count && count <= ready.size(); }
  void reserveWrite(uint64_t id, size_t count) {
    free -= count;
    writing.push_back({id, std::vector<uint64_t>(count)});
  }
  void reserveRead(uint64_t id, size_t count) {
    reading.push_back({id, {ready.begin(), ready.begin() + ptrdiff_t(count)}});
    ready.erase(ready.begin(), ready.begin() + ptrdiff_t(count));
  }
  static Block *find(std::deque<Block> &blocks, uint64_t id) {
    auto found = std::ranges::find_if(blocks, [&](const Block &block) { return block.id == id && block.open; });
    return id && found != blocks.end() ? &*found : nullptr;
  }
  void settle() {
    for (; !writing.empty() && !writing.front().open; writing.pop_front())
      ready.insert(ready.end(), writing.front().packets.begin(), writing.front().packets.end());
    for (; !reading.empty() && !reading.front().open; reading.pop_front())
      free += reading.front().packets.size();
  }
};
} // namespace

// Any sequence of calls, valid or not, has the model's results.
TEST(Pipe, AsTheModelHasIt) {
  for (uint32_t capacity : {1u, 2u, 3u, 5u, 8u, 31u}) {
    SCOPED_TRACE(capacity);
    std::mt19937_64 random(capacity);
    Ring ring(8, capacity, 1), other(8, capacity, 2);
    Model model(capacity);
    std::vector<uint64_t> ids = {0, ~0ull, ocl_reserve_packets(other, abi::PipeWriters, 1)};
    uint64_t next = 0;
    for (int step = 0; step < 60000; ++step) {
      const uint64_t id = ids[random() % ids.size()], count = random() % (capacity + 2), index = random() % 4;
      uint64_t value = ~0ull;
      switch (random() % 10) {
      case 0:
        ASSERT_EQ(put(ring, ++next) == 0, model.canWrite(1));
        if (model.canWrite(1)) {
          model.reserveWrite(~0ull - 1, 1);
          model.writing.back().packets[0] = next, model.writing.back().open = false;
        }
        break;
      case 1:
        if (bool can = model.canRead(1)) {
          uint64_t wanted = model.ready.front();
          model.reserveRead(~0ull - 1, can);
          model.reading.back().open = false;
          ASSERT_EQ(take(ring, value), 0);
          ASSERT_EQ(value, wanted);
        } else {
          ASSERT_LT(take(ring, value), 0);
          ASSERT_EQ(value, ~0ull);
        }
        break;
      case 2:
      case 3: {
        uint64_t made = ocl_reserve_packets(ring, abi::PipeWriters, uint32_t(count));
        ASSERT_EQ(ocl_is_valid_reserve_id(made) != 0, model.canWrite(count));
        if (!made)
          break;
        model.reserveWrite(made, count);
        ids.push_back(made);
        for (uint32_t i = 0; i < count; ++i) {
          model.writing.back().packets[i] = ++next;
          ASSERT_EQ(putAt(ring, made, i, next), 0);
        }
        break;
      }
      case 4: {
        uint64_t made = ocl_reserve_packets(ring, abi::PipeReaders, uint32_t(count));
        ASSERT_EQ(ocl_is_valid_reserve_id(made) != 0, model.canRead(count));
        if (made) {
          model.reserveRead(made, count);
          ids.push_back(made);
        }
        break;
      }
      case 5: {
        Model::Block *block = Model::find(model.writing, id);
        bool good = block && index < block->packets.size();
        ASSERT_EQ(putAt(ring, id, uint32_t(index), ++next) == 0, good);
        if (good)
          block->packets[index] = next;
        break;
      }
      case 6: {
        Model::Block *block = Model::find(model.reading, id);
        bool good = block && index < block->packets.size();
        ASSERT_EQ(takeAt(ring, id, uint32_t(index), value) == 0, good);
        ASSERT_EQ(value, good ? block->packets[index] : ~0ull);
        break;
      }
      case 7:
      case 8:
        ocl_commit_packets(ring, abi::PipeWriters, id);
        if (Model::Block *block = Model::find(model.writing, id))
          block->open = false;
        break;
      default:
        ocl_commit_packets(ring, abi::PipeReaders, id);
        if (Model::Block *block = Model::find(model.reading, id))
          block->open = false;
      }
      model.settle();
      ASSERT_EQ(ocl_pipe_num_packets(ring), model.ready.size()) << step;
      if (ids.size() > 12)
        ids.erase(ids.begin() + 3 + ptrdiff_t(random() % 9));
      // A forgotten reservation is never committed and would block the pipe.
      for (auto [blocks, side] : {std::pair(&model.writing, abi::PipeWriters), {&model.reading, abi::PipeReaders}})
        for (Model::Block &block : *blocks)
          if (block.open && std::ranges::find(ids, block.id) == ids.end()) {
            ocl_commit_packets(ring, side, block.id);
            block.open = false;
          }
      model.settle();
    }
    EXPECT_GT(next, 10000u);
  }
}

// Threads write and read single packets and blocks, and commit blocks in another order than they reserved them. Each
// packet is read once, and a writer's packets are read in its order.
TEST(Pipe, ThreadsLoseNothing) {
  constexpr uint64_t Threads = 3, Each = 6000;
  for (uint32_t capacity : {4u, 7u, 64u}) {
    SCOPED_TRACE(capacity);
    Ring ring(8, capacity);
    std::atomic<uint64_t> taken{0};
    std::vector<std::vector<uint64_t>> seen(Threads);
    std::vector<std::thread> threads;
    for (uint64_t writer = 0; writer < Threads; ++writer)
      threads.emplace_back([&ring, writer] {
        std::mt19937 random{unsigned(writer)};
        for (uint64_t n = 0; n < Each;) {
          auto value = [&](uint64_t at) { return writer << 32 | at; };
          uint64_t left = Each - n;
          if (left < 3 || random() % 2) {
            n += put(ring, value(n)) == 0;
          } else if (uint64_t a = ocl_reserve_packets(ring, abi::PipeWriters, 2)) {
            uint64_t b = ocl_reserve_packets(ring, abi::PipeWriters, 1);
            if (b) {
              EXPECT_EQ(putAt(ring, b, 0, value(n + 2)), 0);
              ocl_commit_packets(ring, abi::PipeWriters, b);
            }
            EXPECT_EQ(putAt(ring, a, 1, value(n + 1)), 0);
            EXPECT_EQ(putAt(ring, a, 0, value(n)), 0);
            ocl_commit_packets(ring, abi::PipeWriters, a);
            n += b ? 3 : 2;
          } else {
            std::this_thread::yield();
          }
        }
      });
    for (uint64_t reader = 0; reader < Threads; ++reader)
      threads.emplace_back([&, reader] {
        std::mt19937 random{unsigned(reader + 100)};
        std::vector<uint64_t> &mine = seen[reader];
        while (taken < Threads * Each) {
          uint64_t value;
          if (random() % 2) {
            if (take(ring, value) == 0)
              mine.push_back(value), ++taken;
            else
              std::this_thread::yield();
          } else if (uint64_t a = ocl_reserve_packets(ring, abi::PipeReaders, 2)) {
            uint64_t b = ocl_reserve_packets(ring, abi::PipeReaders, 1), first[2];
            for (uint32_t i : {0, 1})
              EXPECT_EQ(takeAt(ring, a, i, first[i]), 0);
            mine.insert(mine.end(), first, first + 2);
            if (b) {
              EXPECT_EQ(takeAt(ring, b, 0, value), 0);
              mine.push_back(value);
              ocl_commit_packets(ring, abi::PipeReaders, b);
            }
            ocl_commit_packets(ring, abi::PipeReaders, a);
            taken += b ? 3 : 2;
          }
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    std::vector<uint64_t> all, wanted;
    for (std::vector<uint64_t> &mine : seen) {
      uint64_t next[Threads] = {};
      for (uint64_t value : mine) {
        EXPECT_GE(value & 0xffffffff, next[value >> 32]) << "out of order";
        next[value >> 32] = (value & 0xffffffff) + 1;
      }
      all.insert(all.end(), mine.begin(), mine.end());
    }
    std::ranges::sort(all);
    for (uint64_t writer = 0; writer < Threads; ++writer)
      for (uint64_t n = 0; n < Each; ++n)
        wanted.push_back(writer << 32 | n);
    EXPECT_EQ(all, wanted);
    EXPECT_EQ(ocl_pipe_num_packets(ring), 0u);
  }
}

// Invalid and nearly valid reservation ids from several threads: memory outside of the pipe is not accessed, and every
// call returns.
TEST(Pipe, MadeUpReservations) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "threads that hit each other's reservations race for the packets, as they ask for";
#endif
  Ring ring(24, 5, 7);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 3; ++thread)
    threads.emplace_back([&ring, thread] {
      std::mt19937_64 random(thread);
      uchar packet[24] = {};
      uint64_t known = 0;
      for (int step = 0; step < 100000; ++step) {
        const uint32_t side = random() % 2, index = random() % 8 ? random() % 5 : uint32_t(random());
        uint64_t id = random() % 3 == 0 ? random() : known ^ (random() % 4 ? 0 : 1ull << random() % 64);
        switch (random() % 6) {
        case 0:
          if (uint64_t made = ocl_reserve_packets(ring, side, uint32_t(random() % 7)))
            known = made;
          break;
        case 1:
          ocl_commit_packets(ring, side, id);
          break;
        case 2:
          if (ocl_write_reserved(ring, id, index, packet, 24) == 0)
            EXPECT_LT(index, 5u);
          break;
        case 3:
          if (ocl_read_reserved(ring, id, index, packet, 24) == 0)
            EXPECT_LT(index, 5u);
          break;
        case 4:
          ocl_write_pipe(ring, packet, 24);
          break;
        default:
          ocl_read_pipe(ring, packet, 24);
        }
        EXPECT_LE(ocl_pipe_num_packets(ring), 5u);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace kiln::test
