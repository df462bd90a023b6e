// Uses of SVM: data structures with pointers, buffers over SVM, and concurrent access by host and kernels.
#include "tests/api/SharedMemoryTest.h"
#include <algorithm>
#include <random>
#include <thread>

namespace kiln::test {
struct SharedMemory : SharedMemoryTest {};

namespace {
struct Node {
  Node *next;
  int value;
};
const char *const ListSource = R"(
struct Node { global struct Node *next; int value; };
kernel void sum(global struct Node *first, global long *out) {
  long total = 0;
  for (global struct Node *at = first; at; at = at->next)
    total += at->value;
  *out = total;
}
// Each work-item links its own nodes and then prepends them to a shared list.
kernel void build(global struct Node *nodes, int each, global atomic_ulong *head) {
  global struct Node *mine = nodes + get_global_id(0) * each;
  for (int i = 0; i < each; ++i) {
    mine[i].value = get_global_id(0);
    mine[i].next = mine + i + 1;
  }
  ulong first = atomic_load_explicit(head, memory_order_relaxed, memory_scope_device);
  do
    mine[each - 1].next = (global struct Node *)first;
  while (!atomic_compare_exchange_strong_explicit(head, &first, (ulong)mine, memory_order_acq_rel,
                                                  memory_order_relaxed, memory_scope_device));
}
)";
} // namespace

// A list in random order whose nodes are in two allocations.
TEST_F(SharedMemory, ListBuiltByTheHost) {
  PROVES("API-5.6.2a");
  Program program = built(ListSource, "-cl-std=CL3.0");
  Kernel sum = kernel(program, "sum");
  constexpr size_t Count = 10'000;
  auto first = svm<Node>(Count / 2), second = svm<Node>(Count / 2);
  auto out = svm<cl_long>(1);
  std::vector<Node *> order;
  for (size_t i = 0; i < Count; ++i)
    order.push_back(i % 2 ? first.get() + i / 2 : second.get() + i / 2);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (size_t i = 0; i < Count; ++i)
    *order[i] = {i + 1 < Count ? order[i + 1] : nullptr, int(i)};
  ASSERT_EQ(clSetKernelArgSVMPointer(sum, 0, order[0]), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(sum, 1, out.get()), CL_SUCCESS);
  const void *other[] = {first.get(), second.get()};
  ASSERT_EQ(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof other, other), CL_SUCCESS);
  ASSERT_EQ(launch(sum, 1), CL_SUCCESS);
  ASSERT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(*out, cl_long(Count * (Count - 1) / 2));
}

TEST_F(SharedMemory, ListBuiltByTheDevice) {
  PROVES("API-5.6.2a");
  Program program = built(ListSource, "-cl-std=CL3.0");
  Kernel build = kernel(program, "build");
  constexpr int Items = 500, Each = 20;
  auto nodes = svm<Node>(Items * Each);
  auto head = svm<Node *>(1);
  *head = nullptr;
  ASSERT_EQ(clSetKernelArgSVMPointer(build, 0, nodes.get()), CL_SUCCESS);
  ASSERT_EQ(set(build, 1, Each), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(build, 2, head.get()), CL_SUCCESS);
  ASSERT_EQ(launch(build, Items), CL_SUCCESS);
  ASSERT_EQ(finish(), CL_SUCCESS);
  std::vector<int> seen(Items);
  for (Node *at = *head; at; at = at->next)
    ++seen[size_t(at->value)];
  EXPECT_EQ(seen, std::vector<int>(Items, Each));
}

