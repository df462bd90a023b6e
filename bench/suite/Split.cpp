#include "bench/suite/Split.h"
#include "bench/suite/Reference.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace bench {
namespace {

constexpr size_t Width = 1024, Height = 1024, TrialRows = 16; // measures a device's speed
constexpr int32_t Limit = 200;
constexpr Plane Whole{-2.1f, -1.3f, 2.6f / Height};

struct Band {
  size_t first = 0, rows = 0;
};

class Split {
public:
  explicit Split(const std::vector<cl_device_id> &devices) : devices_(devices) {
    cl_int code;
    context_ = Context(clCreateContext(nullptr, cl_uint(devices.size()), devices.data(), nullptr, nullptr, &code));
    check(code, "clCreateContext");
    for (cl_device_id device : devices) {
      queues_.emplace_back(clCreateCommandQueue(context_, device, 0, &code));
      check(code, "clCreateCommandQueue");
    }
    std::string_view source = kernelSource("mandelbrot");
    const char *text = source.data();
    size_t length = source.size();
    program_ = Program(clCreateProgramWithSource(context_, 1, &text, &length, &code));
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program_, cl_uint(devices.size()), devices.data(), "-cl-std=CL1.2", nullptr, nullptr),
          "clBuildProgram");
    kernel_ = Kernel(clCreateKernel(program_, "mandelbrot", &code));
    check(code, "clCreateKernel");
    picture_ = Mem(clCreateBuffer(context_, CL_MEM_READ_WRITE, Width * Height * sizeof(int32_t), nullptr, &code));
    check(code, "clCreateBuffer");
  }

  /// Divides the rows by the devices' speeds, which it measures on a few rows.
  std::vector<Band> divideRows() {
    std::vector<double> speeds;
    for (size_t i = 0; i < devices_.size(); ++i) {
      const Band trial{Height / 2 - TrialRows / 2, TrialRows};
      draw(i, trial); // not timed: compiles the kernel and transfers the buffer
      check(clFinish(queues_[i]), "clFinish");
      auto start = std::chrono::steady_clock::now();
      draw(i, trial);
      check(clFinish(queues_[i]), "clFinish");
      speeds.push_back(1 / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    double all = std::accumulate(speeds.begin(), speeds.end(), 0.0), sum = 0;
    std::vector<Band> bands;
    for (size_t i = 0; i < devices_.size(); ++i) {
      size_t first = i ? bands.back().first + bands.back().rows : 0;
      sum += speeds[i];
      size_t end = i + 1 == devices_.size() ? Height : size_t(std::lround(sum / all * Height));
      bands.push_back({first, std::max(end, first) - first});
    }
    return bands;
  }

  void draw(size_t device, Band band) {
    if (!band.rows)
      return;
    cl_int code;
    cl_buffer_region region{band.first * Width * sizeof(int32_t), band.rows * Width * sizeof(int32_t)};
    Mem rows(clCreateSubBuffer(picture_, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
    check(code, "clCreateSubBuffer");
    arguments(kernel_, rows, Whole.left, Whole.top + float(band.first) * Whole.step, Whole.step, Limit);
    size_t global[] = {Width, band.rows};
    check(clEnqueueNDRangeKernel(queues_[device], kernel_, 2, nullptr, global, nullptr, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clFlush(queues_[device]), "clFlush");
  }

  void finish() {
    for (Queue &queue : queues_)
      check(clFinish(queue), "clFinish");
  }

  std::vector<int32_t> read() {
    std::vector<int32_t> counts(Width * Height);
    check(clEnqueueReadBuffer(queues_.front(), picture_, CL_TRUE, 0, counts.size() * sizeof(int32_t), counts.data(), 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
    return counts;
  }

private:
  const std::vector<cl_device_id> &devices_;
  Context context_;
  std::vector<Queue> queues_;
  Program program_;
  Kernel kernel_;
  Mem picture_;
};

} // namespace

bool splitOverAll(const std::vector<cl_device_id> &devices) {
  Split split(devices);
  std::vector<Band> bands = split.divideRows();
  auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < devices.size(); ++i)
    split.draw(i, bands[i]);
  split.finish();
  double milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::vector<int32_t> got = split.read(), expected = mandelbrot(Width, Height, Whole, Limit);
  // Points near the edge may differ: devices may fuse operations, and a band's top coordinate is rounded once more.
  size_t different = 0;
  for (size_t i = 0; i < got.size(); ++i)
    different += got[i] != expected[i];
  bool right = different <= got.size() / 50;
  printf("\nOne Mandelbrot set of %zu x %zu points, one context, one buffer, every device a band of it at once:\n",
         Width, Height);
  for (size_t i = 0; i < devices.size(); ++i)
    printf("  device %zu  rows %4zu to %4zu\n", i, bands[i].first, bands[i].first + bands[i].rows);
  printf("  %.2f ms in all, %s\n", milliseconds, right ? "verified" : "WRONG");
  return right;
}

} // namespace bench
