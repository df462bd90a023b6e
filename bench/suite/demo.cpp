// Runs kernels on each device and verifies every result on the host, splits one picture across all devices, and shows
// the first kernel in each compiler stage. The exit status is 0 if all results are right.
//
//   kiln-demo [--platform=NAME]
#include "bench/opencl/DeviceQueues.h"
#include "bench/opencl/Pipes.h"
#include "bench/suite/Reference.h"
#include "bench/suite/SharedMemory.h"
#include "bench/suite/Split.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Launches a kernel with its arguments, and verifies its result.
struct Run {
  std::function<void(cl_kernel)> launch;
  std::function<bool()> verify;
};
struct Example {
  const char *title, *file, *kernel;
  std::function<Run(Session &)> prepare;
  bool (*runsOn)(cl_device_id device) = [](cl_device_id) { return true; };
  const char *options = "-cl-std=CL1.2";
};

std::vector<int32_t> picture; // of the Mandelbrot set, as the last device drew it
constexpr size_t pictureWidth = 76, pictureHeight = 48;

Run vectorAdd(Session &session) {
  const size_t count = 1 << 20;
  auto a = wholeFloats(count, 1), b = wholeFloats(count, 2);
  auto sum = std::make_shared<Mem>(session.buffer(count * sizeof(float)));
  auto deviceA = std::make_shared<Mem>(session.buffer(a)), deviceB = std::make_shared<Mem>(session.buffer(b));
  return {[=, &session](cl_kernel kernel) {
            arguments(kernel, *deviceA, *deviceB, *sum);
            session.launch(kernel, {count});
          },
          [=, &session] {
            std::vector<float> expected(count);
            std::transform(a.begin(), a.end(), b.begin(), expected.begin(), std::plus<>());
            return session.read<float>(*sum, count) == expected;
          }};
}

Run mandelbrotPicture(Session &session) {
  const size_t count = pictureWidth * pictureHeight;
  const Plane plane{-2.1f, -0.9f, 0.038f};
  const int32_t limit = 100;
  auto counts = std::make_shared<Mem>(session.buffer(count * sizeof(int32_t)));
  return {[=, &session](cl_kernel kernel) {
            arguments(kernel, *counts, plane.left, plane.top, plane.step, limit);
            session.launch(kernel, {pictureWidth, pictureHeight});
          },
          [=, &session] {
            picture = session.read<int32_t>(*counts, count);
            std::vector<int32_t> expected = mandelbrot(pictureWidth, pictureHeight, plane, limit);
            // A device may fuse multiplication and addition, which changes the result of points near the edge.
            size_t different = 0;
            for (size_t i = 0; i < count; ++i)
              different += picture[i] != expected[i];
            return different <= count / 50;
          }};
}

Run matrixProductTiled(Session &session) {
  const size_t n = 256;
  auto a = wholeFloats(n * n, 1), b = wholeFloats(n * n, 2);
  auto c = std::make_shared<Mem>(session.buffer(n * n * sizeof(float)));
  auto deviceA = std::make_shared<Mem>(session.buffer(a)), deviceB = std::make_shared<Mem>(session.buffer(b));
  return {[=, &session](cl_kernel kernel) {
            arguments(kernel, *deviceA, *deviceB, *c, cl_int(n));
            session.launch(kernel, {n, n}, {16, 16});
          },
          [=, &session] { return session.read<float>(*c, n * n) == matrixProduct(a, b, n); }};
}

Run reduction(Session &session) {
  const size_t count = 1 << 20, group = 128;
  auto in = wholeFloats(count, 1);
  auto sums = std::make_shared<Mem>(session.buffer(count / group * sizeof(float)));
  auto deviceIn = std::make_shared<Mem>(session.buffer(in));
  return {[=, &session](cl_kernel kernel) {
            arguments(kernel, *deviceIn, *sums, Local{group * sizeof(float)});
            session.launch(kernel, {count}, {group});
          },
          [=, &session] {
            double expected = 0, got = 0; // sums of small whole numbers, exact in double
            for (float value : in)
              expected += value;
            for (float value : session.read<float>(*sums, count / group))
              got += value;
            return got == expected;
          }};
}

