// KILN_CAPTURE: a launch is captured in one process, and kiln-replay repeats it in another. On GPUs, the stream copies
// the memory (runtime/capture/DeviceRanges).
#include "tests/process/CommandBuffer.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace kiln::test {
namespace {

struct Capture : ProcessTest {
  /// Runs the situation in a process with KILN_CAPTURE, whose standard error goes to `errors`.
  void capture(const std::string &what, const std::function<void(App &)> &situation, Environment more = {},
               cl_device_type device = CL_DEVICE_TYPE_CPU) {
    more.emplace_back("KILN_CAPTURE", what);
    more.emplace_back("KILN_CAPTURE_DIR", folder + "/bundles");
    inNewProcessWithErrors(
        [&] {
          App app(device);
          situation(app);
        },
        more);
  }
  std::vector<std::string> bundles() const {
    std::vector<std::string> paths;
    if (std::filesystem::exists(folder + "/bundles"))
      for (const auto &entry : std::filesystem::directory_iterator(folder + "/bundles"))
        paths.push_back(entry.path());
    std::ranges::sort(paths);
    return paths;
  }
  /// Returns the exit status of kiln-replay; `printed` receives what it prints.
  int replay(const std::string &bundle, const std::string &before = "") {
    const int status = shell(before + " " KILN_REPLAY " " + bundle);
    printed = ProcessTest::printed();
    return status;
  }
  void expectSameBits(const std::string &bundle) {
    EXPECT_EQ(replay(bundle), 0) << printed;
    EXPECT_TRUE(holds(printed, "the SPIR-V is the same, the machine code is the same")) << printed;
    EXPECT_TRUE(holds(printed, "bytes of memory are the same")) << printed;
  }
  static bool holds(const std::string &text, const std::string &words) { return text.find(words) != std::string::npos; }

  static Kernel kernel(App &app, const char *text, const char *name, const char *options = nullptr) {
    Program program = app.source(text);
    EXPECT_EQ(app.build(program, options), CL_SUCCESS) << app.log(program);
    return clCreateKernel(program, name, nullptr);
  }
  static Mem numbers(App &app, size_t count, int first = 0) {
    std::vector<int> data(count);
    for (size_t i = 0; i < count; ++i)
      data[i] = first + int(i);
    return clCreateBuffer(app.context, CL_MEM_COPY_HOST_PTR, count * sizeof(int), data.data(), nullptr);
  }
  template <typename T> static void set(cl_kernel kernel, cl_uint index, const T &value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS) << index;
  }
  static void set(cl_kernel kernel, cl_uint index, const Mem &value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof(cl_mem), value.address()), CL_SUCCESS) << index;
  }
  static void launch(App &app, cl_kernel kernel, std::vector<size_t> global, const size_t *local = nullptr) {
    EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, cl_uint(global.size()), nullptr, global.data(), local, 0,
                                     nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
  }
  std::string printed;
};

constexpr const char *More = "kernel void more(global int *o, int n) { o[get_global_id(0)] += n; }";

/// Launches `more` over `items` numbers, with n = 5.
void launchMore(App &app, size_t items) {
  Kernel more = Capture::kernel(app, More, "more");
  Mem memory = Capture::numbers(app, items);
  Capture::set(more, 0, memory);
  Capture::set(more, 1, 5);
  Capture::launch(app, more, {items});
}

// The third launch reads what the first two left.
TEST_F(Capture, ALaunchAmongSeveral) {
  capture("more#3", [](App &app) {
    Kernel more = kernel(app, More, "more");
    Mem memory = numbers(app, 1000);
    set(more, 0, memory);
    for (int i = 1; i <= 4; ++i) {
      set(more, 1, i);
      launch(app, more, {1000});
    }
  });
  ASSERT_EQ(bundles().size(), 1u) << errors;
  EXPECT_TRUE(holds(errors, "launch 3 of kernel more is captured in " + bundles()[0])) << errors;
  const std::string after =
      contentOf(bundles()[0] + "/memory-0.after.bin") + contentOf(bundles()[0] + "/memory-1.after.bin");
  ASSERT_EQ(after.size(), 4000u);
  int last = 0;
  std::memcpy(&last, after.data() + 3996, sizeof last);
  EXPECT_EQ(last, 999 + 1 + 2 + 3);
  EXPECT_EQ(contentOf(bundles()[0] + "/program.cl"), More);
  expectSameBits(bundles()[0]);
}

