// KILN_CROSSCHECK: launches run in the scalar form as well, and every byte is compared.
//
// A pass plug-in makes a wrong form: it replaces each constant 41 by 42 in kernels whose name begins with off_by_one.
// Kiln's own passes always make the scalar form, so the forms of such a kernel differ.
#include "tests/process/ProcessTest.h"
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kiln::test {
namespace {

/// The objects of a situation.
struct Bench : App {
  Program built(const std::string &text, const char *options = nullptr) {
    Program program = source(text);
    EXPECT_EQ(build(program, options), CL_SUCCESS) << log(program);
    return program;
  }
  Kernel kernel(cl_program program, const char *name) {
    cl_int code = 1;
    Kernel made = clCreateKernel(program, name, &code);
    EXPECT_EQ(code, CL_SUCCESS) << name;
    return made;
  }
  Mem zeros(size_t ints) {
    std::vector<int> data(ints);
    return clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, ints * sizeof(int), data.data(), nullptr);
  }
  template <typename T> void set(cl_kernel kernel, cl_uint index, const T &value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS) << index;
  }
  void set(cl_kernel kernel, cl_uint index, const Mem &value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof(cl_mem), value.address()), CL_SUCCESS) << index;
  }
  void launch(cl_kernel kernel, size_t global, size_t local = 0, cl_command_queue in = nullptr) {
    EXPECT_EQ(clEnqueueNDRangeKernel(in ? in : queue.get(), kernel, 1, nullptr, &global, local ? &local : nullptr, 0,
                                     nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(clFinish(in ? in : queue.get()), CL_SUCCESS);
  }
  std::vector<int> read(cl_mem buffer, size_t ints) {
    std::vector<int> data(ints);
    EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, ints * sizeof(int), data.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return data;
  }
};

struct CrossCheck : ProcessTest {
  std::string reportPath() const { return folder + "/report"; }
  std::string errorsPath() const { return folder + "/errors"; }
  Environment on() const {
    return {{"KILN_CROSSCHECK", "1"}, {"KILN_CROSSCHECK_REPORT", reportPath()}, {"TMPDIR", folder}};
  }
  Environment wrong() const {
    Environment environment = on();
    environment.emplace_back("KILN_PASS_PLUGINS", KILN_MISBEHAVE);
    environment.emplace_back("KILN_PIPELINE_CPU", "builtin.module(misbehave,kiln-common,kiln-group,kiln-cpu)");
    return environment;
  }
  /// Runs the situation. `errors` receives its standard error, `report` its line of the report.
  void check(const std::function<void(Bench &)> &situation, Environment environment) {
    environment.emplace_back("KILN_LOG", "info,program");
    inNewProcessWithErrors(
        [&] {
          Bench bench;
          situation(bench);
        },
        environment);
    report = contentOf(reportPath());
  }
  void checkWrong(const std::function<void(Bench &)> &situation) { check(situation, wrong()); }
  void checkRight(const std::function<void(Bench &)> &situation) { check(situation, on()); }

  static bool holds(const std::string &text, const std::string &words) { return text.find(words) != std::string::npos; }
  void expectCounts(int launches, int compared, int differences, int notComparable, int skipped) const {
    const std::string counts =
        "\"launches\":" + std::to_string(launches) + ",\"compared\":" + std::to_string(compared) +
        ",\"differences\":" + std::to_string(differences) + ",\"not_comparable\":" + std::to_string(notComparable) +
        ",\"skipped\":" + std::to_string(skipped) + ",\"skipped_because\"";
    EXPECT_TRUE(holds(report, counts)) << "not in the report: " << counts << "\n" << report << errors;
  }
  void expectInReport(const std::string &words) const {
    EXPECT_TRUE(holds(report, words)) << "not in the report: " << words << "\n" << report;
  }
  void expectInErrors(const std::string &words) const {
    EXPECT_TRUE(holds(errors, words)) << "not on standard error: " << words << "\n" << errors;
  }
  std::string report;
};

// A kernel that updates its input gives another result if it runs on the result of its first run.
TEST_F(CrossCheck, MemoryIsAsAfterOneRun) {
  checkRight([](Bench &bench) {
    Program program = bench.built("kernel void more(global int *o) { o[get_global_id(0)] += get_global_id(0); }");
    Kernel more = bench.kernel(program, "more");
    Mem memory = bench.zeros(100);
    bench.set(more, 0, memory);
    for (int i = 0; i < 3; ++i)
      bench.launch(more, 100);
    std::vector<int> expected(100);
    for (int i = 0; i < 100; ++i)
      expected[size_t(i)] = 3 * i;
    EXPECT_EQ(bench.read(memory, 100), expected);
  });
  expectCounts(3, 3, 0, 0, 0);
  expectInErrors("kiln: info: program: cross-check: 3 launches of 1 kernels: 3 compared, 0 differ");
  expectInErrors("cross-check: kernel more: 3 launches, 3 compared");
}

TEST_F(CrossCheck, IsOffByDefault) {
  check([](Bench &bench) { EXPECT_TRUE(bench.works(5)); }, {{"KILN_CROSSCHECK_REPORT", reportPath()}});
  EXPECT_FALSE(holds(errors, "cross-check")) << errors;
  EXPECT_FALSE(std::filesystem::exists(reportPath()));
}

TEST_F(CrossCheck, DifferenceInABufferIsAnErrorWithBothValues) {
  checkWrong([](Bench &bench) {
    Program program = bench.built(R"(kernel void off_by_one(global int *unused, global int *o) {
      if (get_global_id(0) >= 60) o[get_global_id(0)] = 41;
    })");
    Kernel kernel = bench.kernel(program, "off_by_one");
    Mem unused = bench.zeros(1), memory = bench.zeros(64);
    bench.set(kernel, 0, unused);
    bench.set(kernel, 1, memory);
    bench.launch(kernel, 64, 16);
    EXPECT_EQ(bench.read(memory, 64)[60], 42) << "the memory has the usual form's result";
  });
  expectCounts(1, 1, 1, 0, 0);
  expectInErrors("kiln: error: program: cross-check: kernel off_by_one, global size 64, local size 16, ");
  expectInErrors(
      "offset 0, variant generic, by KILN_PIPELINE_CPU: argument 1 (int* o), byte 240 is 0x0000002a, must be "
      "0x00000029 as in the scalar form; 4 bytes differ; bundle ");
  expectInReport("\"usual\":\"0x0000002a\",\"scalar\":\"0x00000029\",\"bytes\":4,");
}