// A program-scope variable keeps a pointer between launches.
TEST_F(SharedMemory, PointerInAProgramVariable) {
  PROVES("API-5.6.2a");
  Program program = built("global int *kept; kernel void keep(global int *p) { kept = p; }"
                          "kernel void use() { kept[get_global_id(0)] = 3; }",
                          "-cl-std=CL3.0");
  Kernel keep = kernel(program, "keep"), use = kernel(program, "use");
  auto a = svm(64);
  std::fill_n(a.get(), 64, 0);
  ASSERT_EQ(clSetKernelArgSVMPointer(keep, 0, a.get()), CL_SUCCESS);
  const void *list[] = {a.get()};
  ASSERT_EQ(clSetKernelExecInfo(use, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, list), CL_SUCCESS);
  ASSERT_EQ(launch(keep, 1), CL_SUCCESS);
  ASSERT_EQ(launch(use, 64), CL_SUCCESS);
  ASSERT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(std::count(a.get(), a.get() + 64, 3), 64);
}

// ---- Buffers over SVM
struct BufferOverSvm : SharedMemoryTest {};

TEST_F(BufferOverSvm, LargerThanTheAllocation) {
  PROVES("API-5.2.1d");
  auto a = svm(16);
  cl_int code = 1;
  EXPECT_EQ(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 65, a.get(), &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, a.get() + 1, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_BUFFER_SIZE);
}