TEST_F(Capture, SeveralKernelsAndLaunches) {
  capture("more#2,less,more", [](App &app) {
    Program program = app.source("kernel void more(global int *o) { o[get_global_id(0)]++; }"
                                 "kernel void less(global int *o) { o[get_global_id(0)]--; }");
    EXPECT_EQ(app.build(program), CL_SUCCESS);
    for (const char *name : {"more", "less"}) {
      Kernel one = clCreateKernel(program, name, nullptr);
      Mem memory = numbers(app, 64);
      set(one, 0, memory);
      for (int i = 0; i < 3; ++i)
        launch(app, one, {64});
    }
  });
  ASSERT_EQ(bundles().size(), 3u) << errors;
  for (const std::string &bundle : bundles())
    expectSameBits(bundle);
}

// Kernels of SYCL have long names with common beginnings. The folder's name has a digest of such a name.
TEST_F(Capture, KernelsWithLongNames) {
  const std::string first = std::string(100, 'k') + "1", second = std::string(100, 'k') + "2";
  capture(first + "," + second, [&](App &app) {
    for (const std::string &name : {first, second}) {
      Kernel one = kernel(app, "kernel void NAME(global int *o) { o[get_global_id(0)] += 1; }", name.c_str(),
                          ("-DNAME=" + name).c_str());
      Mem memory = numbers(app, 64);
      set(one, 0, memory);
      launch(app, one, {64});
    }
  });
  ASSERT_EQ(bundles().size(), 2u) << errors;
  for (const std::string &bundle : bundles())
    expectSameBits(bundle);
}

TEST_F(Capture, BuffersSubBuffersLocalMemoryAndStructs) {
  capture("mix", [](App &app) {
    Kernel mix = kernel(app, R"(
      typedef struct { float scale; int3 shift; } Parameters;
      kernel void mix(global const int *in, global int *part, local int *scratch, Parameters p, constant float *table,
                      global int *none) {
        scratch[get_local_id(0)] = in[get_global_id(0)] * (int)p.scale + p.shift.y;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[get_global_id(0)] = scratch[get_local_size(0) - 1 - get_local_id(0)] + (int)table[get_local_id(0)];
        if (none) part[0] = -1;
      })",
                        "mix");
    struct alignas(16) {
      float scale = 3;
      int shift[12] = {0, 0, 0, 0, 7};
    } parameters;
    static_assert(sizeof parameters >= 32);
    Mem in = numbers(app, 256), whole = numbers(app, 1024, 5000), table = numbers(app, 64, 1 << 28);
    const cl_buffer_region region{1024, 1024};
    Mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
    set(mix, 0, in);
    set(mix, 1, part);
    EXPECT_EQ(clSetKernelArg(mix, 2, 256, nullptr), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(mix, 3, 32, &parameters), CL_SUCCESS);
    set(mix, 4, table);
    EXPECT_EQ(clSetKernelArg(mix, 5, sizeof(cl_mem), nullptr), CL_SUCCESS);
    const size_t local = 64;
    launch(app, mix, {256}, &local);
  });
  ASSERT_EQ(bundles().size(), 1u) << errors;
  expectSameBits(bundles()[0]);
}