TEST_F(CrossCheck, FloatsAreComparedBitByBitAndShown) {
  checkWrong([](Bench &bench) {
    Program program =
        bench.built("kernel void off_by_one(global float *o) { o[get_global_id(0)] = as_float(41 + 0x3f800000); }");
    Kernel kernel = bench.kernel(program, "off_by_one");
    Mem memory = bench.zeros(8);
    bench.set(kernel, 0, memory);
    bench.launch(kernel, 8);
  });
  // The front end has folded the sum, so nothing differs.
  expectCounts(1, 1, 0, 0, 0);
  checkWrong([](Bench &bench) {
    Program program =
        bench.built("kernel void off_by_one(global float *o, int n) { o[get_global_id(0)] = as_float(n + 41); }");
    Kernel kernel = bench.kernel(program, "off_by_one");
    Mem memory = bench.zeros(8);
    bench.set(kernel, 0, memory);
    bench.set(kernel, 1, 0x3f800000);
    bench.launch(kernel, 8);
  });
  expectInErrors("is 0x3f80002a (1.00000501), must be 0x3f800029 (1.00000489)");
}

// The sign and the payload of a NaN are unspecified; NaN versus a number is a difference.
TEST_F(CrossCheck, NaNsMayHaveOtherBits) {
  auto launchWith = [this](const char *type, int first) {
    checkWrong([type, first](Bench &bench) {
      Program program =
          bench.built(std::string("#pragma OPENCL EXTENSION cl_khr_fp16: enable\n") + "kernel void off_by_one(global " +
                      type + " *o, int n) { ((global int *)o)[get_global_id(0)] = n + 41; }");
      Kernel kernel = bench.kernel(program, "off_by_one");
      Mem memory = bench.zeros(8);
      bench.set(kernel, 0, memory);
      bench.set(kernel, 1, first);
      bench.launch(kernel, 8);
    });
  };
  launchWith("float4", 0x7fc00000);
  expectCounts(1, 1, 0, 1, 0);
  expectInReport("\"nans\":1");
  launchWith("half", 0x7f007f00);
  expectCounts(1, 1, 0, 1, 0);
  launchWith("int", 0x7fc00000);
  expectCounts(1, 1, 1, 0, 0);
  launchWith("float", 0x7f800000 - 41);
  expectCounts(1, 1, 1, 0, 0);
  expectInErrors("is 0x7f800001 (nan), must be 0x7f800000 (inf)");
  launchWith("half", 0x7c00 - 41);
  expectCounts(1, 1, 1, 0, 0);
}