Run nbodyStep(Session &session) {
  const size_t count = 1024, group = 64;
  const float softening = 0.01f;
  auto in = bodies(count);
  auto out = std::make_shared<Mem>(session.buffer(count * sizeof(Vector4)));
  auto deviceIn = std::make_shared<Mem>(session.buffer(in));
  return {[=, &session](cl_kernel kernel) {
            arguments(kernel, *deviceIn, *out, Local{group * sizeof(Vector4)}, softening);
            session.launch(kernel, {count}, {group});
          },
          [=, &session] {
            std::vector<Vector4> got = session.read<Vector4>(*out, count);
            for (size_t i = 0; i < count; ++i) {
              Vector4 expected = acceleration(in, i, softening);
              float allowed = 1e-3f * (1 + std::hypot(expected.x, expected.y, expected.z));
              if (!(std::hypot(got[i].x - expected.x, got[i].y - expected.y, got[i].z - expected.z) <= allowed))
                return false;
            }
            return true;
          }};
}

/// Linked lists that the host builds in shared virtual memory.
Run lists(Session &session) {
  const size_t count = 1 << 16, walks = 1 << 10;
  const cl_uint steps = 100;
  auto nodes = std::make_shared<Shared<Node>>(session, count);
  nodes->mapped([](std::span<Node> all) {
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = {&all[(i * 40503 + 7) % all.size()], int32_t(i % 1000), 0};
  });
  auto sums = std::make_shared<Mem>(session.buffer(walks * sizeof(int32_t)));
  return {[=, &session](cl_kernel kernel) {
            arguments(kernel, cl_mem(nullptr), *sums, steps);
            nodes->setArgument(kernel, 0);
            session.launch(kernel, {walks});
          },
          [=, &session] {
            std::vector<int32_t> expected(walks);
            nodes->mapped([&](std::span<Node> all) {
              for (size_t walk = 0; walk < walks; ++walk) {
                const Node *at = &all[walk];
                for (cl_uint i = 0; i < steps; ++i, at = at->next)
                  expected[walk] += at->value;
              }
            });
            return session.read<int32_t>(*sums, walks) == expected;
          }};
}

/// A producer and a consumer kernel, connected by a pipe.
Run pipe(Session &session) {
  const size_t count = 1 << 18, group = 256;
  auto words = std::make_shared<Mem>(createPipe(session, sizeof(uint32_t), count));
  auto out = std::make_shared<Mem>(session.buffer(count * sizeof(uint32_t)));
  return {[=, &session](cl_kernel consume) {
            cl_program program = nullptr;
            check(clGetKernelInfo(consume, CL_KERNEL_PROGRAM, sizeof(program), &program, nullptr), "clGetKernelInfo");
            Kernel produce = session.kernel(program, "append_block");
            arguments(produce, *words);
            arguments(consume, *words, *out);
            session.launch(produce, {count}, {group});
            session.launch(consume, {count}, {group});
          },
          [=, &session] { return isComplete(session.read<uint32_t>(*out, count)); }};
}

/// Device-side enqueue: one child kernel per part of the array.
Run quicksort(Session &session) {
  const size_t count = 1 << 16;
  std::vector<int32_t> numbers(count);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = int32_t(i * 2654435761u >> 8);
  auto queue = std::make_shared<Queue>(createDeviceQueue(session));
  auto deviceNumbers = std::make_shared<Mem>(session.buffer(numbers));
  auto errors = std::make_shared<Mem>(session.buffer(std::vector<int32_t>{0}));
  return {[=, &session](cl_kernel kernel) {
            session.write(*deviceNumbers, numbers);
            arguments(kernel, *deviceNumbers, cl_int(count), *errors);
            session.launch(kernel, {1});
          },
          [=, &session] {
            std::vector<int32_t> expected = numbers;
            std::sort(expected.begin(), expected.end());
            (void)queue; // captured, so that the device queue lives until here
            return session.read<int32_t>(*deviceNumbers, count) == expected &&
                   session.read<int32_t>(*errors, 1)[0] == 0;
          }};
}