TEST_F(Capture, ImagesAndSamplers) {
  capture("blend", [](App &app) {
    Kernel blend = kernel(app, R"(
      kernel void blend(read_only image2d_t from, sampler_t how, write_only image3d_t to, read_only image1d_buffer_t row,
                        read_only image2d_array_t layers) {
        const int x = get_global_id(0), y = get_global_id(1);
        const float4 value = read_imagef(from, how, (float2)(x / 7.0f, y / 5.0f));
        write_imagef(to, (int4)(x, y, 1, 0), value + read_imagef(row, x) + read_imagef(layers, (int4)(x, y, 2, 0)));
      })",
                          "blend", "-cl-std=CL3.0");
    std::vector<float> pixels(size_t(8) * 8 * 4 * 4);
    for (size_t i = 0; i < pixels.size(); ++i)
      pixels[i] = float(i) * 0.37f;
    auto image = [&](cl_mem_object_type type, size_t height, size_t depth, size_t layers, cl_mem buffer) {
      const cl_image_format format{CL_RGBA, CL_FLOAT};
      cl_image_desc shape{};
      shape.image_type = type;
      shape.image_width = 8;
      shape.image_height = height;
      shape.image_depth = depth;
      shape.image_array_size = layers;
      shape.buffer = buffer;
      cl_int code = 1;
      Mem made = clCreateImage(app.context, cl_mem_flags(buffer ? 0 : CL_MEM_COPY_HOST_PTR), &format, &shape,
                               buffer ? nullptr : pixels.data(), &code);
      EXPECT_EQ(code, CL_SUCCESS) << type;
      return made;
    };
    Mem numbersOfRow = clCreateBuffer(app.context, CL_MEM_COPY_HOST_PTR, 128, pixels.data(), nullptr);
    Mem from = image(CL_MEM_OBJECT_IMAGE2D, 8, 0, 0, nullptr), to = image(CL_MEM_OBJECT_IMAGE3D, 8, 4, 0, nullptr),
        row = image(CL_MEM_OBJECT_IMAGE1D_BUFFER, 0, 0, 0, numbersOfRow),
        layers = image(CL_MEM_OBJECT_IMAGE2D_ARRAY, 8, 0, 4, nullptr);
    cl_sampler sampler = clCreateSampler(app.context, CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR, nullptr);
    set(blend, 0, from);
    set(blend, 1, sampler);
    set(blend, 2, to);
    set(blend, 3, row);
    set(blend, 4, layers);
    launch(app, blend, {8, 8});
    clReleaseSampler(sampler);
  });
  ASSERT_EQ(bundles().size(), 1u) << errors;
  expectSameBits(bundles()[0]);
}

// A list in shared virtual memory, whose head is in a buffer: two allocations that only pointers in memory lead to.
TEST_F(Capture, PointersInMemory) {
  capture("walk", [](App &app) {
    Kernel walk = kernel(app, R"(
      typedef struct Node { int value; global struct Node *next; } Node;
      kernel void walk(global ulong *head, global int *out) {
        int sum = 0;
        for (global Node *at = (global Node *)*head; at; at = at->next) {
          at->value += 1;
          sum = sum * 31 + at->value;
        }
        *out = sum;
      })",
                         "walk", "-cl-std=CL2.0");
    struct Node {
      int value;
      Node *next;
    };
    auto *first =
        static_cast<Node *>(clSVMAlloc(app.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(Node), 0));
    auto *second = static_cast<Node *>(
        clSVMAlloc(app.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size_t(100) * sizeof(Node), 0));
    *first = {5, second};
    for (int i = 0; i < 100; ++i)
      second[i] = {i, i < 99 ? second + i + 1 : nullptr};
    Mem head = clCreateBuffer(app.context, CL_MEM_COPY_HOST_PTR, sizeof first, &first, nullptr), out = numbers(app, 1);
    set(walk, 0, head);
    set(walk, 1, out);
    const void *pointers[] = {first, second};
    EXPECT_EQ(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers), CL_SUCCESS);
    launch(app, walk, {1});
    EXPECT_EQ(first->value, 6);
    clSVMFree(app.context, first);
    clSVMFree(app.context, second);
  });
  ASSERT_EQ(bundles().size(), 1u) << errors;
  for (int i = 0; i < 5; ++i) // the system places libraries elsewhere in each process
    expectSameBits(bundles()[0]);
}