// LLVM contracts and reorders differently in each form; the cross-check forbids both.
TEST_F(CrossCheck, ProgramsThatAllowOtherRoundingsAreComparedBitByBit) {
  checkRight([](Bench &bench) {
    for (const char *options : {"", "-cl-mad-enable", "-cl-fast-relaxed-math"}) {
      Program program = bench.built(R"(
        kernel void sums(global float *o) {
          const float i = get_global_id(0) * 0.37f + 1;
          float sum = 0;
          for (int k = 0; k < 64; ++k)
            sum += i / (k + 0.1f) * (k * 0.21f - i);
          o[get_global_id(0)] = sum;
        }
        kernel void vectors(global float *o) {
          const float i = get_global_id(0) * 0.37f + 1;
          const float4 x = (float4)(i, i / 3, 0.7f - i, i * i), y = x.wzyx + 0.3f;
          const float4 z = x * y + dot(x, y) * x - normalize(y) * length(x);
          o[get_global_id(0)] = z.x + z.y * z.z - z.w;
        })",
                                    options);
      for (const char *name : {"sums", "vectors"}) {
        Kernel kernel = bench.kernel(program, name);
        Mem memory = bench.zeros(1024);
        bench.set(kernel, 0, memory);
        bench.launch(kernel, 1024);
      }
    }
  });
  expectCounts(6, 6, 0, 0, 0);
}

TEST_F(CrossCheck, SubBuffersShareTheirParentsMemory) {
  checkRight([](Bench &bench) {
    Program program = bench.built(
        "kernel void shift(global int *part, global int *all) { part[get_global_id(0)] += 1; all[0] += 1; }");
    Kernel kernel = bench.kernel(program, "shift");
    Mem memory = bench.zeros(128);
    cl_buffer_region region{256, 128};
    Mem part = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
    bench.set(kernel, 0, part);
    bench.set(kernel, 1, memory);
    bench.launch(kernel, 1);
    bench.launch(kernel, 1);
    EXPECT_EQ(bench.read(memory, 128)[64], 2);
    EXPECT_EQ(bench.read(memory, 128)[0], 2);
  });
  expectCounts(2, 2, 0, 0, 0);
}

TEST_F(CrossCheck, WritingBesideASubBufferIsReported) {
  checkWrong([](Bench &bench) {
    Program program = bench.built("kernel void off_by_one(global int *part, int n) { part[n + 41] = 7; }");
    Kernel kernel = bench.kernel(program, "off_by_one");
    Mem memory = bench.zeros(128);
    std::vector<int> sevens(42, 7);
    EXPECT_EQ(clEnqueueWriteBuffer(bench.queue, memory, CL_TRUE, 0, 168, sevens.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    cl_buffer_region region{0, 168};
    Mem part = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
    bench.set(kernel, 0, part);
    bench.set(kernel, 1, 0);
    bench.launch(kernel, 1);
  });
  expectCounts(1, 1, 1, 0, 0);
  expectInErrors("memory beside a sub-buffer is 0x00000007, must be 0x00000000");
}

TEST_F(CrossCheck, DifferenceInAnImageIsReported) {
  checkWrong([](Bench &bench) {
    Program program = bench.built(R"(kernel void off_by_one(write_only image2d_t to, sampler_t how) {
      write_imageui(to, (int2)(get_global_id(0), 1), (uint4)(41));
    })");
    Kernel kernel = bench.kernel(program, "off_by_one");
    const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT32};
    cl_image_desc shape{};
    shape.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = 8;
    shape.image_height = 2;
    Mem image = clCreateImage(bench.context, CL_MEM_READ_WRITE, &format, &shape, nullptr, nullptr);
    cl_sampler sampler = clCreateSampler(bench.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, nullptr);
    bench.set(kernel, 0, image);
    bench.set(kernel, 1, sampler);
    bench.launch(kernel, 8);
    clReleaseSampler(sampler);
  });
  expectCounts(1, 1, 1, 0, 0);
  expectInErrors("argument 0 (image2d_t to), byte 128 is 0x0000002a, must be 0x00000029");
  expectInErrors("32 bytes differ");
}