TEST_F(BufferOverSvm, IsReportedByTheQuery) {
  PROVES("API-5.5.5a API-5.2.1d");
  auto a = svm<char>(4096);
  Mem over = buffer(4096, CL_MEM_USE_HOST_PTR, a.get()), copy = buffer(4096, CL_MEM_COPY_HOST_PTR, a.get());
  size_t align = query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  cl_buffer_region region{align, 100};
  Mem part = clCreateSubBuffer(over, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  EXPECT_EQ(query<cl_bool>(clGetMemObjectInfo, over.get(), CL_MEM_USES_SVM_POINTER), cl_bool(CL_TRUE));
  EXPECT_EQ(query<cl_bool>(clGetMemObjectInfo, part.get(), CL_MEM_USES_SVM_POINTER), cl_bool(CL_TRUE));
  EXPECT_EQ(query<cl_bool>(clGetMemObjectInfo, copy.get(), CL_MEM_USES_SVM_POINTER), cl_bool(CL_FALSE));
  EXPECT_EQ(query<void *>(clGetMemObjectInfo, over.get(), CL_MEM_HOST_PTR), a.get());
  EXPECT_EQ(query<void *>(clGetMemObjectInfo, part.get(), CL_MEM_HOST_PTR), a.get() + align);
}

// A buffer over SVM is not copied: kernels get the SVM address, also of an inner pointer, and maps return it.
TEST_F(BufferOverSvm, SameAddressEverywhere) {
  PROVES("API-5.2.1d EXEC-3.3.1c");
  Program program = built("kernel void at(global int *p, global ulong *out) { *out = (ulong)p; p[0] += 1; }");
  Kernel at = kernel(program, "at");
  auto a = svm<char>(8192);
  Mem out = buffer(8);
  for (size_t offset : {0, 1024}) {
    Mem over = buffer(4096, CL_MEM_USE_HOST_PTR, a.get() + offset);
    cl_buffer_region region{1024, 1024};
    Mem part = clCreateSubBuffer(over, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
    ASSERT_NE(part, nullptr);
    for (const Mem *one : {&over, &part}) {
      char *expected = a.get() + offset + (one == &part ? 1024 : 0);
      std::fill_n(expected, 4, 0);
      ASSERT_EQ(set(at, 0, *one), CL_SUCCESS);
      ASSERT_EQ(set(at, 1, out), CL_SUCCESS);
      ASSERT_EQ(launch(at, 1), CL_SUCCESS);
      EXPECT_EQ(read<cl_ulong>(out, 1)[0], cl_ulong(expected));
      EXPECT_EQ(*expected, 1);
      cl_int code = 1;
      void *mapped = clEnqueueMapBuffer(queue, *one, CL_TRUE, CL_MAP_READ, 16, 16, 0, nullptr, nullptr, &code);
      EXPECT_EQ(mapped, expected + 16);
      EXPECT_EQ(clEnqueueUnmapMemObject(queue, *one, mapped, 0, nullptr, nullptr), CL_SUCCESS);
      int pattern = 77;
      EXPECT_EQ(clEnqueueFillBuffer(queue, *one, &pattern, 4, 32, 8, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(read<int>(*one, 16)[9], 77);
      EXPECT_EQ(expected[32], 77);
    }
  }
}

// Each device uses its own sub-buffer of one SVM allocation. No bytes are transferred.
TEST_F(BufferOverSvm, DisjointSubBuffersOnSeveralDevices) {
  PROVES("API-5.6.2a");
  cl_device_id all[3];
  cl_uint found = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 3, all, &found), CL_SUCCESS);
  if (found < 3)
    GTEST_SKIP() << "needs three devices";
  cl_int code = 1;
  Context together = clCreateContext(nullptr, 3, all, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  const char *text = "kernel void mark(global int *p, int v) { p[get_global_id(0)] += v; }";
  Program program = clCreateProgramWithSource(together, 1, &text, nullptr, &code);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  constexpr size_t Part = 4096, Count = Part / 4;
  auto *memory = static_cast<int *>(clSVMAlloc(together, CL_MEM_SVM_FINE_GRAIN_BUFFER, 3 * Part, 0));
  ASSERT_NE(memory, nullptr);
  std::fill_n(memory, 3 * Count, 1);
  {
    Mem whole = buffer(3 * Part, CL_MEM_USE_HOST_PTR, memory, together);
    std::vector<Queue> queues;
    std::vector<Mem> parts;
    for (size_t i = 0; i < 3; ++i) {
      queues.push_back(clCreateCommandQueueWithProperties(together, all[i], nullptr, &code));
      cl_buffer_region region{i * Part, Part};
      parts.push_back(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
      ASSERT_EQ(code, CL_SUCCESS);
      Kernel mark = kernel(program, "mark");
      ASSERT_EQ(set(mark, 0, parts.back()), CL_SUCCESS);
      ASSERT_EQ(set(mark, 1, int(10 * i)), CL_SUCCESS);
      size_t count = Count;
      ASSERT_EQ(clEnqueueNDRangeKernel(queues[i], mark, 1, nullptr, &count, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    }
    for (Queue &each : queues)
      ASSERT_EQ(clFinish(each), CL_SUCCESS);
    for (size_t i = 0; i < 3 * Count; ++i)
      ASSERT_EQ(memory[i], 1 + 10 * int(i / Count)) << i;
    std::vector<int> seen(3 * Count);
    for (Queue &each : queues) { // a map on any device, without a transfer
      ASSERT_EQ(clEnqueueReadBuffer(each, whole, CL_TRUE, 0, 3 * Part, seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_TRUE(std::equal(seen.begin(), seen.end(), memory));
    }
  }
  clSVMFree(together, memory);
}

// ---- Concurrent access by host and kernel
struct ConcurrentSvm : SharedMemoryTest {};

// The kernel and the host wait for each other alternately.
TEST_F(ConcurrentSvm, HandshakeThroughAtomics) {
  PROVES("API-5.6.2b EXEC-3.3.4b EXEC-3.3.5a");
  Program program = built(R"(
kernel void talk(global atomic_int *turn, global int *word, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_all_svm_devices) != 2 * i + 1)
      ;
    *word += 1;
    atomic_store_explicit(turn, 2 * i + 2, memory_order_release, memory_scope_all_svm_devices);
  }
}
)",
                          "-cl-std=CL3.0");
  Kernel talk = kernel(program, "talk");
  auto turn = svm<std::atomic<int>>(1, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
  auto word = svm(1, CL_MEM_SVM_FINE_GRAIN_BUFFER);
  constexpr int Rounds = 1000;
  new (turn.get()) std::atomic<int>(0);
  *word = 0;
  ASSERT_EQ(clSetKernelArgSVMPointer(talk, 0, turn.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(talk, 1, word.get()), CL_SUCCESS);
  ASSERT_EQ(set(talk, 2, Rounds), CL_SUCCESS);
  ASSERT_EQ(launch(talk, 1), CL_SUCCESS);
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  for (int i = 0; i < Rounds; ++i) {
    *word = *word * 2 % 1000;
    const int before = *word;
    turn->store(2 * i + 1, std::memory_order_release);
    while (turn->load(std::memory_order_acquire) != 2 * i + 2)
      std::this_thread::yield();
    ASSERT_EQ(*word, before + 1);
  }
  EXPECT_EQ(finish(), CL_SUCCESS);
}

// Two kernels and the host increment one counter concurrently.
TEST_F(ConcurrentSvm, ConcurrentIncrements) {
  PROVES("API-5.6.2b EXEC-3.3.6h");
  Program program = built("kernel void count(global atomic_int *p) { for (int i = 0; i < 100; ++i) "
                          "atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_all_svm_devices); }",
                          "-cl-std=CL3.0");
  Kernel count = kernel(program, "count");
  auto counter = svm<std::atomic<int>>(1, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
  new (counter.get()) std::atomic<int>(0);
  ASSERT_EQ(clSetKernelArgSVMPointer(count, 0, counter.get()), CL_SUCCESS);
  Queue second = makeQueue();
  const size_t items = 1000;
  for (cl_command_queue each : {queue.get(), second.get()}) {
    ASSERT_EQ(clEnqueueNDRangeKernel(each, count, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFlush(each), CL_SUCCESS);
  }
  for (int i = 0; i < 100'000; ++i)
    counter->fetch_add(1, std::memory_order_relaxed);
  ASSERT_EQ(finish(), CL_SUCCESS);
  ASSERT_EQ(clFinish(second), CL_SUCCESS);
  EXPECT_EQ(counter->load(), 300'000);
}

// Host and kernel write adjacent bytes concurrently. A store must not write other bytes.
TEST_F(ConcurrentSvm, NeighbouringBytes) {
  PROVES("API-5.6.2b EXEC-3.3.6g");
  Program program = built("kernel void mine(global uchar *p, int rounds) { size_t i = get_global_id(0);"
                          "  for (int r = 1; r <= rounds; ++r) p[2 * i] = (uchar)(r + i); }");
  Kernel mine = kernel(program, "mine");
  constexpr size_t Count = 4096;
  constexpr int Rounds = 200;
  auto bytes = svm<volatile unsigned char>(2 * Count, CL_MEM_SVM_FINE_GRAIN_BUFFER);
  for (size_t i = 0; i < 2 * Count; ++i)
    bytes.get()[i] = 0;
  ASSERT_EQ(clSetKernelArgSVMPointer(mine, 0, const_cast<unsigned char *>(bytes.get())), CL_SUCCESS);
  ASSERT_EQ(set(mine, 1, Rounds), CL_SUCCESS);
  ASSERT_EQ(launch(mine, Count), CL_SUCCESS);
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  unsigned wrong = 0;
  for (int r = 1; r <= Rounds; ++r)
    for (size_t i = 0; i < Count; ++i) {
      wrong += bytes.get()[2 * i + 1] != static_cast<unsigned char>(r == 1 ? 0 : r - 1);
      bytes.get()[2 * i + 1] = static_cast<unsigned char>(r);
    }
  EXPECT_EQ(wrong, 0u);
  ASSERT_EQ(finish(), CL_SUCCESS);
  for (size_t i = 0; i < Count; ++i) {
    ASSERT_EQ(bytes.get()[2 * i], static_cast<unsigned char>(Rounds + i)) << i;
    ASSERT_EQ(bytes.get()[2 * i + 1], static_cast<unsigned char>(Rounds)) << i;
  }
}
} // namespace kiln::test