TEST_F(Capture, SvmArguments) {
  capture("more", [](App &app) {
    Kernel more = kernel(app, More, "more");
    auto *memory =
        static_cast<int *>(clSVMAlloc(app.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 4096, 0));
    for (int i = 0; i < 1024; ++i)
      memory[i] = i;
    EXPECT_EQ(clSetKernelArgSVMPointer(more, 0, memory + 24), CL_SUCCESS);
    set(more, 1, 5);
    launch(app, more, {1000});
    EXPECT_EQ(memory[1023], 1028);
    EXPECT_EQ(memory[23], 23);
    clSVMFree(app.context, memory);
  });
  ASSERT_EQ(bundles().size(), 1u) << errors;
  expectSameBits(bundles()[0]);
}

TEST_F(Capture, OptionsOfTheBuild) {
  capture("more", [](App &app) {
    Kernel more = kernel(app, More, "more", "-cl-fast-relaxed-math -DX=1");
    Mem memory = numbers(app, 10);
    set(more, 0, memory);
    set(more, 1, 5);
    launch(app, more, {10});
  });
  ASSERT_EQ(bundles().size(), 1u) << errors;
  expectSameBits(bundles()[0]);
  // Earlier bundles have another name for the options of the SPIR-V.
  std::string about = contentOf(bundles()[0] + "/bundle.json");
  const std::string now = R"("codeOptions":"-cl-fast-relaxed-math)", earlier = "\"mathOptions" + now.substr(12);
  const size_t at = about.find(now);
  ASSERT_NE(at, std::string::npos) << about;
  std::ofstream(bundles()[0] + "/bundle.json") << about.replace(at, now.size(), earlier);
  expectSameBits(bundles()[0]);
}

// Another width of vectors is other code, and a changed expected result is another result.
TEST_F(Capture, DifferencesAreNamed) {
  capture("more", [](App &app) { launchMore(app, 100); });
  ASSERT_EQ(bundles().size(), 1u) << errors;
  EXPECT_EQ(replay(bundles()[0], "KILN_CPU_MACHINE_WIDTH=1"), 0) << printed;
  EXPECT_TRUE(holds(printed, "the SPIR-V is the same, the machine code is different")) << printed;
  for (const auto &file : std::filesystem::directory_iterator(bundles()[0]))
    if (file.path().string().ends_with(".after.bin")) {
      std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
      bytes.seekp(4);
      bytes.put('\x7f');
    }
  EXPECT_EQ(replay(bundles()[0]), 1) << printed;
  EXPECT_TRUE(holds(printed, "argument 0, byte 4 is 0x06, must be 0x7f; 1 of 400 bytes differ")) << printed;
}

TEST_F(Capture, ALaunchThatDoesNotHappenIsNamed) {
  capture("more#7,other", [](App &app) { launchMore(app, 10); });
  EXPECT_TRUE(bundles().empty());
  EXPECT_TRUE(holds(errors, "KILN_CAPTURE names launch 7 of kernel more, which was launched 1 times")) << errors;
  EXPECT_TRUE(holds(errors, "KILN_CAPTURE names launch 1 of kernel other, which was launched 0 times")) << errors;
}

TEST_F(Capture, ValuesThatAreNotLaunchesAreErrors) {
  for (const char *wrong : {"more#x", "more#0", "#2", "more#2x"}) {
    capture(wrong, [](App &app) { EXPECT_TRUE(app.works(1)); });
    EXPECT_TRUE(holds(errors, "must be a kernel's name or name#number, separated by commas")) << wrong << errors;
    EXPECT_TRUE(bundles().empty());
  }
}

TEST_F(Capture, MemoryOfUnknownExtentIsRefused) {
  capture("more", [](App &app) {
    Kernel more = kernel(app, More, "more");
    int own[10] = {};
    EXPECT_EQ(clSetKernelArgSVMPointer(more, 0, own), CL_SUCCESS);
    set(more, 1, 5);
    launch(app, more, {10});
  });
  ASSERT_EQ(bundles().size(), 1u) << errors;
  EXPECT_TRUE(holds(errors, "its memory is not complete: a pointer is in no allocation")) << errors;
  EXPECT_EQ(replay(bundles()[0]), 2);
  EXPECT_TRUE(holds(printed, "the bundle does not have all memory of the launch: a pointer is in no allocation"))
      << printed;
}