/// Device-side enqueue: one child kernel per square of the picture that has to be subdivided.
Run mandelbrotBySquares(Session &session) {
  const size_t width = 512;
  const Plane plane{-2.1f, -1.4f, 2.8f / width};
  const int32_t limit = 256;
  auto queue = std::make_shared<Queue>(createDeviceQueue(session));
  auto counts = std::make_shared<Mem>(session.buffer(width * width * sizeof(int32_t)));
  auto errors = std::make_shared<Mem>(session.buffer(std::vector<int32_t>{0}));
  return {[=, &session](cl_kernel kernel) {
            arguments(kernel, *counts, cl_int(width), plane.left, plane.top, plane.step, limit, *errors);
            session.launch(kernel, {1});
          },
          [=, &session] {
            std::vector<int32_t> found = session.read<int32_t>(*counts, width * width),
                                 expected = mandelbrot(width, width, plane, limit);
            size_t different = 0;
            for (size_t i = 0; i < found.size(); ++i)
              different += found[i] != expected[i];
            (void)queue;
            return different <= found.size() / 50 && session.read<int32_t>(*errors, 1)[0] == 0;
          }};
}

const Example examples[] = {
    {"vector add, 1M", "vector_add", "vector_add", vectorAdd},
    {"Mandelbrot set", "mandelbrot", "mandelbrot", mandelbrotPicture},
    {"matrix product, tiled", "matmul_tiled", "matmul", matrixProductTiled},
    {"reduction, 1M", "reduction", "reduce", reduction},
    {"n-body step, 1024", "nbody", "accelerate", nbodyStep},
    {"lists by pointer, 64K", "pointer_chasing", "by_pointer", lists, hasSharedMemory},
    {"words through a pipe", "pipe", "take_block", pipe, hasPipes, "-cl-std=CL3.0"},
    {"quicksort, 64K", "quicksort", "quicksort", quicksort, hasDeviceQueues, "-cl-std=CL3.0"},
    {"Mandelbrot by squares", "mariani_silver", "mariani_silver", mandelbrotBySquares, hasDeviceQueues,
     "-cl-std=CL3.0"},
};

/// Prints one row of the table. Returns false if the result is wrong or a call failed.
bool show(const Example &example, size_t index, Session &session) {
  printf("  %-22s  %6zu  ", example.title, index);
  fflush(stdout);
  try {
    Run run = example.prepare(session);
    auto start = Clock::now();
    Program program = session.build(kernelSource(example.file), example.options);
    Kernel kernel = session.kernel(program, example.kernel);
    double build = millisecondsSince(start);
    run.launch(kernel); // not timed: the first launch may compile a variant for its local size
    session.finish();
    start = Clock::now();
    run.launch(kernel);
    session.finish();
    double ran = millisecondsSince(start);
    bool right = run.verify();
    printf("%8.2f  %8.3f  %s\n", build, ran, right ? "yes" : "NO");
    return right;
  } catch (const std::exception &error) {
    printf("failed: %s\n", error.what());
    return false;
  }
}

void draw() {
  static constexpr char shades[] = " .:-=+*#%@";
  for (size_t row = 0; row < pictureHeight; row += 2) { // a character is about twice as high as it is wide
    std::string line = "  ";
    for (size_t column = 0; column < pictureWidth; ++column) {
      int32_t count = picture[row * pictureWidth + column];
      line += shades[count >= 100 ? 9 : std::min<size_t>(8, size_t(std::log2(float(count) + 1) * 1.4f))];
    }
    puts(line.c_str());
  }
}

/// A temporary folder, removed in the destructor.
class Folder {
public:
  Folder() : path((std::filesystem::temp_directory_path() / "kiln-demo-XXXXXX").string()) {
    if (!mkdtemp(path.data()))
      throw std::runtime_error("cannot create a folder in " + std::filesystem::temp_directory_path().string());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder &) = delete;
  std::string path;
};

/// Returns the first line that contains the first of `words` that occurs in the file, cut to 78 characters.
std::string typicalLine(const std::vector<std::string> &lines, std::initializer_list<const char *> words) {
  for (const char *word : words)
    for (const std::string &line : lines)
      if (size_t found = line.find(word); found != std::string::npos) {
        std::string text = line.substr(line.find_first_not_of(" \t"));
        std::replace(text.begin(), text.end(), '\t', ' ');
        return text.size() > 78 ? text.substr(0, 75) + "..." : text;
      }
  return "";
}

