// Shared virtual memory and unified shared memory, as each device reports them.
#include "base/support/OpenCL.h"
#include "tests/backends/suite/Suite.h"
#include <algorithm>
#include <memory>
#include <thread>

namespace kiln::suite {
namespace {

/// The extension functions.
struct Usm {
#define KILN_USM(name)                                                                                                 \
  decltype(::cl##name##INTEL) *name = reinterpret_cast<decltype(::cl##name##INTEL) *>(                                 \
      clGetExtensionFunctionAddressForPlatform(platform(), "cl" #name "INTEL"))
  KILN_USM(HostMemAlloc);
  KILN_USM(DeviceMemAlloc);
  KILN_USM(SharedMemAlloc);
  KILN_USM(MemFree);
  KILN_USM(MemBlockingFree);
  KILN_USM(SetKernelArgMemPointer);
  KILN_USM(EnqueueMemFill);
  KILN_USM(EnqueueMemcpy);
  KILN_USM(EnqueueMigrateMem);
#undef KILN_USM
};

struct Node {
  Node *next;
  int value, seen;
};
const char *const WalkSource = R"(
struct Node { global struct Node *next; int value, seen; };
kernel void run(global struct Node *first, global int *sum) {
  int total = 0;
  for (global struct Node *at = first; at; at = at->next) {
    total += at->value;
    at->seen += 1;
  }
  *sum = total;
}
)";

} // namespace

class DeviceSharedMemory : public OnDevice {
protected:
  cl_device_svm_capabilities svm() const {
    return query<cl_device_svm_capabilities>(clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES);
  }
  bool hasUsm() const { return has("cl_intel_unified_shared_memory"); }
  cl_device_unified_shared_memory_capabilities_intel usmCapabilities(cl_device_info name) const {
    return query<cl_device_unified_shared_memory_capabilities_intel>(clGetDeviceInfo, device, name);
  }
  /// Freed at the end of the scope.
  template <typename T> auto allocate(size_t count, cl_svm_mem_flags flags = 0) {
    auto release = [in = context.get()](T *pointer) { clSVMFree(in, pointer); };
    return std::unique_ptr<T, decltype(release)>(static_cast<T *>(clSVMAlloc(context, flags, count * sizeof(T), 0)),
                                                 release);
  }
  template <typename T> void map(T *pointer, size_t count, cl_map_flags flags) {
    ASSERT_EQ(clEnqueueSVMMap(queue, CL_TRUE, flags, pointer, count * sizeof(T), 0, nullptr, nullptr), CL_SUCCESS);
  }
  void unmap(void *pointer) { ASSERT_EQ(clEnqueueSVMUnmap(queue, pointer, 0, nullptr, nullptr), CL_SUCCESS); }
  Usm usm;
};
ON_EVERY_DEVICE(DeviceSharedMemory);

#define NEEDS_SVM(capability)                                                                                          \
  if (!(svm() & (capability)))                                                                                         \
  GTEST_SKIP() << "no " #capability
#define NEEDS_USM                                                                                                      \
  if (!hasUsm())                                                                                                       \
  GTEST_SKIP() << "no cl_intel_unified_shared_memory"

TEST_P(DeviceSharedMemory, SvmCopiesAndFills) {
  NEEDS_SVM(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
  constexpr size_t Count = 100'000;
  auto a = allocate<int>(Count), b = allocate<int>(Count);
  ASSERT_TRUE(a && b);
  std::vector<int> numbers = counted<int>(Count), back(Count);
  const int four[4] = {1, 2, 3, 4};
  ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_FALSE, a.get(), numbers.data(), Count * 4, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_FALSE, b.get(), a.get(), Count * 4, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMMemFill(queue, b.get() + 4, four, 16, 1600, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, back.data(), b.get(), Count * 4, 0, nullptr, nullptr), CL_SUCCESS);
  for (size_t i = 0; i < Count; ++i)
    ASSERT_EQ(back[i], i >= 4 && i < 404 ? four[i % 4] : int(i)) << i;
  map(b.get(), Count, CL_MAP_READ);
  EXPECT_TRUE(std::equal(back.begin(), back.end(), b.get()));
  unmap(b.get());
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
}

TEST_P(DeviceSharedMemory, SvmListBuiltByTheHost) {
  NEEDS_SVM(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
  Program program = build(WalkSource);
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  constexpr int Count = 1000;
  auto first = allocate<Node>(Count / 2), second = allocate<Node>(Count / 2);
  auto sum = allocate<int>(1);
  ASSERT_TRUE(first && second && sum);
  map(first.get(), Count / 2, CL_MAP_WRITE);
  map(second.get(), Count / 2, CL_MAP_WRITE);
  auto node = [&](int i) { return i % 2 ? second.get() + i / 2 : first.get() + i / 2; };
  for (int i = 0; i < Count; ++i)
    *node(i) = {i + 1 < Count ? node(i + 1) : nullptr, i, 0};
  unmap(first.get());
  unmap(second.get());
  ASSERT_EQ(clSetKernelArgSVMPointer(run, 0, first.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(run, 1, sum.get()), CL_SUCCESS);
  void *others[] = {second.get()};
  ASSERT_EQ(clSetKernelExecInfo(run, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof others, others), CL_SUCCESS);
  for (int round = 1; round <= 3; ++round) {
    launch(run, {1});
    map(sum.get(), 1, CL_MAP_READ);
    EXPECT_EQ(*sum, Count * (Count - 1) / 2);
    unmap(sum.get());
    map(second.get(), Count / 2, CL_MAP_READ);
    EXPECT_EQ(node(Count - 1)->seen, round);
    unmap(second.get());
  }
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
}

TEST_P(DeviceSharedMemory, SvmUnderABuffer) {
  NEEDS_SVM(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
  Program program = build("kernel void run(global int *p, global ulong *at) { *at = (ulong)p; p[1] += 5; }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  auto memory = allocate<int>(1024);
  ASSERT_NE(memory, nullptr);
  const int two = 2;
  {
    Mem over = buffer(4096, CL_MEM_USE_HOST_PTR, memory.get()), at = buffer(8);
    ASSERT_EQ(clEnqueueFillBuffer(queue, over, &two, 4, 0, 4096, 0, nullptr, nullptr), CL_SUCCESS);
    set(run, 0, over, at);
    launch(run, {1});
    EXPECT_EQ(read<cl_ulong>(at, 1)[0], cl_ulong(memory.get()));
    EXPECT_EQ(read<int>(over, 3), (std::vector<int>{2, 7, 2}));
    cl_int code = 1;
    void *mapped = clEnqueueMapBuffer(queue, over, CL_TRUE, CL_MAP_READ, 0, 4096, 0, nullptr, nullptr, &code);
    EXPECT_EQ(mapped, memory.get());
    EXPECT_EQ(memory.get()[1], 7);
    EXPECT_EQ(clEnqueueUnmapMemObject(queue, over, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  }
}

TEST_P(DeviceSharedMemory, SvmFreedWhileItIsUsed) {
  NEEDS_SVM(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
  Program program = build("kernel void run(global int *p, global int *out) { *out = p[get_global_size(0) - 1]; }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  Mem out = buffer(4);
  for (int round = 0; round < 50; ++round) {
    const size_t count = 1000 + size_t(round) * 10'000;
    auto *memory = static_cast<int *>(clSVMAlloc(context, 0, count * 4, 0));
    ASSERT_NE(memory, nullptr);
    ASSERT_EQ(clEnqueueSVMMemFill(queue, memory, &round, 4, count * 4, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArgSVMPointer(run, 0, memory), CL_SUCCESS);
    set(run, 1, out);
    launch(run, {count});
    if (round % 2)
      clSVMFree(context, memory);
    void *list[] = {memory};
    if (round % 2 == 0)
      ASSERT_EQ(clEnqueueSVMFree(queue, 1, list, nullptr, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(read<int>(out, 1)[0], round);
  }
}

TEST_P(DeviceSharedMemory, SvmFineGrainNeedsNoMaps) {
  NEEDS_SVM(CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
  Program program = build("kernel void run(global int *p) { p[get_global_id(0)] += 1; }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  auto memory = allocate<int>(10'000, CL_MEM_SVM_FINE_GRAIN_BUFFER);
  ASSERT_NE(memory, nullptr);
  ASSERT_EQ(clSetKernelArgSVMPointer(run, 0, memory.get()), CL_SUCCESS);
  for (int round = 0; round < 10; ++round) {
    std::fill_n(memory.get(), 10'000, round);
    launch(run, {10'000});
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
    ASSERT_EQ(std::count(memory.get(), memory.get() + 10'000, round + 1), 10'000);
  }
}

// Host and kernel wait for each other, on devices with atomics between the two.
TEST_P(DeviceSharedMemory, SvmAtomicsWhileAKernelRuns) {
  NEEDS_SVM(CL_DEVICE_SVM_ATOMICS);
  Program program = build(R"(
kernel void run(global atomic_int *turn, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_all_svm_devices) != 2 * i + 1)
      ;
    atomic_fetch_add_explicit(turn, 1, memory_order_acq_rel, memory_scope_all_svm_devices);
  }
}
)",
                          "-cl-std=CL3.0");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  auto turn = allocate<std::atomic<int>>(1, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
  ASSERT_NE(turn, nullptr);
  new (turn.get()) std::atomic<int>(0);
  constexpr int Rounds = 100;
  ASSERT_EQ(clSetKernelArgSVMPointer(run, 0, turn.get()), CL_SUCCESS);
  set(run, 1, Rounds);
  launch(run, {1});
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  for (int i = 0; i < Rounds; ++i) {
    turn->store(2 * i + 1, std::memory_order_release);
    while (turn->load(std::memory_order_acquire) != 2 * i + 2)
      std::this_thread::yield();
  }
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
}

TEST_P(DeviceSharedMemory, SvmSystemMemory) {
  NEEDS_SVM(CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
  Program program = build(WalkSource);
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < 100; ++i)
    nodes.push_back(std::make_unique<Node>(Node{i ? nodes.back().get() : nullptr, i, 0}));
  auto sum = std::make_unique<int>(0);
  ASSERT_EQ(clSetKernelArgSVMPointer(run, 0, nodes.back().get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(run, 1, sum.get()), CL_SUCCESS);
  launch(run, {1});
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(*sum, 4950);
  EXPECT_EQ(nodes[50]->seen, 1);
}

// A device without system memory access rejects the pointer.
TEST_P(DeviceSharedMemory, SystemMemoryRefused) {
  if (!svm() || svm() & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)
    GTEST_SKIP() << "the device has fine-grain system SVM, or no SVM";
  Program program = build("kernel void run(global int *p) { *p = 1; }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  int value = 0;
  EXPECT_EQ(clSetKernelArgSVMPointer(run, 0, &value), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clEnqueueSVMMemFill(queue, &value, &value, 4, 4, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, &value, 4, 0, nullptr, nullptr), CL_INVALID_VALUE);
  cl_bool yes = CL_TRUE;
  EXPECT_EQ(clSetKernelExecInfo(run, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes),
            CL_INVALID_OPERATION);
}

TEST_P(DeviceSharedMemory, UsmCopiesAndFills) {
  NEEDS_USM;
  constexpr size_t Count = 100'000;
  std::vector<int> numbers = counted<int>(Count);
  cl_int code = 1;
  int *memory[3] = {static_cast<int *>(usm.HostMemAlloc(context, nullptr, Count * 4, 0, &code)),
                    static_cast<int *>(usm.DeviceMemAlloc(context, device, nullptr, Count * 4, 0, &code)),
                    static_cast<int *>(usm.SharedMemAlloc(context, device, nullptr, Count * 4, 0, &code))};
  for (int *from : memory)
    for (int *to : memory) {
      ASSERT_NE(from, nullptr);
      std::vector<int> back(Count);
      const int value = 9;
      ASSERT_EQ(usm.EnqueueMemcpy(queue, CL_FALSE, from, numbers.data(), Count * 4, 0, nullptr, nullptr), CL_SUCCESS);
      ASSERT_EQ(usm.EnqueueMigrateMem(queue, from, Count * 4, 0, 0, nullptr, nullptr), CL_SUCCESS);
      if (from != to)
        ASSERT_EQ(usm.EnqueueMemcpy(queue, CL_FALSE, to, from, Count * 4, 0, nullptr, nullptr), CL_SUCCESS);
      ASSERT_EQ(usm.EnqueueMigrateMem(queue, to, Count * 4, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr),
                CL_SUCCESS);
      ASSERT_EQ(usm.EnqueueMemFill(queue, to + 10, &value, 4, 40, 0, nullptr, nullptr), CL_SUCCESS);
      ASSERT_EQ(usm.EnqueueMemcpy(queue, CL_TRUE, back.data(), to, Count * 4, 0, nullptr, nullptr), CL_SUCCESS);
      for (size_t i = 0; i < Count; ++i)
        ASSERT_EQ(back[i], i >= 10 && i < 20 ? 9 : int(i)) << i;
    }
  for (int *one : memory)
    EXPECT_EQ(usm.MemBlockingFree(context, one), CL_SUCCESS);
}

// Each kind, accessed through an argument and through memory that contains its address.
TEST_P(DeviceSharedMemory, UsmInKernels) {
  NEEDS_USM;
  Program program = build("kernel void run(global int *p, global const ulong *other) {"
                          "  size_t i = get_global_id(0); p[i] += ((global const int *)other[0])[i]; }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  constexpr size_t Count = 1000;
  cl_bool yes = CL_TRUE;
  for (cl_kernel_exec_info name :
       {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL})
    ASSERT_EQ(clSetKernelExecInfo(run, name, sizeof yes, &yes), CL_SUCCESS);
  auto make = [&](int kind) {
    return static_cast<int *>(kind == 0   ? usm.HostMemAlloc(context, nullptr, Count * 4, 0, nullptr)
                              : kind == 1 ? usm.DeviceMemAlloc(context, device, nullptr, Count * 4, 0, nullptr)
                                          : usm.SharedMemAlloc(context, device, nullptr, Count * 4, 0, nullptr));
  };
  std::vector<int> numbers = counted<int>(Count);
  for (int kind = 0; kind < 3; ++kind)
    for (int otherKind = 0; otherKind < 3; ++otherKind) {
      int *memory = make(kind), *other = make(otherKind);
      auto *names = static_cast<cl_ulong *>(usm.HostMemAlloc(context, nullptr, 8, 0, nullptr));
      ASSERT_TRUE(memory && other && names);
      *names = cl_ulong(other);
      for (int *to : {memory, other})
        ASSERT_EQ(usm.EnqueueMemcpy(queue, CL_FALSE, to, numbers.data(), Count * 4, 0, nullptr, nullptr), CL_SUCCESS);
      ASSERT_EQ(usm.SetKernelArgMemPointer(run, 0, memory), CL_SUCCESS);
      ASSERT_EQ(usm.SetKernelArgMemPointer(run, 1, names), CL_SUCCESS);
      launch(run, {Count});
      std::vector<int> back(Count);
      ASSERT_EQ(usm.EnqueueMemcpy(queue, CL_FALSE, back.data(), memory, Count * 4, 0, nullptr, nullptr), CL_SUCCESS);
      for (void *one : std::initializer_list<void *>{memory, other, names})
        ASSERT_EQ(usm.MemBlockingFree(context, one), CL_SUCCESS);
      ASSERT_EQ(clFinish(queue), CL_SUCCESS);
      for (size_t i = 0; i < Count; ++i)
        ASSERT_EQ(back[i], int(2 * i)) << kind << " " << otherKind;
    }
}

// The host reads what a kernel wrote without a map, in memory that it can access.
TEST_P(DeviceSharedMemory, UsmSeenByTheHost) {
  NEEDS_USM;
  Program program = build("kernel void run(global int *p) { p[get_global_id(0)] *= 3; }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  for (bool shared : {false, true}) {
    if (!usmCapabilities(shared ? CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
                                : CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL))
      continue;
    auto *memory = static_cast<int *>(shared ? usm.SharedMemAlloc(context, device, nullptr, 4000, 0, nullptr)
                                             : usm.HostMemAlloc(context, nullptr, 4000, 0, nullptr));
    ASSERT_NE(memory, nullptr);
    std::iota(memory, memory + 1000, 0);
    ASSERT_EQ(usm.SetKernelArgMemPointer(run, 0, memory), CL_SUCCESS);
    launch(run, {1000});
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(memory[i], 3 * i);
    EXPECT_EQ(usm.MemFree(context, memory), CL_SUCCESS);
  }
}

TEST_P(DeviceSharedMemory, FixedAddresses) {
  if (!has("cl_ext_buffer_device_address"))
    GTEST_SKIP() << "no cl_ext_buffer_device_address";
  using SetPointer = cl_int CL_API_CALL(cl_kernel, cl_uint, cl_mem_device_address_ext);
  auto *setPointer = reinterpret_cast<SetPointer *>(
      clGetExtensionFunctionAddressForPlatform(platform(), "clSetKernelArgDevicePointerEXT"));
  ASSERT_NE(setPointer, nullptr);
  Program program = build("kernel void run(global int *p, global ulong *out) { *out = (ulong)p; p[-1] = p[1] + 100; }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  const cl_mem_properties list[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
  std::vector<int> numbers = counted<int>(1000);
  cl_int code = 1;
  Mem memory = clCreateBufferWithProperties(context, list, CL_MEM_COPY_HOST_PTR, 4000, numbers.data(), &code);
  ASSERT_EQ(code, CL_SUCCESS);
  Mem out = buffer(8);
  auto address = query<cl_mem_device_address_ext>(clGetMemObjectInfo, memory.get(), CL_MEM_DEVICE_ADDRESS_EXT);
  ASSERT_EQ(setPointer(run, 0, address + 400), CL_SUCCESS);
  set(run, 1, out);
  launch(run, {1});
  EXPECT_EQ(read<cl_ulong>(out, 1)[0], address + 400);
  EXPECT_EQ(read<int>(memory, 1000)[99], 201);
}

// ---- Several devices

class SharedTogether : public InContext {
protected:
  void SetUp() override {
    if (devices().size() < 2)
      GTEST_SKIP() << "the platform has one device";
    for (cl_device_id device : devices())
      if (!query<cl_device_svm_capabilities>(clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES))
        GTEST_SKIP() << "not every device has SVM";
    open(devices());
    for (cl_device_id device : devices())
      queues.push_back(makeQueue(device));
  }
  std::vector<Queue> queues;
};

// One address for all devices of all drivers and the host.
TEST_F(SharedTogether, OneAddressForAll) {
  constexpr size_t Count = 10'000;
  auto *memory = static_cast<int *>(clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, Count * 4, 0));
  ASSERT_NE(memory, nullptr);
  std::fill_n(memory, Count, 1);
  Program program = build("kernel void run(global int *p) { p[get_global_id(0)] += get_global_id(0); }");
  ASSERT_NE(program, nullptr);
  for (Queue &queue : queues) {
    Kernel run = kernel(program, "run");
    ASSERT_EQ(clSetKernelArgSVMPointer(run, 0, memory), CL_SUCCESS);
    launch(queue, run, {Count});
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  }
  for (size_t i = 0; i < Count; ++i)
    ASSERT_EQ(memory[i], 1 + int(queues.size() * i)) << i;
  clSVMFree(context, memory);
}

TEST_F(SharedTogether, CopiesByEveryDevice) {
  constexpr size_t Bytes = 1 << 20;
  auto *first = static_cast<unsigned char *>(clSVMAlloc(context, 0, Bytes, 0));
  auto *second = static_cast<unsigned char *>(clSVMAlloc(context, 0, Bytes, 0));
  ASSERT_TRUE(first && second);
  for (Queue &queue : queues) {
    std::vector<unsigned char> bytes = randomBytes(Bytes, 3), back(Bytes);
    ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_FALSE, first, bytes.data(), Bytes, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_FALSE, second, first, Bytes, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, second, Bytes, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), second));
    ASSERT_EQ(clEnqueueSVMUnmap(queue, second, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  }
  clSVMFree(context, first);
  clSVMFree(context, second);
}

} // namespace kiln::suite