// ---- GPUs: an emulated one of AMD, which computes results -----------------------------------------------------------

const ProcessTest::Environment OnGpu = {{"KILN_DEVICES", "hip"}, {"KILN_HIP_LIBRARY", KILN_EMULATOR}};
constexpr const char *GpuSwitches = "KILN_DEVICES=hip KILN_HIP_LIBRARY=" KILN_EMULATOR;

struct GpuCapture : Capture {
  /// Captured on one kind of device, repeated on both.
  void expectSameBitsEverywhere(bool onGpu) {
    ASSERT_EQ(bundles().size(), 1u) << errors;
    for (const std::string switches : {"KILN_DEVICES=cpu", GpuSwitches}) {
      EXPECT_EQ(replay(bundles()[0], switches), 0) << printed;
      EXPECT_TRUE(holds(printed, "bytes of memory are the same")) << printed;
      EXPECT_EQ(holds(printed, "the machine code is the same"), onGpu == (switches == GpuSwitches)) << printed;
    }
  }
};

TEST_F(GpuCapture, ALaunchAmongSeveral) {
  for (const bool onGpu : {true, false}) {
    std::filesystem::remove_all(folder + "/bundles");
    capture(
        "more#3",
        [](App &app) {
          Kernel more = kernel(app, More, "more");
          Mem memory = numbers(app, 1000);
          set(more, 0, memory);
          for (int i = 1; i <= 4; ++i) {
            set(more, 1, i);
            launch(app, more, {1000});
          }
        },
        onGpu ? OnGpu : Environment(), onGpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU);
    expectSameBitsEverywhere(onGpu);
    std::string before, after;
    for (const auto &file : std::filesystem::directory_iterator(bundles()[0]))
      if (file.path().string().ends_with(".after.bin"))
        after = contentOf(file.path());
      else if (file.path().string().ends_with(".bin") && std::filesystem::file_size(file.path()) == 4000)
        before = contentOf(file.path());
    ASSERT_TRUE(before.size() == 4000 && after.size() == 4000);
    int first = 0, last = 0;
    std::memcpy(&first, before.data() + 3996, sizeof first);
    std::memcpy(&last, after.data() + 3996, sizeof last);
    EXPECT_EQ(first, 999 + 1 + 2);
    EXPECT_EQ(last, 999 + 1 + 2 + 3);
  }
}

// Two executions of three launches: the fifth launch is the second one of the second execution.
TEST_F(GpuCapture, ALaunchOfACommandBuffer) {
  PROVES("X-E14");
  for (const bool onGpu : {true, false}) {
    std::filesystem::remove_all(folder + "/bundles");
    capture(
        "more#5",
        [](App &app) {
          Kernel more = kernel(app, More, "more");
          Mem memory = numbers(app, 1000);
          set(more, 0, memory);
          RecordedLaunches commands(app);
          commands.fill(memory, 100, 10);
          for (int i = 1; i <= 3; ++i) {
            set(more, 1, i);
            commands.add(more, 1000);
          }
          commands.execute(2);
        },
        onGpu ? OnGpu : Environment(), onGpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU);
    EXPECT_TRUE(holds(errors, "launch 5 of kernel more is captured in ")) << errors;
    expectSameBitsEverywhere(onGpu);
    std::string after;
    for (const auto &file : std::filesystem::directory_iterator(bundles()[0]))
      if (file.path().string().ends_with(".after.bin"))
        after = contentOf(file.path());
    ASSERT_EQ(after.size(), 4000u);
    int first = 0, last = 0;
    std::memcpy(&first, after.data(), sizeof first);
    std::memcpy(&last, after.data() + 3996, sizeof last);
    EXPECT_EQ(first, 100 + 1 + 2);
    EXPECT_EQ(last, 999 + 1 + 2 + 3 + 1 + 2);
  }
}