TEST_F(CrossCheck, SharedVirtualMemoryIsComparedAndRestored) {
  const auto run = [](Bench &bench, const char *name) {
    Program program = bench.built("struct node { global int *next; };\n"
                                  "kernel void off_by_one(global struct node *n, int by) { *n->next += by * 41; }\n"
                                  "kernel void right(global struct node *n, int by) { *n->next += by * 41; }\n");
    Kernel kernel = bench.kernel(program, name);
    auto **node =
        static_cast<int **>(clSVMAlloc(bench.context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_READ_WRITE, 64, 0));
    auto *value =
        static_cast<int *>(clSVMAlloc(bench.context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_READ_WRITE, 64, 0));
    *node = value;
    *value = 0;
    EXPECT_EQ(clSetKernelArgSVMPointer(kernel, 0, node), CL_SUCCESS);
    bench.set(kernel, 1, 1);
    // Not named by clSetKernelExecInfo: the compiler detects that the kernel follows pointers.
    bench.launch(kernel, 1);
    bench.launch(kernel, 1);
    const int result = *value;
    clSVMFree(bench.context, value);
    clSVMFree(bench.context, node);
    return result;
  };
  checkRight([&](Bench &bench) { EXPECT_EQ(run(bench, "right"), 82); });
  expectCounts(2, 2, 0, 0, 0);
  std::filesystem::remove(reportPath());
  checkWrong([&](Bench &bench) { EXPECT_EQ(run(bench, "off_by_one"), 84); });
  expectCounts(2, 2, 2, 0, 0);
  expectInErrors(": allocation 0x");
  expectInErrors("byte 0 is 0x0000002a, must be 0x00000029");
}

// Restoring it would undo the host's writes.
TEST_F(CrossCheck, SharedMemoryThatNothingLeadsToIsLeftAlone) {
  checkRight([](Bench &bench) {
    Program program = bench.built("struct node { global int *next; };\n"
                                  "kernel void follow(global struct node *n) {\n"
                                  "  for (int i = 0; i < 1000; ++i) n->next[i] += 1;\n"
                                  "}\n");
    Kernel kernel = bench.kernel(program, "follow");
    const cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_READ_WRITE;
    auto **node = static_cast<int **>(clSVMAlloc(bench.context, fine, 64, 0));
    auto *values = static_cast<int *>(clSVMAlloc(bench.context, fine, 4000, 0));
    auto *others = static_cast<volatile int *>(clSVMAlloc(bench.context, fine, 1 << 20, 0));
    *node = values;
    std::memset(values, 0, 4000);
    EXPECT_EQ(clSetKernelArgSVMPointer(kernel, 0, node), CL_SUCCESS);
    std::atomic<bool> stop{false};
    std::atomic<int> undone{0};
    std::thread writer([&] {
      for (int number = 1; !stop; ++number) {
        for (size_t i = 0; i < 1000; ++i)
          others[i * 100] = number;
        for (size_t i = 0; i < 1000; ++i)
          undone += others[i * 100] != number;
      }
    });
    for (int i = 0; i < 100; ++i)
      bench.launch(kernel, 1);
    stop = true;
    writer.join();
    EXPECT_EQ(undone, 0);
    EXPECT_EQ(values[999], 100);
    clSVMFree(bench.context, const_cast<int *>(others));
    clSVMFree(bench.context, values);
    clSVMFree(bench.context, node);
  });
  expectCounts(100, 100, 0, 0, 0);
}

TEST_F(CrossCheck, ProgramVariablesAreComparedAndRestored) {
  const char *text = "global int counter = 1;\n"
                     "kernel void count(global int *o) { counter += 1; *o = counter; }\n"
                     "kernel void off_by_one(int by) { counter = by * 41; }\n";
  checkRight([&](Bench &bench) {
    Program program = bench.built(text, "-cl-std=CL2.0");
    Kernel kernel = bench.kernel(program, "count");
    Mem memory = bench.zeros(1);
    bench.set(kernel, 0, memory);
    bench.launch(kernel, 1);
    bench.launch(kernel, 1);
    EXPECT_EQ(bench.read(memory, 1)[0], 3);
  });
  expectCounts(2, 2, 0, 0, 0);
  std::filesystem::remove(reportPath());
  checkWrong([&](Bench &bench) {
    Program program = bench.built(text, "-cl-std=CL2.0");
    Kernel kernel = bench.kernel(program, "off_by_one");
    bench.set(kernel, 0, 1);
    bench.launch(kernel, 1);
  });
  expectCounts(1, 1, 1, 0, 0);
  expectInErrors("program variables, byte 0 is 0x0000002a, must be 0x00000029");
}

