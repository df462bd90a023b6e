// KILN_CHECK=memory: memory of every kind that the API makes. tests/e2e/check_memory.cl has the kinds of accesses.
#include "tests/process/CommandBuffer.h"

namespace kiln::test {
namespace {

constexpr const char *Copy = "kernel void copy(global int *to, global const int *from) {\n"
                             "  size_t i = get_global_id(0);\n"
                             "  to[i] = from[i];\n}\n";

struct Bench : App {
  using App::App;
  Kernel kernel(const char *text, const char *name) {
    program = source(text);
    EXPECT_EQ(build(program), CL_SUCCESS) << log(program);
    return clCreateKernel(program, name, nullptr);
  }
  Mem buffer(size_t ints, cl_mem_flags flags = CL_MEM_READ_WRITE) {
    std::vector<int> data(ints, 7);
    return clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, ints * sizeof(int), data.data(), nullptr);
  }
  static void set(cl_kernel kernel, cl_uint index, const Mem &value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof(cl_mem), value.address()), CL_SUCCESS) << index;
  }
  void launch(cl_kernel kernel, size_t items) const {
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  }
  int *shared(size_t ints) const {
    auto *made = static_cast<int *>(clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, ints * sizeof(int), 0));
    for (size_t i = 0; i < ints; ++i)
      made[i] = 7;
    return made;
  }
  Program program;
};

/// On the CPU, or on an emulated GPU.
struct CheckMemory : ProcessTest, testing::WithParamInterface<bool> {
  static cl_device_type type() { return GetParam() ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU; }
  static Environment on() {
    return GetParam() ? Environment{{"KILN_DEVICES", "hip"}, {"KILN_HIP_LIBRARY", KILN_EMULATOR}} : Environment();
  }
  void check(const std::function<void(Bench &)> &situation) {
    Environment environment = on();
    environment.push_back({"KILN_CHECK", "memory"});
    inNewProcessWithErrors(
        [&] {
          Bench bench(type());
          situation(bench);
        },
        environment);
  }
  bool says(const std::string &words) const { return errors.find(words) != std::string::npos; }
  void expectReport(const std::string &words) const { EXPECT_TRUE(says(words)) << words << "\n" << errors; }
  void expectNothing() const { EXPECT_FALSE(says("check:")) << errors; }
};

INSTANTIATE_TEST_SUITE_P(OnCpuAndGpu, CheckMemory, testing::Bool(),
                         [](const auto &test) { return test.param ? "Gpu" : "Cpu"; });

TEST_P(CheckMemory, RightLaunchReportsNothing) {
  check([](Bench &bench) {
    Kernel copy = bench.kernel(Copy, "copy");
    Mem to = bench.buffer(1000), from = bench.buffer(1000);
    bench.set(copy, 0, to), bench.set(copy, 1, from);
    bench.launch(copy, 1000);
  });
  expectNothing();
}