TEST_F(GpuCapture, SubBuffersImagesLocalMemoryAndVariables) {
  for (const bool onGpu : {true, false}) {
    std::filesystem::remove_all(folder + "/bundles");
    capture(
        "mix",
        [](App &app) {
          Kernel mix = kernel(app, R"(
            constant int table[4] = {3, 1, 4, 1};
            kernel void mix(global const int *in, global int *part, local int *scratch, read_only image2d_t picture) {
              const int x = get_global_id(0), l = get_local_id(0);
              scratch[l] = in[x] * table[l & 3];
              barrier(CLK_LOCAL_MEM_FENCE);
              part[x] = scratch[get_local_size(0) - 1 - l] + read_imageui(picture, (int2)(x & 7, x >> 3 & 7)).y;
            })",
                              "mix", "-cl-std=CL3.0");
          std::vector<uint8_t> pixels(256);
          for (size_t i = 0; i < pixels.size(); ++i)
            pixels[i] = uint8_t(i * 7);
          const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
          cl_image_desc shape{};
          shape.image_type = CL_MEM_OBJECT_IMAGE2D;
          shape.image_width = shape.image_height = 8;
          Mem picture = clCreateImage(app.context, CL_MEM_COPY_HOST_PTR, &format, &shape, pixels.data(), nullptr);
          Mem in = numbers(app, 256), whole = numbers(app, 1024, 5000);
          const cl_buffer_region region{1024, 1024};
          Mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
          set(mix, 0, in);
          set(mix, 1, part);
          EXPECT_EQ(clSetKernelArg(mix, 2, 256, nullptr), CL_SUCCESS);
          set(mix, 3, picture);
          const size_t local = 64;
          launch(app, mix, {256}, &local);
        },
        onGpu ? OnGpu : Environment(), onGpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU);
    expectSameBitsEverywhere(onGpu);
  }
}

// NVIDIA's driver is a fake one that runs no kernel: memory is as before the launch.
TEST_F(GpuCapture, OnNvidia) {
  capture(
      "more",
      [](App &app) {
        Kernel more = kernel(app, More, "more");
        Mem memory = numbers(app, 1000, 7);
        set(more, 0, memory);
        set(more, 1, 0);
        launch(app, more, {1000});
      },
      {{"KILN_DEVICES", "cuda"}, {"KILN_CUDA_LIBRARY", KILN_FAKE_CUDA}}, CL_DEVICE_TYPE_GPU);
  ASSERT_EQ(bundles().size(), 1u) << errors;
  EXPECT_TRUE(holds(contentOf(bundles()[0] + "/bundle.json"), "\"target\":\"nvptx\""));
  const std::string before = contentOf(bundles()[0] + "/memory-0.bin");
  ASSERT_EQ(before.size(), 4000u);
  int last = 0;
  std::memcpy(&last, before.data() + 3996, sizeof last);
  EXPECT_EQ(last, 999 + 7);
  EXPECT_EQ(replay(bundles()[0], "KILN_DEVICES=cpu"), 0) << printed; // n is 0
  EXPECT_TRUE(holds(printed, "all 4000 bytes of memory are the same")) << printed;
}

