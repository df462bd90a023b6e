// Random graphs of commands, from 64 threads in 10 contexts with both kinds of queue on every device, compared with a
// sequential model.
//
// Each thread has private buffers, divided into cells. For each cell it records the contents after all enqueued
// commands, the last writer and the readers since. The wait list of a new command has exactly its dependencies; it may
// run at any other time, on any device. Some commands wait for user events, some of which fail: their dependents fail
// as well and must have no effect.
#include "tests/api/ApiTest.h"
#include <cstdlib>
#include <deque>
#include <random>
#include <thread>

namespace kiln::test {
namespace {

constexpr int Contexts = 10, Threads = 64, Commands = 100'000;
constexpr int Buffers = 3, Cells = 12;

using Cell = std::vector<cl_uint>;

constexpr const char *Source = R"(
kernel void step(global uint *p, uint first, uint factor, uint add) {
  size_t i = first + get_global_id(0);
  p[i] = p[i] * factor + add;
}
kernel void mix(global uint *p, uint first, global const uint *q, uint second) {
  size_t i = get_global_id(0);
  p[first + i] += 3 * q[second + i];
}
)";

/// A context shared by several threads.
struct Site {
  explicit Site(cl_platform_id platform) {
    cl_uint count = 0;
    EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_device_id> devices(count);
    EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr), CL_SUCCESS);
    context = clCreateContext(nullptr, count, devices.data(), nullptr, nullptr, nullptr);
    for (cl_device_id device : devices) {
      words = std::max<size_t>(words, query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 32);
      for (cl_command_queue_properties order : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE})
        queues.push_back(clCreateCommandQueue(context, device, order, nullptr));
    }
    const char *text = Source;
    program = clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  }
  Context context;
  std::vector<Queue> queues; // for each device: in-order, then out-of-order
  Program program;
  size_t words = 1; // of a cell: sub-buffers must be aligned
};

struct Heard {
  bool fails;
  std::atomic<int> *right;
};

/// An event callback that calls the API, so Kiln must not hold a lock.
void CL_CALLBACK heard(cl_event event, cl_int status, void *data) {
  auto *expected = static_cast<Heard *>(data);
  cl_int asked = 1;
  bool right = clRetainEvent(event) == CL_SUCCESS &&
               clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof asked, &asked, nullptr) == CL_SUCCESS &&
               clReleaseEvent(event) == CL_SUCCESS && asked == status && (status < 0) == expected->fails;
  *expected->right += right;
}

class Walker {
public:
  Walker(Site &site, unsigned seed) : site_(site), random_(seed) {
    step_ = clCreateKernel(site.program, "step", nullptr);
    mix_ = clCreateKernel(site.program, "mix", nullptr);
    const size_t bytes = cellBytes();
    for (int b = 0; b < Buffers; ++b) {
      std::vector<cl_uint> first(Cells * site.words);
      for (cl_uint &word : first)
        word = random_();
      buffers_.push_back(clCreateBuffer(site.context, CL_MEM_COPY_HOST_PTR, Cells * bytes, first.data(), nullptr));
      for (int c = 0; c < Cells; ++c) {
        cl_buffer_region region{c * bytes, bytes};
        windows_.push_back(clCreateSubBuffer(buffers_[b], 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr));
        auto begin = first.begin() + c * site.words;
        cells_.push_back({Cell(begin, begin + site.words), -1, {}});
      }
    }
  }

  void walk(int commands) {
    for (int i = 0; i < commands; ++i) {
      switch (below(16)) {
      case 0:
        fill();
        break;
      case 1:
        write();
        break;
      case 2:
      case 3:
        read();
        break;
      case 4:
      case 5:
        copy();
        break;
      case 6:
        marker();
        break;
      case 7:
        below(8) ? launchStep() : map();
        break;
      case 8:
        makeUserEvent();
        break;
      case 9:
        setUserEvent();
        break;
      case 10:
      case 11:
      case 12:
        launchMix();
        break;
      default:
        launchStep();
      }
      if (below(64) == 0)
        EXPECT_EQ(clFlush(site_.queues[below(site_.queues.size())]), CL_SUCCESS);
    }
    while (!pending_.empty())
      setUserEvent();
  }

  /// After all commands: checks data read, buffer contents and each command's status.
  void check() {
    for (Node &node : nodes_) {
      cl_event event = node.event;
      EXPECT_EQ(clWaitForEvents(1, &event), node.fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
      cl_int status = query<cl_int>(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS);
      EXPECT_TRUE(node.fails ? status < 0 : status == CL_COMPLETE) << status;
    }
    for (const Read &one : reads_)
      ASSERT_EQ(one.found, one.expected);
    for (int c = 0; c < Buffers * Cells; ++c) {
      Cell found(site_.words);
      ASSERT_EQ(
          clEnqueueReadBuffer(site_.queues[0], windows_[c], CL_TRUE, 0, cellBytes(), found.data(), 0, nullptr, nullptr),
          CL_SUCCESS);
      ASSERT_EQ(found, cells_[c].value) << "cell " << c;
    }
    for (int i = 0; i < 1000 && right_ < int(listeners_.size()); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10)); // callbacks run on a separate thread
    EXPECT_EQ(right_, int(listeners_.size()));
  }

private:
  struct Node {
    Event event;
    size_t queue;
    bool fails;
  };
  struct Known {
    Cell value;
    int writer; // index of the node; -1 for none
    std::vector<int> readers;
  };
  struct Use {
    int cell;
    bool writes;
  };
  struct Read {
    Cell found, expected;
  };
  static constexpr size_t NoQueue = ~size_t(0);