TEST_F(CrossCheck, PrintfIsComparedAndPrintedOnce) {
  const auto run = [&](const char *name) {
    return [this, name](Bench &bench) {
      const int file = open((folder + "/output").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
      fflush(stdout);
      const int old = dup(STDOUT_FILENO);
      dup2(file, STDOUT_FILENO);
      Program program = bench.built("kernel void off_by_one(int n) { printf(\"item %d %s\\n\", n + 41, \"x\"); }\n"
                                    "kernel void right(int n) { printf(\"item %d %s\\n\", n + 41, \"x\"); }\n");
      Kernel kernel = bench.kernel(program, name);
      bench.set(kernel, 0, 0);
      bench.launch(kernel, 2);
      fflush(stdout);
      dup2(old, STDOUT_FILENO);
    };
  };
  checkRight(run("right"));
  expectCounts(1, 1, 0, 0, 0);
  EXPECT_EQ(contentOf(folder + "/output"), "item 41 x\nitem 41 x\n");
  std::filesystem::remove(reportPath());
  checkWrong(run("off_by_one"));
  expectCounts(1, 1, 1, 0, 0);
  EXPECT_EQ(contentOf(folder + "/output"), "item 42 x\nitem 42 x\n");
  expectInErrors("printf record is \"item 42 x\\n\", must be \"item 41 x\\n\" as in the scalar form");
}

TEST_F(CrossCheck, AtomicsWhoseOrderShowsAreCountedNotReported) {
  checkWrong([](Bench &bench) {
    Program program = bench.built(R"(
      kernel void off_by_one_taken(global int *o, global int *next) { o[atomic_inc(next)] = 41; }
      kernel void off_by_one_added(global int *o, global int *next) { atomic_add(next, 41); }
    )");
    for (const char *name : {"off_by_one_taken", "off_by_one_added"}) {
      Kernel kernel = bench.kernel(program, name);
      Mem memory = bench.zeros(64), next = bench.zeros(1);
      bench.set(kernel, 0, memory);
      bench.set(kernel, 1, next);
      bench.launch(kernel, 64);
    }
  });
  expectCounts(2, 2, 1, 1, 0);
  expectInReport("\"atomics\":1,");
  expectInErrors("kiln: error: program: cross-check: kernel off_by_one_added, ");
  expectInErrors("kiln: info: program: cross-check: kernel off_by_one_taken, ");
  expectInErrors("not comparable: the order of atomics is free");
}

TEST_F(CrossCheck, AtomicsOfTheHostAreSkipped) {
  checkRight([](Bench &bench) {
    Program program = bench.built(R"(kernel void k(global atomic_int *o) {
      atomic_fetch_add_explicit(o, 1, memory_order_relaxed, memory_scope_all_svm_devices);
    })",
                                  "-cl-std=CL2.0");
    Kernel kernel = bench.kernel(program, "k");
    Mem memory = bench.zeros(1);
    bench.set(kernel, 0, memory);
    bench.launch(kernel, 64);
    EXPECT_EQ(bench.read(memory, 1)[0], 64);
  });
  expectCounts(1, 0, 0, 0, 1);
  expectInReport("\"host_atomics\":1,");
}

TEST_F(CrossCheck, KernelsThatEnqueueRunOnce) {
  checkRight([](Bench &bench) {
    const cl_queue_properties onDevice[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        0};
    Queue standard = clCreateCommandQueueWithProperties(bench.context, bench.device, onDevice, nullptr);
    Program program = bench.built(R"(kernel void parent(global int *o) {
      o[0] += 1;
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ o[1] += 1; });
    })",
                                  "-cl-std=CL2.0");
    Kernel kernel = bench.kernel(program, "parent");
    Mem memory = bench.zeros(2);
    bench.set(kernel, 0, memory);
    bench.launch(kernel, 1);
    EXPECT_EQ(bench.read(memory, 2), (std::vector{1, 1}));
  });
  expectCounts(2, 0, 0, 0, 2);
  expectInReport("\"enqueues\":1,\"enqueued\":1,");
}