/// A list in shared virtual memory, whose head is in a buffer. The kernel changes the values and reverses the list.
void reverseList(App &app) {
  Kernel reverse = Capture::kernel(app, R"(
    typedef struct Node { ulong value; global struct Node *next; } Node;
    kernel void reverse(global ulong *head, global ulong *out) {
      ulong sum = 0;
      global Node *before = 0;
      for (global Node *at = (global Node *)*head; at;) {
        global Node *next = at->next;
        sum = sum * 31 + at->value++;
        at->next = before;
        before = at;
        at = next;
      }
      *head = (ulong)before;
      *out = sum;
    })",
                                   "reverse", "-cl-std=CL2.0");
  struct Node {
    uint64_t value;
    Node *next;
  };
  auto allocate = [&](size_t bytes) {
    auto *memory = static_cast<Node *>(clSVMAlloc(app.context, CL_MEM_READ_WRITE, bytes, 0));
    EXPECT_EQ(clEnqueueSVMMap(app.queue, CL_TRUE, CL_MAP_WRITE, memory, bytes, 0, nullptr, nullptr), CL_SUCCESS);
    return memory;
  };
  auto *first = allocate(sizeof(Node)), *second = allocate(100 * sizeof(Node)), *other = allocate(5000);
  ASSERT_TRUE(first && second && other);
  *first = {5, second};
  for (int i = 0; i < 100; ++i)
    second[i] = {uint64_t(i), i < 99 ? second + i + 1 : nullptr};
  const void *pointers[] = {first, second, other};
  for (const void *memory : pointers)
    EXPECT_EQ(clEnqueueSVMUnmap(app.queue, const_cast<void *>(memory), 0, nullptr, nullptr), CL_SUCCESS);
  Mem head = clCreateBuffer(app.context, CL_MEM_COPY_HOST_PTR, sizeof first, &first, nullptr),
      out = Capture::numbers(app, 2);
  Capture::set(reverse, 0, head);
  Capture::set(reverse, 1, out);
  EXPECT_EQ(clSetKernelExecInfo(reverse, CL_KERNEL_EXEC_INFO_SVM_PTRS, 2 * sizeof pointers[0], pointers), CL_SUCCESS);
  Capture::launch(app, reverse, {1});
  for (const void *memory : pointers)
    clSVMFree(app.context, const_cast<void *>(memory));
}

// A GPU places memory at other addresses, so a replay there replaces pointers.
TEST_F(GpuCapture, PointersInMemory) {
  for (const bool onGpu : {true, false}) {
    std::filesystem::remove_all(folder + "/bundles");
    capture("reverse", reverseList, onGpu ? OnGpu : Environment(), onGpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU);
    EXPECT_FALSE(holds(errors, "not complete")) << errors;
    expectSameBitsEverywhere(onGpu); // on the GPU last
    EXPECT_TRUE(holds(printed, "memory is at other addresses than in the bundle; 101 words are replaced as pointers"))
        << printed;
    for (const auto &file : std::filesystem::directory_iterator(bundles()[0]))
      EXPECT_LT(std::filesystem::file_size(file.path()), 5000u) << "no pointer leads to this memory: " << file.path();
  }
}

// A pointer of the result that is not the captured one is a difference.
TEST_F(GpuCapture, AnotherPointerIsADifference) {
  capture("reverse", reverseList, OnGpu, CL_DEVICE_TYPE_GPU);
  ASSERT_EQ(bundles().size(), 1u) << errors;
  for (const auto &file : std::filesystem::directory_iterator(bundles()[0]))
    if (file.path().string().ends_with(".after.bin") && std::filesystem::file_size(file.path()) == 8) {
      std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
      const int low = bytes.get();
      bytes.seekp(0);
      bytes.put(char(low ^ 16)); // another node of the list
    }
  EXPECT_EQ(replay(bundles()[0], GpuSwitches), 1) << printed;
  EXPECT_TRUE(holds(printed, "bytes differ")) << printed;
}