  unsigned below(size_t limit) { return unsigned(random_() % limit); }
  int anyCell() { return int(below(Buffers * Cells)); }
  size_t cellBytes() const { return site_.words * sizeof(cl_uint); }
  static cl_mem bufferOf(const std::vector<Mem> &buffers, int cell) { return buffers[cell / Cells]; }
  size_t offsetOf(int cell) const { return cell % Cells * cellBytes(); }

  /// Enqueues one command that uses these cells: calls `call` with a queue, the wait list and an event pointer.
  /// `happens` applies the command to the model. `mayFail`: the command may get a dependency that fails.
  template <typename Call, typename Happens>
  void enqueue(const std::vector<Use> &uses, bool mayFail, Call call, Happens happens) {
    const size_t queue = below(site_.queues.size());
    std::vector<int> after;
    for (const Use &use : uses) {
      if (cells_[use.cell].writer >= 0)
        after.push_back(cells_[use.cell].writer);
      if (use.writes)
        after.insert(after.end(), cells_[use.cell].readers.begin(), cells_[use.cell].readers.end());
    }
    // Commands of one in-order queue are ordered without wait lists: drops about half of these dependencies.
    const bool inOrder = queue % 2 == 0;
    std::erase_if(after, [&](int node) { return inOrder && nodes_[node].queue == queue && below(2); });
    bool fails = false;
    if (!nodes_.empty() && below(4) == 0) {
      int more = int(below(nodes_.size()));
      if (!nodes_[more].fails || (mayFail && below(4) == 0)) {
        after.push_back(more);
        fails = nodes_[more].fails;
      }
    }
    std::vector<cl_event> waits;
    for (int node : after)
      waits.push_back(nodes_[node].event);
    Event event;
    ASSERT_EQ(
        call(site_.queues[queue].get(), cl_uint(waits.size()), waits.empty() ? nullptr : waits.data(), event.out()),
        CL_SUCCESS);
    if (below(10) == 0) {
      listeners_.push_back({fails, &right_});
      EXPECT_EQ(clSetEventCallback(event, CL_COMPLETE, heard, &listeners_.back()), CL_SUCCESS);
    }
    nodes_.push_back({std::move(event), queue, fails});
    if (fails)
      return;
    for (const Use &use : uses) {
      Known &cell = cells_[use.cell];
      if (use.writes) {
        cell.writer = int(nodes_.size()) - 1;
        cell.readers.clear();
      } else {
        cell.readers.push_back(int(nodes_.size()) - 1);
      }
    }
    happens();
  }

  void fill() {
    int cell = anyCell();
    cl_uint pattern = random_();
    enqueue(
        {{cell, true}}, true,
        [&](cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
          return clEnqueueFillBuffer(queue, bufferOf(buffers_, cell), &pattern, 4, offsetOf(cell), cellBytes(), count,
                                     waits, event);
        },
        [&] { cells_[cell].value.assign(site_.words, pattern); });
  }

  void write() {
    int cell = anyCell();
    Cell &data = written_.emplace_back(site_.words);
    for (cl_uint &word : data)
      word = random_();
    enqueue(
        {{cell, true}}, true,
        [&](cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
          return clEnqueueWriteBuffer(queue, bufferOf(buffers_, cell), CL_FALSE, offsetOf(cell), cellBytes(),
                                      data.data(), count, waits, event);
        },
        [&] { cells_[cell].value = data; });
  }

  void read() {
    int cell = anyCell();
    Cell untouched(site_.words, 0xdead);
    Read &one = reads_.emplace_back(Read{untouched, untouched});
    enqueue(
        {{cell, false}}, true,
        [&](cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
          return clEnqueueReadBuffer(queue, bufferOf(buffers_, cell), CL_FALSE, offsetOf(cell), cellBytes(),
                                     one.found.data(), count, waits, event);
        },
        [&] { one.expected = cells_[cell].value; });
  }

  void copy() {
    int from = anyCell(), to = anyCell();
    if (from == to)
      return;
    enqueue(
        {{from, false}, {to, true}}, true,
        [&](cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
          return clEnqueueCopyBuffer(queue, bufferOf(buffers_, from), bufferOf(buffers_, to), offsetOf(from),
                                     offsetOf(to), cellBytes(), count, waits, event);
        },
        [&] { cells_[to].value = cells_[from].value; });
  }

  void marker() {
    bool barrier = below(4) == 0;
    enqueue(
        {}, !barrier,
        [&](cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
          return barrier ? clEnqueueBarrierWithWaitList(queue, 0, nullptr, event)
                         : clEnqueueMarkerWithWaitList(queue, count, waits, event);
        },
        [] {});
  }