TEST_F(CrossCheck, MemoryThatIsNotKnownIsSkipped) {
  checkRight([](Bench &bench) {
    Program program = bench.built("kernel void k(global int *o) { *o += 1; }");
    Kernel kernel = bench.kernel(program, "k");
    int own = 0;
    EXPECT_EQ(clSetKernelArgSVMPointer(kernel, 0, &own), CL_SUCCESS);
    bench.launch(kernel, 1);
    EXPECT_EQ(own, 1);
  });
  expectCounts(1, 0, 0, 0, 1);
  expectInReport("\"unknown_memory\":1,");
}

TEST_F(CrossCheck, MemoryThatIsTooLargeIsSkippedWithItsSize) {
  Environment environment = on();
  environment.emplace_back("KILN_CROSSCHECK_MEMORY", "64K");
  check(
      [](Bench &bench) {
        Program program = bench.built("kernel void k(global int *o) { *o += 1; }");
        Kernel kernel = bench.kernel(program, "k");
        Mem small = bench.zeros(1000), large = bench.zeros(100000);
        bench.set(kernel, 0, small);
        bench.launch(kernel, 1);
        bench.set(kernel, 0, large);
        bench.launch(kernel, 1);
        EXPECT_EQ(bench.read(large, 1)[0], 1);
      },
      environment);
  expectCounts(2, 1, 0, 0, 1);
  expectInReport("\"too_much_memory\":1,");
  expectInReport("\"largest_skipped_bytes\":800008,");
}

TEST_F(CrossCheck, WithoutAScalarFormLaunchesRunAsUsual) {
  checkRight([](Bench &bench) {
    Program program = bench.built("kernel void k(global int *o) { *o += 1; }");
    Kernel kernel = bench.kernel(program, "k");
    Mem memory = bench.zeros(1);
    bench.set(kernel, 0, memory);
    clUnloadPlatformCompiler(platform());
    refuse(Refusal::Exec);
    bench.launch(kernel, 1);
    EXPECT_EQ(bench.read(memory, 1)[0], 1);
  });
  expectCounts(1, 0, 0, 0, 1);
  expectInReport("\"no_scalar_form\":1,");
  expectInErrors("cross-check: kernel k has no scalar form: ");
}

TEST_F(CrossCheck, VariantsForALocalSizeAreChecked) {
  checkWrong([this](Bench &bench) {
    Program program = bench.built(R"(kernel void off_by_one(global int *o, local int *l) {
      l[get_local_id(0)] = 41;
      barrier(CLK_LOCAL_MEM_FENCE);
      o[get_global_id(0)] = l[get_local_size(0) - 1 - get_local_id(0)];
    })");
    Kernel kernel = bench.kernel(program, "off_by_one");
    Mem memory = bench.zeros(64);
    bench.set(kernel, 0, memory);
    EXPECT_EQ(clSetKernelArg(kernel, 1, 128, nullptr), CL_SUCCESS);
    for (int i = 0; i < 600 && !holds(contentOf(errorsPath()), "variant local size 32x1x1"); ++i) {
      bench.launch(kernel, 64, 32);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  expectInErrors("variant generic, by KILN_PIPELINE_CPU: argument 0");
  expectInErrors("variant local size 32x1x1, by KILN_PIPELINE_CPU: argument 0");
}

TEST_F(CrossCheck, ThreadsAndQueuesTakeTurns) {
  static constexpr int Threads = 4, Launches = 50;
  checkRight([](Bench &bench) {
    Program program = bench.built("kernel void more(global int *o) { o[get_global_id(0)] += 1; }");
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int thread = 0; thread < Threads; ++thread)
      threads.emplace_back([&] {
        Queue queue = clCreateCommandQueueWithProperties(bench.context, bench.device, nullptr, nullptr);
        Kernel kernel = bench.kernel(program, "more");
        Mem memory = bench.zeros(1000);
        bench.set(kernel, 0, memory);
        size_t items = 1000;
        for (int i = 0; i < Launches; ++i)
          clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr);
        clFinish(queue);
        right += bench.read(memory, 1000) == std::vector<int>(1000, Launches);
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(right, Threads);
  });
  expectCounts(Threads * Launches, Threads * Launches, 0, 0, 0);
}

TEST_F(CrossCheck, DevicesWithMemoryOfTheirOwnAreChecked) {
  Environment environment = wrong();
  environment.emplace_back("KILN_CPU_DEVICES", "2");
  check(
      [](Bench &bench) {
        cl_device_id devices[2];
        EXPECT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_CPU, 2, devices, nullptr), CL_SUCCESS);
        bench.context = clCreateContext(nullptr, 2, devices, nullptr, nullptr, nullptr);
        bench.queue = clCreateCommandQueueWithProperties(bench.context, devices[1], nullptr, nullptr);
        Program program = bench.built("kernel void off_by_one(global int *o, int n) { *o += n + 41; printf(\"x\"); }");
        Kernel kernel = bench.kernel(program, "off_by_one");
        Mem memory = bench.zeros(4);
        bench.set(kernel, 0, memory);
        bench.set(kernel, 1, 0);
        bench.launch(kernel, 1);
        bench.launch(kernel, 1);
        EXPECT_EQ(bench.read(memory, 1)[0], 84);
      },
      environment);
  expectCounts(2, 2, 2, 0, 0);
}