// Device memory of cl_intel_unified_shared_memory, whose address is in a structure that is passed by value.
TEST_F(GpuCapture, PointersInValues) {
  capture(
      "scale",
      [](App &app) {
        Kernel scale = kernel(app, R"(
          typedef struct { int factor; ulong table; } Parameters;
          kernel void scale(Parameters p, global int *out) {
            const int i = get_global_id(0);
            out[i] = p.factor * ((global int **)p.table)[i & 1][i];
          })",
                              "scale", "-cl-std=CL2.0");
        cl_platform_id platform = nullptr;
        EXPECT_EQ(clGetDeviceInfo(app.device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &platform, nullptr),
                  CL_SUCCESS);
        auto *allocate = reinterpret_cast<clDeviceMemAllocINTEL_fn>(
            clGetExtensionFunctionAddressForPlatform(platform, "clDeviceMemAllocINTEL"));
        auto *copy = reinterpret_cast<clEnqueueMemcpyINTEL_fn>(
            clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueMemcpyINTEL"));
        auto *release = reinterpret_cast<clMemBlockingFreeINTEL_fn>(
            clGetExtensionFunctionAddressForPlatform(platform, "clMemBlockingFreeINTEL"));
        ASSERT_TRUE(allocate && copy && release);
        void *memory[3] = {};
        for (void *&one : memory) {
          one = allocate(app.context, app.device, nullptr, 400, 0, nullptr);
          ASSERT_NE(one, nullptr);
        }
        std::vector<int> values(100);
        for (int i = 0; i < 100; ++i)
          values[size_t(i)] = i * 7;
        EXPECT_EQ(copy(app.queue, CL_TRUE, memory[0], values.data(), 400, 0, nullptr, nullptr), CL_SUCCESS);
        EXPECT_EQ(copy(app.queue, CL_TRUE, memory[1], values.data(), 400, 0, nullptr, nullptr), CL_SUCCESS);
        EXPECT_EQ(copy(app.queue, CL_TRUE, memory[2], memory, 2 * sizeof memory[0], 0, nullptr, nullptr), CL_SUCCESS);
        struct {
          int factor = 3;
          void *table = nullptr;
        } parameters;
        parameters.table = memory[2];
        set(scale, 0, parameters);
        Mem out = numbers(app, 100);
        set(scale, 1, out);
        const cl_bool yes = CL_TRUE;
        EXPECT_EQ(clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes, &yes),
                  CL_SUCCESS);
        launch(app, scale, {100});
        for (void *one : memory)
          EXPECT_EQ(release(app.context, one), CL_SUCCESS);
      },
      OnGpu, CL_DEVICE_TYPE_GPU);
  expectSameBitsEverywhere(true);
  EXPECT_TRUE(holds(printed, "3 words are replaced as pointers")) << printed;
}

// NVIDIA's driver is a fake one that runs no kernel.
TEST_F(GpuCapture, PointersInMemoryOnNvidia) {
  capture("reverse", reverseList, {{"KILN_DEVICES", "cuda"}, {"KILN_CUDA_LIBRARY", KILN_FAKE_CUDA}},
          CL_DEVICE_TYPE_GPU);
  ASSERT_EQ(bundles().size(), 1u) << errors;
  EXPECT_EQ(replay(bundles()[0], "KILN_DEVICES=cuda KILN_CUDA_LIBRARY=" KILN_FAKE_CUDA), 0) << printed;
  EXPECT_TRUE(holds(printed, "101 words are replaced as pointers")) << printed;
  EXPECT_TRUE(holds(printed, "bytes of memory are the same")) << printed;
  EXPECT_EQ(replay(bundles()[0], "KILN_DEVICES=cpu"), 1) << printed; // the CPU runs the kernel
}

TEST_F(Capture, ABundleOfAnotherTargetIsRefused) {
  capture("more", [](App &app) { launchMore(app, 10); });
  ASSERT_EQ(bundles().size(), 1u) << errors;
  std::string about = contentOf(bundles()[0] + "/bundle.json");
  const std::string target = "\"target\":\"cpu\"";
  ASSERT_TRUE(holds(about, target)) << about;
  std::ofstream(bundles()[0] + "/bundle.json")
      << about.replace(about.find(target), target.size(), "\"target\":\"LD_PRELOAD\"");
  EXPECT_EQ(replay(bundles()[0]), 2);
  EXPECT_TRUE(holds(printed, "the bundle's target is 'LD_PRELOAD', must be cpu, nvptx or amdgpu")) << printed;
}

TEST_F(Capture, ABrokenBundleIsRefused) {
  EXPECT_EQ(replay(folder), 2);
  EXPECT_TRUE(holds(printed, "bundle.json cannot be read")) << printed;
  std::ofstream(folder + "/bundle.json") << "{\"version\":2, \"writer\":7}";
  EXPECT_EQ(replay(folder), 2);
  EXPECT_TRUE(holds(printed, "JSON: writer must be a string")) << printed;
  std::ofstream(folder + "/bundle.json") << "{\"version\":1}";
  EXPECT_EQ(replay(folder), 2);
  EXPECT_TRUE(holds(printed, "the bundle has version 1, must be 2")) << printed;
}

} // namespace
} // namespace kiln::test