void describe(const std::filesystem::path &file) {
  std::string name = file.filename().string(), extension = file.extension().string();
  std::ifstream stream(file, std::ios::binary);
  if (extension == ".spv") {
    uint32_t header[2] = {};
    stream.read(reinterpret_cast<char *>(header), sizeof(header));
    printf("  %-14s %6ju words  SPIR-V %u.%u\n", name.c_str(), uintmax_t(std::filesystem::file_size(file) / 4),
           header[1] >> 16 & 255, header[1] >> 8 & 255);
    return;
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  std::string line = name.ends_with(".ocl.mlir")  ? typicalLine(lines, {"ocl.query", "func.func"})
                     : name.ends_with(".wg.mlir") ? typicalLine(lines, {"wg.", "func.func"})
                     : extension == ".ll"         ? typicalLine(lines, {"fadd <", "fadd", "define"})
                                                  : typicalLine(lines, {"vaddps", "addps", "fadd", "vector_add"});
  printf("  %-14s %6zu lines  %s\n", name.c_str(), lines.size(), line.c_str());
}

/// Builds the vector add again in a child process with KILN_DUMP set, and prints one line of each stage. A child,
/// because switches are read once per process and would apply to all kernels here.
bool showStages(const std::string &platform) {
  Folder folder;
  setenv("KILN_DUMP", folder.path.c_str(), 1);
  setenv("KILN_CACHE", "off", 1);
  std::string self = "kiln-demo", name = "--platform=" + platform, mode = "--build-only";
  char *words[] = {self.data(), name.data(), mode.data(), nullptr};
  pid_t pid = 0;
  int status = 1;
  if (!posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, words, environ))
    waitpid(pid, &status, 0);
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder.path))
    if (entry.is_regular_file() && isdigit(entry.path().filename().string()[0]))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  printf("\nThe compiler stages of the vector add, one line of each (KILN_DUMP=folder writes all of them):\n");
  // Only the first folder: the others contain variants of the same kernel for one local size.
  for (const auto &file : files)
    if (file.parent_path() == files.front().parent_path())
      describe(file);
  if (status || files.empty())
    printf("  the stages could not be shown\n");
  return !status && !files.empty();
}

int buildOnly(cl_platform_id platform) {
  Session session(devicesOf(platform).at(0));
  session.build(kernelSource("vector_add"), "-cl-std=CL1.2");
  return 0;
}

int demo(const std::string &name) {
  Folder cache; // an empty cache, so that the build times include compilation
  setenv("KILN_CACHE_DIR", cache.path.c_str(), 1);
  cl_platform_id platform = findPlatform(name);
  std::vector<cl_device_id> devices = devicesOf(platform);
  printf("%s, %s\n", text(clGetPlatformInfo, platform, CL_PLATFORM_NAME).c_str(),
         text(clGetPlatformInfo, platform, CL_PLATFORM_VERSION).c_str());
  for (size_t i = 0; i < devices.size(); ++i) {
    cl_uint units = 0;
    check(clGetDeviceInfo(devices[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, nullptr), "clGetDeviceInfo");
    printf("  device %zu: %s, %u compute units\n", i, text(clGetDeviceInfo, devices[i], CL_DEVICE_NAME).c_str(), units);
  }
  printf("\n  %-22s  %6s  %8s  %8s  %s\n", "kernel", "device", "build ms", "run ms", "verified");
  bool right = true;
  for (size_t i = 0; i < devices.size(); ++i) {
    Session session(devices[i]);
    for (const Example &example : examples)
      if (example.runsOn(devices[i]))
        right &= show(example, i, session);
  }
  right &= splitOverAll(devices);
  if (!picture.empty()) {
    printf("\nThe result of the Mandelbrot kernel:\n");
    draw();
  }
  if (text(clGetPlatformInfo, platform, CL_PLATFORM_NAME) == "Kiln")
    right &= showStages(name);
  printf("\n%s\n", right ? "Everything was verified." : "SOMETHING IS WRONG: see above.");
  return right ? 0 : 1;
}

} // namespace
} // namespace bench

int main(int argc, char **argv) {
  std::string platform = "Kiln";
  bool buildOnly = false;
  for (int i = 1; i < argc; ++i)
    if (!strncmp(argv[i], "--platform=", 11))
      platform = argv[i] + 11;
    else if (!strcmp(argv[i], "--build-only"))
      buildOnly = true;
    else {
      fprintf(stderr, "usage: kiln-demo [--platform=NAME]\n");
      return 2;
    }
  try {
    return buildOnly ? bench::buildOnly(bench::findPlatform(platform)) : bench::demo(platform);
  } catch (const std::exception &error) {
    fprintf(stderr, "kiln-demo: %s\n", error.what());
    return 1;
  }
}