TEST_F(CrossCheck, AChildOfAForkCountsForItself) {
  checkRight([](Bench &bench) {
    EXPECT_TRUE(bench.works(1));
    if (pid_t child = fork()) {
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
      EXPECT_TRUE(bench.works(2));
    } else {
      EXPECT_TRUE(bench.works(3));
    }
  });
  size_t lines = 0;
  for (size_t at = 0; (at = report.find('\n', at)) != std::string::npos; ++at)
    ++lines;
  EXPECT_EQ(lines, 2u) << report;
  expectCounts(1, 1, 0, 0, 0);
  expectCounts(2, 2, 0, 0, 0);
}

TEST_F(CrossCheck, ABundleReplaysItsDifference) {
  checkWrong([](Bench &bench) {
    Program program = bench.built(R"(kernel void off_by_one(global const int *in, local int *l, global int *o, int n,
                                                            read_only image2d_t image, sampler_t how) {
      *l = read_imageui(image, how, (int2)(1, 1)).x;
      o[get_global_id(0)] = in[get_global_id(0)] == 5 ? n + 41 : *l;
    })",
                                  "-cl-single-precision-constant");
    Kernel kernel = bench.kernel(program, "off_by_one");
    std::vector<int> fives(64, 0), pixels(4, 9);
    fives[17] = 5;
    Mem in = clCreateBuffer(bench.context, CL_MEM_COPY_HOST_PTR, 256, fives.data(), nullptr), out = bench.zeros(64);
    const cl_image_format format{CL_R, CL_UNSIGNED_INT32};
    cl_image_desc shape{};
    shape.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = shape.image_height = 2;
    Mem image = clCreateImage(bench.context, CL_MEM_COPY_HOST_PTR, &format, &shape, pixels.data(), nullptr);
    cl_sampler sampler = clCreateSampler(bench.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, nullptr);
    bench.set(kernel, 0, in);
    EXPECT_EQ(clSetKernelArg(kernel, 1, 4, nullptr), CL_SUCCESS);
    bench.set(kernel, 2, out);
    bench.set(kernel, 3, 1000);
    bench.set(kernel, 4, image);
    bench.set(kernel, 5, sampler);
    bench.launch(kernel, 64, 8);
    EXPECT_EQ(bench.read(out, 18)[17], 1042);
    EXPECT_EQ(bench.read(out, 18)[16], 9);
    clReleaseSampler(sampler);
  });
  expectCounts(1, 1, 1, 0, 0);
  const std::string key = "\"bundle\":\"";
  ASSERT_TRUE(holds(report, key)) << report;
  const size_t begin = report.find(key) + key.size();
  const std::string bundle = report.substr(begin, report.find('"', begin) - begin);
  EXPECT_TRUE(std::filesystem::exists(bundle + "/program.spv"));

  const std::string replay = std::string(KILN_REPLAY) + " " + bundle;
  EXPECT_EQ(shell(replay), 2); // the bundle's passes are code
  EXPECT_TRUE(holds(printed(), "the bundle names passes, which are code: builtin.module(misbehave,")) << printed();
  EXPECT_EQ(shell(std::string(KILN_REPLAY) + " --passes " + bundle), 0);
  EXPECT_TRUE(holds(printed(), "byte 68 is 0x00000412, must be 0x00000411")) << printed();
  EXPECT_TRUE(holds(printed(), "the difference appears (1 of 1 launches)"));
  // With the default passes the form is correct.
  EXPECT_EQ(shell("KILN_PIPELINE_CPU= " + replay), 1);
  EXPECT_TRUE(holds(printed(), "the difference does not appear (0 of 1 launches)")) << printed();
}

} // namespace
} // namespace kiln::test