// SPIRV-Tools gives ids of all but the first module new numbers, and not those in their lines (LinkedLines.h).
TEST_P(CheckMemory, LinkedUnitsKeepTheirLines) {
  check([](Bench &bench) {
    Program units[] = {bench.source("int get(global const int *from, size_t i);\n"
                                    "kernel void copy(global int *to, global const int *from) {\n"
                                    "  to[get_global_id(0)] = get(from, get_global_id(0));\n}\n"),
                       bench.source("\n\n\n\n\nint get(global const int *from, size_t i) { return from[i]; }\n")};
    cl_program handles[] = {units[0], units[1]};
    for (cl_program unit : handles)
      ASSERT_EQ(clCompileProgram(unit, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    cl_int code = 1;
    bench.program = clLinkProgram(bench.context, 0, nullptr, "", 2, handles, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS) << bench.log(bench.program);
    Kernel copy = clCreateKernel(bench.program, "copy", nullptr);
    Mem to = bench.buffer(64), from = bench.buffer(60);
    bench.set(copy, 0, to), bench.set(copy, 1, from);
    bench.launch(copy, 64);
  });
  expectReport("kernel copy reads 4 bytes outside of the buffer of argument 1 (from), which has 240 bytes");
  expectReport("line 6");
}

TEST_P(CheckMemory, SubBufferEndsBeforeItsNeighbour) {
  check([](Bench &bench) {
    Kernel copy = bench.kernel(Copy, "copy");
    Mem whole = bench.buffer(4096), to = bench.buffer(4096);
    const cl_buffer_region half{0, 2048 * sizeof(int)};
    Mem first = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, nullptr);
    bench.set(copy, 0, to), bench.set(copy, 1, first);
    bench.launch(copy, 2050);
  });
  expectReport(
      "reads 4 bytes outside of the sub-buffer of argument 1 (from), which has 8192 bytes: right after its end");
  expectReport("line 3: to[i] = from[i];");
  expectReport("work-item (2048)");
  EXPECT_FALSE(says("writes")) << errors;
}

TEST_P(CheckMemory, NullBuffer) {
  check([](Bench &bench) {
    Kernel copy = bench.kernel(Copy, "copy");
    Mem to = bench.buffer(16);
    bench.set(copy, 0, to);
    EXPECT_EQ(clSetKernelArg(copy, 1, sizeof(cl_mem), nullptr), CL_SUCCESS);
    bench.launch(copy, 16);
  });
  expectReport("reads 4 bytes through the null pointer of argument 1 (from)");
  expectReport("work-item (0)");
}

TEST_P(CheckMemory, AllocationFromAPointerInside) {
  check([](Bench &bench) {
    Kernel copy = bench.kernel(Copy, "copy");
    int *from = bench.shared(64);
    Mem to = bench.buffer(64);
    bench.set(copy, 0, to);
    EXPECT_EQ(clSetKernelArgSVMPointer(copy, 1, from + 40), CL_SUCCESS);
    bench.launch(copy, 25);
    clSVMFree(bench.context, from);
  });
  expectReport(
      "reads 4 bytes outside of the allocation of argument 1 (from), which has 256 bytes: right after its end");
  expectReport("work-item (24)");
}

TEST_P(CheckMemory, FreedAllocation) {
  if (GetParam())
    GTEST_SKIP() << "the enqueue is refused, because the GPU has no system SVM";
  check([](Bench &bench) {
    Kernel copy = bench.kernel(Copy, "copy");
    int *from = bench.shared(64);
    Mem to = bench.buffer(64);
    bench.set(copy, 0, to);
    EXPECT_EQ(clSetKernelArgSVMPointer(copy, 1, from), CL_SUCCESS);
    clSVMFree(bench.context, from);
    bench.launch(copy, 4);
  });
  expectReport("reads 4 bytes in the allocation of argument 1 (from), which has been freed: byte 0 of 256");
}

// Pointers that a kernel reads from memory: into a live allocation, past its end, into a freed one.
TEST_P(CheckMemory, PointersInMemory) {
  check([](Bench &bench) {
    Kernel follow = bench.kernel("kernel void follow(global int *to, global const ulong *nodes) {\n"
                                 "  size_t i = get_global_id(0);\n"
                                 "  to[i] = *(global const int *)nodes[i];\n}\n",
                                 "follow");
    int *live = bench.shared(64), *freed = bench.shared(64);
    clSVMFree(bench.context, freed);
    auto **nodes = reinterpret_cast<int **>(bench.shared(16));
    for (size_t i = 0; i < 8; ++i)
      nodes[i] = live + i;
    nodes[5] = freed + 3;
    Mem to = bench.buffer(8);
    bench.set(follow, 0, to);
    EXPECT_EQ(clSetKernelArgSVMPointer(follow, 1, nodes), CL_SUCCESS);
    EXPECT_EQ(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof live, &live), CL_SUCCESS);
    bench.launch(follow, 8);
    std::vector<int> results(8);
    EXPECT_EQ(clEnqueueReadBuffer(bench.queue, to, CL_TRUE, 0, 32, results.data(), 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(results, (std::vector<int>{7, 7, 7, 7, 7, 0, 7, 7}));
  });
  expectReport("reads 4 bytes in an allocation of 256 bytes that has been freed: byte 12");
  expectReport("work-item (5)");
}

// Memory of the application that no call has named may be read: the CPU has fine-grain system SVM.
TEST_P(CheckMemory, MemoryOfTheApplication) {
  if (GetParam())
    GTEST_SKIP() << "the GPU has no system SVM";
  check([](Bench &bench) {
    Kernel copy = bench.kernel(Copy, "copy");
    std::vector<int> from(64, 3);
    Mem to = bench.buffer(64);
    bench.set(copy, 0, to);
    EXPECT_EQ(clSetKernelArgSVMPointer(copy, 1, from.data()), CL_SUCCESS);
    bench.launch(copy, 64);
  });
  expectNothing();
}

// The two arguments are one buffer, and the launch's binary is loaded in a process without the check.
TEST_P(CheckMemory, BinaryWithoutTheCheck) {
  const std::string path = folder + "/binary";
  check([&](Bench &bench) {
    Kernel copy = bench.kernel(Copy, "copy");
    size_t size = 0;
    EXPECT_EQ(clGetProgramInfo(bench.program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
    std::string bytes(size, '\0');
    char *data = bytes.data();
    EXPECT_EQ(clGetProgramInfo(bench.program, CL_PROGRAM_BINARIES, sizeof data, &data, nullptr), CL_SUCCESS);
    FILE *file = fopen(path.c_str(), "wb");
    EXPECT_EQ(fwrite(data, 1, size, file), size);
    fclose(file);
  });
  inNewProcess(
      [&] {
        Bench bench(type());
        const std::string bytes = contentOf(path);
        const auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
        const size_t size = bytes.size();
        Program program = clCreateProgramWithBinary(bench.context, 1, &bench.device, &size, &data, nullptr, nullptr);
        EXPECT_EQ(bench.build(program), CL_SUCCESS);
        Kernel copy = clCreateKernel(program, "copy", nullptr);
        Mem both = bench.buffer(16);
        bench.set(copy, 0, both), bench.set(copy, 1, both);
        bench.launch(copy, 16);
      },
      on());
}

// Programs compute distances between allocations: the access is in another one than the argument.
TEST_P(CheckMemory, AnotherAllocation) {
  check([](Bench &bench) {
    Kernel copy = bench.kernel("kernel void reach(global int *to, global const int *from, long distance) {\n"
                               "  size_t i = get_global_id(0);\n"
                               "  to[i] = from[distance + i];\n}\n",
                               "reach");
    int *from = bench.shared(64), *other = bench.shared(64);
    const cl_long distance = other - from;
    Mem to = bench.buffer(65);
    bench.set(copy, 0, to);
    EXPECT_EQ(clSetKernelArgSVMPointer(copy, 1, from), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(copy, 2, sizeof distance, &distance), CL_SUCCESS);
    EXPECT_EQ(clSetKernelExecInfo(copy, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof other, &other), CL_SUCCESS);
    bench.launch(copy, 64);
    bench.launch(copy, 65);
  });
  expectReport("reads 4 bytes outside of the allocation of argument 1 (from), which has 256 bytes: ");
  expectReport("work-item (64)");
  expectReport("check: 1 findings, which occurred 1 times");
}

// The runtime launches the constructors of the program's objects. These launches have no cl_kernel (GpuLaunchCheck.h).
TEST_P(CheckMemory, ConstructorOfTheProgram) {
  check([](Bench &bench) {
    Program program = bench.source("struct Start {\n  int value;\n  Start() { value = 41; }\n};\nglobal Start start;\n"
                                   "kernel void k(global int *to) { to[get_global_id(0)] = start.value + 1; }\n");
    EXPECT_EQ(bench.build(program, "-cl-std=CLC++2021"), CL_SUCCESS) << bench.log(program);
    EXPECT_EQ(bench.run(program, 2), (std::vector<int>{42, 42}));
  });
  expectNothing();
}

// A command buffer's launches are checked each time that it is enqueued.
TEST_P(CheckMemory, RecordedLaunch) {
  check([](Bench &bench) {
    Kernel copy = bench.kernel(Copy, "copy");
    Mem to = bench.buffer(8), from = bench.buffer(6);
    bench.set(copy, 0, to), bench.set(copy, 1, from);
    RecordedLaunches launches(bench);
    launches.add(copy, 8);
    launches.execute(3);
  });
  expectReport("reads 4 bytes outside of the buffer of argument 1 (from), which has 24 bytes: right after its end");
  expectReport("check: 1 findings, which occurred 6 times");
}

// Reports name the call that created the memory: this program, at an offset that addr2line takes.
TEST_P(CheckMemory, CreationOfABuffer) {
  check([](Bench &bench) {
    Kernel copy = bench.kernel(Copy, "copy");
    Mem to = bench.buffer(8), from = bench.buffer(6);
    bench.set(copy, 0, to), bench.set(copy, 1, from);
    bench.launch(copy, 8);
  });
  expectReport("\n  created at kiln-process-tests+0x");
}

TEST_P(CheckMemory, CreationOfAnAllocation) {
  const std::string report = folder + "/report";
  inNewProcessWithErrors(
      [] {
        Bench bench(type());
        Kernel copy = bench.kernel(Copy, "copy");
        Mem to = bench.buffer(8);
        int *from = bench.shared(6);
        bench.set(copy, 0, to);
        EXPECT_EQ(clSetKernelArgSVMPointer(copy, 1, from), CL_SUCCESS);
        bench.launch(copy, 8);
      },
      [&] {
        Environment environment = on();
        environment.push_back({"KILN_CHECK", "memory"});
        environment.push_back({"KILN_CHECK_REPORT", report});
        return environment;
      }());
  expectReport("the allocation of argument 1 (from), which has 24 bytes");
  expectReport("\n  created at kiln-process-tests+0x");
  EXPECT_NE(contentOf(report).find("\"created_at\":\"kiln-process-tests+0x"), std::string::npos) << contentOf(report);
}

TEST_P(CheckMemory, CreationOfAFreedAllocation) {
  if (GetParam())
    GTEST_SKIP() << "the enqueue is refused, because the GPU has no system SVM";
  check([](Bench &bench) {
    Kernel copy = bench.kernel(Copy, "copy");
    int *from = bench.shared(64);
    Mem to = bench.buffer(64);
    bench.set(copy, 0, to);
    EXPECT_EQ(clSetKernelArgSVMPointer(copy, 1, from), CL_SUCCESS);
    clSVMFree(bench.context, from);
    bench.launch(copy, 4);
  });
  expectReport("which has been freed");
  expectReport("\n  created at kiln-process-tests+0x");
}

// ---- mapped memory

/// Enqueues a copy from `from` to `to` of 8 ints.
void enqueueCopy(Bench &bench, const Mem &to, const Mem &from) {
  Kernel copy = bench.kernel(Copy, "copy");
  const size_t items = 8;
  bench.set(copy, 0, to), bench.set(copy, 1, from);
  EXPECT_EQ(clEnqueueNDRangeKernel(bench.queue, copy, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
}
void *map(Bench &bench, const Mem &buffer, cl_map_flags flags, size_t offset = 0, size_t size = 32) {
  cl_int code = 1;
  void *mapped = clEnqueueMapBuffer(bench.queue, buffer, CL_TRUE, flags, offset, size, 0, nullptr, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  return mapped;
}
void unmap(Bench &bench, const Mem &buffer, void *mapped) {
  EXPECT_EQ(clEnqueueUnmapMemObject(bench.queue, buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(bench.queue), CL_SUCCESS);
}

TEST_P(CheckMemory, BufferThatIsMappedForWriting) {
  check([](Bench &bench) {
    Mem to = bench.buffer(8), from = bench.buffer(8);
    void *mapped = map(bench, from, CL_MAP_WRITE);
    enqueueCopy(bench, to, from);
    unmap(bench, from, mapped);
  });
  expectReport("check: kernel copy accesses the buffer of argument 1 (from), which is mapped for writing\n"
               "  mapped at kiln-process-tests+0x");
  expectReport("\n  enqueued at kiln-process-tests+0x");
  expectReport("\n  created at kiln-process-tests+0x");
  expectReport("check: 1 findings, which occurred 1 times");
}

// A kernel may read memory that is mapped for reading, and must not write it.
TEST_P(CheckMemory, BuffersThatAreMappedForReading) {
  check([](Bench &bench) {
    Mem to = bench.buffer(8), from = bench.buffer(8);
    void *read = map(bench, from, CL_MAP_READ), *written = map(bench, to, CL_MAP_READ);
    enqueueCopy(bench, to, from);
    unmap(bench, from, read), unmap(bench, to, written);
  });
  expectReport("check: kernel copy may write the buffer of argument 0 (to), which is mapped for reading");
  expectReport("check: 1 findings, which occurred 1 times");
}

// The kernel waits for an event that the application sets after the unmap, and runs before a map that waits for it.
TEST_P(CheckMemory, LaunchesBetweenMaps) {
  check([](Bench &bench) {
    cl_int code = 1;
    bench.queue = clCreateCommandQueue(bench.context, bench.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    Kernel copy = bench.kernel(Copy, "copy");
    Mem to = bench.buffer(8), from = bench.buffer(8);
    bench.set(copy, 0, to), bench.set(copy, 1, from);
    void *first = map(bench, from, CL_MAP_WRITE);
    const size_t items = 8;
    cl_event start = clCreateUserEvent(bench.context, nullptr), launched = nullptr, mapped = nullptr;
    EXPECT_EQ(clEnqueueNDRangeKernel(bench.queue, copy, 1, nullptr, &items, nullptr, 1, &start, &launched), CL_SUCCESS);
    cl_event unmapped = nullptr;
    EXPECT_EQ(clEnqueueUnmapMemObject(bench.queue, from, first, 0, nullptr, &unmapped), CL_SUCCESS);
    EXPECT_EQ(clWaitForEvents(1, &unmapped), CL_SUCCESS);
    void *second = clEnqueueMapBuffer(bench.queue, from, CL_FALSE, CL_MAP_WRITE, 0, 32, 1, &launched, &mapped, &code);
    EXPECT_EQ(clSetUserEventStatus(start, CL_COMPLETE), CL_SUCCESS);
    EXPECT_EQ(clWaitForEvents(1, &mapped), CL_SUCCESS);
    unmap(bench, from, second);
    for (cl_event event : {start, launched, mapped, unmapped})
      clReleaseEvent(event);
  });
  expectNothing();
}

TEST_P(CheckMemory, SubBufferBesideAMap) {
  check([](Bench &bench) {
    Mem whole = bench.buffer(2048), to = bench.buffer(8);
    const cl_buffer_region first{0, 4096}, second{4096, 4096};
    Mem used = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &first, nullptr);
    Mem other = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &second, nullptr);
    void *mapped = map(bench, other, CL_MAP_WRITE);
    enqueueCopy(bench, to, used);
    EXPECT_EQ(clFinish(bench.queue), CL_SUCCESS);
    unmap(bench, other, mapped);
    mapped = map(bench, whole, CL_MAP_WRITE, 64);
    enqueueCopy(bench, to, used);
    unmap(bench, whole, mapped);
  });
  expectReport("accesses the sub-buffer of argument 1 (from), which is mapped for writing");
  expectReport("check: 1 findings, which occurred 1 times");
}

// Only coarse-grained memory is mapped for the host's accesses.
TEST_P(CheckMemory, AllocationsThatAreMapped) {
  check([](Bench &bench) {
    Kernel copy = bench.kernel(Copy, "copy");
    Mem to = bench.buffer(8);
    bench.set(copy, 0, to);
    for (cl_svm_mem_flags kind : {0, CL_MEM_SVM_FINE_GRAIN_BUFFER}) {
      void *from = clSVMAlloc(bench.context, CL_MEM_READ_WRITE | kind, 32, 0);
      EXPECT_EQ(clSetKernelArgSVMPointer(copy, 1, from), CL_SUCCESS);
      EXPECT_EQ(clEnqueueSVMMap(bench.queue, CL_TRUE, CL_MAP_WRITE, from, 32, 0, nullptr, nullptr), CL_SUCCESS);
      std::memset(from, 0, 32);
      bench.launch(copy, 8);
      EXPECT_EQ(clEnqueueSVMUnmap(bench.queue, from, 0, nullptr, nullptr), CL_SUCCESS);
      bench.launch(copy, 8);
      clSVMFree(bench.context, from);
    }
  });
  expectReport("check: kernel copy accesses the allocation of argument 1 (from), which is mapped for writing\n"
               "  mapped at kiln-process-tests+0x");
  expectReport("check: 1 findings, which occurred 1 times");
}

} // namespace
} // namespace kiln::test