  /// Sets the cell as an argument: its sub-buffer, or sometimes the buffer with the cell's offset. In the second case
  /// the kernel depends on the whole buffer.
  void setCell(cl_kernel kernel, cl_uint index, int cell, bool writes, std::vector<Use> &uses) {
    const bool whole = below(8) == 0;
    cl_mem object = whole ? bufferOf(buffers_, cell) : windows_[cell].get();
    cl_uint first = whole ? cl_uint(cell % Cells * site_.words) : 0;
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof object, &object), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, index + 1, sizeof first, &first), CL_SUCCESS);
    const int begin = whole ? cell / Cells * Cells : cell, end = whole ? begin + Cells : cell + 1;
    for (int used = begin; used < end; ++used)
      uses.push_back({used, writes});
  }

  void launch(cl_kernel kernel, const std::vector<Use> &uses, auto happens) {
    enqueue(
        uses, true,
        [&](cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
          return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &site_.words, nullptr, count, waits, event);
        },
        happens);
  }

  void launchStep() {
    int cell = anyCell();
    cl_uint factor = random_(), add = random_();
    std::vector<Use> uses;
    setCell(step_, 0, cell, true, uses);
    clSetKernelArg(step_, 2, sizeof factor, &factor);
    clSetKernelArg(step_, 3, sizeof add, &add);
    launch(step_, uses, [&] {
      for (cl_uint &word : cells_[cell].value)
        word = word * factor + add;
    });
  }

  void launchMix() {
    int to = anyCell(), from = anyCell();
    if (from == to)
      return;
    std::vector<Use> uses;
    setCell(mix_, 0, to, true, uses);
    setCell(mix_, 2, from, false, uses);
    launch(mix_, uses, [&] {
      for (size_t i = 0; i < site_.words; ++i)
        cells_[to].value[i] += 3 * cells_[from].value[i];
    });
  }

  /// A buffer must not be used while a part of it is mapped for writing.
  void map() {
    while (!pending_.empty())
      setUserEvent(); // two threads could wait for each other's event
    int buffer = int(below(Buffers)), cell = buffer * Cells + int(below(Cells));
    std::vector<Use> uses;
    for (int c = 0; c < Cells; ++c)
      uses.push_back({buffer * Cells + c, true});
    cl_uint *words = nullptr;
    enqueue(
        uses, false,
        [&](cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
          cl_int code = 1;
          words =
              static_cast<cl_uint *>(clEnqueueMapBuffer(queue, buffers_[buffer], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                                        offsetOf(cell), cellBytes(), count, waits, event, &code));
          return code;
        },
        [] {});
    ASSERT_NE(words, nullptr);
    EXPECT_EQ(Cell(words, words + site_.words), cells_[cell].value);
    enqueue(
        uses, false,
        [&](cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
          for (size_t i = 0; i < site_.words; ++i)
            words[i] ^= 0x5a5a5a5a;
          return clEnqueueUnmapMemObject(queue, buffers_[buffer], words, count, waits, event);
        },
        [&] {
          for (cl_uint &word : cells_[cell].value)
            word ^= 0x5a5a5a5a;
        });
  }

  void makeUserEvent() {
    pending_.push_back(nodes_.size());
    nodes_.push_back({clCreateUserEvent(site_.context, nullptr), NoQueue, below(8) == 0});
  }

  void setUserEvent() {
    if (pending_.empty())
      return;
    Node &node = nodes_[pending_.front()];
    pending_.pop_front();
    EXPECT_EQ(clSetUserEventStatus(node.event, node.fails ? -77 : CL_COMPLETE), CL_SUCCESS);
  }

  Site &site_;
  std::mt19937 random_;
  Kernel step_, mix_;
  std::vector<Mem> buffers_, windows_; // a sub-buffer for each cell
  std::vector<Known> cells_;
  std::vector<Node> nodes_;
  std::deque<size_t> pending_;
  std::deque<Cell> written_;
  std::deque<Read> reads_;
  std::deque<Heard> listeners_;
  std::atomic<int> right_ = 0;
};

struct RandomGraphs : WithDevice {};

TEST_F(RandomGraphs, SixtyFourThreadsInTenContexts) {
  PROVES("EXEC-3.2e EXEC-3.2f");
  const char *given = std::getenv("KILN_TEST_SEED");
  const unsigned seed = given ? unsigned(std::atoi(given)) : std::random_device()();
  SCOPED_TRACE("KILN_TEST_SEED=" + std::to_string(seed));
  std::deque<Site> sites;
  for (int i = 0; i < Contexts; ++i)
    sites.emplace_back(platform);
  std::deque<Walker> walkers;
  for (int i = 0; i < Threads; ++i)
    walkers.emplace_back(sites[i % Contexts], seed + unsigned(i));
  std::vector<std::thread> threads;
  for (Walker &walker : walkers)
    threads.emplace_back([&] { walker.walk(Commands / Threads); });
  for (std::thread &thread : threads)
    thread.join();
  for (Site &site : sites)
    for (const Queue &queue : site.queues)
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  for (Walker &walker : walkers)
    walker.check();
}

} // namespace
} // namespace kiln::test
