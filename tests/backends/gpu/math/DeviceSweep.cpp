// Measures the math functions of any OpenCL device: the largest error in ulp against the references of the sweep, and
// the rate in 10^9 results per second of a kernel that fills the device.
//
//   kiln-math-device [--platform WORD] [--only NAME]... [--check] [--no-rates] [--points N]
//
// Prints a line per function: name, type, largest error, its argument, rate. With --check, the exit status is 1 if an
// error bound is broken.
#define CL_TARGET_OPENCL_VERSION 120
#include "tests/backends/cpu/math/References.h"
#include <CL/cl.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

using namespace kiln::math;

namespace {

struct Function {
  const char *name;
  Operands operands;
  double low, high; // the range of arguments for the rate
};
const Function Functions[] = {
    {"exp", Operands::One, -10, 10},     {"exp2", Operands::One, -10, 10},   {"exp10", Operands::One, -10, 10},
    {"expm1", Operands::One, -2, 2},     {"log", Operands::One, 0.1, 10},    {"log2", Operands::One, 0.1, 10},
    {"log10", Operands::One, 0.1, 10},   {"log1p", Operands::One, -0.5, 10}, {"sin", Operands::One, -10, 10},
    {"cos", Operands::One, -10, 10},     {"tan", Operands::One, -10, 10},    {"sinpi", Operands::One, -10, 10},
    {"cospi", Operands::One, -10, 10},   {"tanpi", Operands::One, -10, 10},  {"pow", Operands::Two, 0.1, 10},
    {"powr", Operands::Two, 0.1, 10},    {"pown", Operands::Int, 0.1, 10},   {"rootn", Operands::Int, 0.1, 10},
    {"erf", Operands::One, -3, 3},       {"erfc", Operands::One, -3, 3},     {"sinh", Operands::One, -5, 5},
    {"cosh", Operands::One, -5, 5},      {"tanh", Operands::One, -5, 5},     {"asin", Operands::One, -1, 1},
    {"acos", Operands::One, -1, 1},      {"atan", Operands::One, -10, 10},   {"asinpi", Operands::One, -1, 1},
    {"acospi", Operands::One, -1, 1},    {"atanpi", Operands::One, -10, 10}, {"asinh", Operands::One, -10, 10},
    {"acosh", Operands::One, 1, 10},     {"atanh", Operands::One, -1, 1},    {"atan2", Operands::Two, 0.1, 10},
    {"atan2pi", Operands::Two, 0.1, 10}, {"cbrt", Operands::One, 0.1, 10},   {"hypot", Operands::Two, 0.1, 10},
    {"fmod", Operands::Two, 0.1, 10},    {"remainder", Operands::Two, 1, 9}, {"ldexp", Operands::Int, 0.1, 10},
    {"tgamma", Operands::One, 0.1, 10},  {"lgamma", Operands::One, 0.1, 10}};

struct Options {
  std::string platform;
  std::vector<std::string> only;
  bool check = false, rates = true;
  size_t points = 1 << 20;
};

void require(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return;
  std::fprintf(stderr, "kiln-math-device: %s returned %d\n", what, status);
  std::exit(2);
}

cl_device_id findDevice(const std::string &word) {
  cl_uint count = 0;
  require(clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs");
  std::vector<cl_platform_id> platforms(count);
  require(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (cl_platform_id platform : platforms) {
    char name[256] = "";
    require(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr), "clGetPlatformInfo");
    cl_device_id device = nullptr;
    if (std::strstr(name, word.c_str()) &&
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS)
      return device;
  }
  std::fprintf(stderr, "kiln-math-device: no platform has '%s' in its name\n", word.c_str());
  std::exit(2);
}

uint64_t mixed(uint64_t x) { // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Half of the arguments have any bits, the others are around the range for the rate. Edge cases come first.
template <typename E> E argument(const Function &function, size_t i, int which) {
  using U = std::conditional_t<sizeof(E) == 4, uint32_t, uint64_t>;
  static const double edges[] = {0, -0.0, 1, -1, 0.5, INFINITY, -INFINITY, NAN, 2, -2, 1e-310, 1e-40, 3, 100};
  constexpr size_t count = std::size(edges);
  if (i < count * count)
    return E(which ? edges[i / count] : edges[i % count]);
  uint64_t random = mixed(i * 2 + size_t(which));
  if (i % 2)
    return std::bit_cast<E>(U(random));
  return E(function.low + (function.high - function.low) * (double(random >> 11) * 0x1p-53 * 1.5 - 0.25));
}

class Device {
public:
  explicit Device(const Options &options) : options_(options), device_(findDevice(options.platform)) {
    cl_int status;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    require(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE, &status);
    require(status, "clCreateCommandQueue");
    require(clGetDeviceInfo(device_, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units_, &units_, nullptr), "clGetDeviceInfo");
  }

  /// Returns false if the error exceeds OpenCL's bound.
  template <typename E> bool run(const Function &function) {
    constexpr bool isDouble = sizeof(E) == 8;
    cl_program program = build(function, isDouble ? "double" : "float");
    cl_int status;
    cl_kernel check = clCreateKernel(program, "check", &status);
    require(status, "clCreateKernel");
    bool isInt = function.operands == Operands::Int;
    size_t n = options_.points;
    std::vector<E> x(n), y(n), z(n);
    std::vector<int> m(n);
    for (size_t i = 0; i < n; ++i) {
      x[i] = argument<E>(function, i, 0), y[i] = argument<E>(function, i, 1);
      m[i] = int(mixed(i + n) % (i % 4 ? 41 : 4001)) - (i % 4 ? 20 : 2000);
    }
    cl_mem in = buffer(n * sizeof(E), x.data()), two = buffer(n * sizeof(E), isInt ? nullptr : y.data()),
           ints = buffer(n * 4, m.data()), out = buffer(n * sizeof(E), nullptr);
    set(check, in, two, ints, out);
    require(clEnqueueNDRangeKernel(queue_, check, 1, nullptr, &n, nullptr, 0, nullptr, nullptr), "the kernel");
    require(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, n * sizeof(E), z.data(), 0, nullptr, nullptr), "the read");
    ArrayFunction described{function.name, function.operands, isDouble, {}};
    Reference wanted = reference(described);
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < n; ++i) {
      int64_t wide = m[i];
      const void *second = isInt ? isDouble ? static_cast<const void *>(&wide) : &m[i] : &y[i];
      double error = unitsApart(wanted(&x[i], second), double(z[i]), isDouble);
      if (error > worst)
        worst = error, at = i;
    }
    double rate = options_.rates ? measure<E>(function, program, out) : 0;
    char place[96];
    if (isInt)
      std::snprintf(place, sizeof place, "%a,%d", double(x[at]), m[at]);
    else if (function.operands == Operands::Two)
      std::snprintf(place, sizeof place, "%a,%a", double(x[at]), double(y[at]));
    else
      std::snprintf(place, sizeof place, "%a", double(x[at]));
    std::printf("%-9s %s %8.3f %s %.2f\n", function.name, isDouble ? "f64" : "f32", worst, place, rate);
    std::fflush(stdout);
    for (cl_mem memory : {in, two, ints, out})
      clReleaseMemObject(memory);
    clReleaseKernel(check);
    clReleaseProgram(program);
    return worst <= errorBound(described).units;
  }

private:
  cl_program build(const Function &function, const std::string &type) {
    std::string rest = function.operands == Operands::One ? "" : function.operands == Operands::Two ? ", b" : ", m";
    // The argument changes in each step, and the sum keeps every result.
    std::string text = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define T " + type + "\n#define F(a, b, m) " +
                       function.name + "(a" + rest +
                       ")\n"
                       "kernel void check(global const T *x, global const T *y, global const int *n, global T *z) {\n"
                       "  size_t i = get_global_id(0);\n"
                       "  z[i] = F(x[i], y[i], n[i]);\n}\n"
                       "kernel void rate(global T *z, T low, T step, T other, int m, int rounds) {\n"
                       "  T x = low + step * (T)(get_global_id(0) % 61), sum = 0;\n"
                       "  for (int i = 0; i < rounds; ++i) { sum += F(x, other, m); x += step; }\n"
                       "  z[get_global_id(0) & 0xffff] = sum;\n}\n";
    const char *source = text.c_str();
    cl_int status;
    cl_program program = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
    require(status, "clCreateProgramWithSource");
    require(clBuildProgram(program, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
    return program;
  }
  cl_mem buffer(size_t bytes, const void *from) {
    cl_int status;
    cl_mem memory = clCreateBuffer(context_, CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0), bytes,
                                   const_cast<void *>(from), &status);
    require(status, "clCreateBuffer");
    return memory;
  }
  template <typename... Args> void set(cl_kernel kernel, const Args &...args) {
    cl_uint index = 0;
    (require(clSetKernelArg(kernel, index++, sizeof args, &args), "clSetKernelArg"), ...);
  }
  template <typename E> double measure(const Function &function, cl_program program, cl_mem out) {
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "rate", &status);
    require(status, "clCreateKernel");
    int rounds = 256, m = 3;
    size_t items = size_t(units_) * 8192;
    E low = E(function.low), step = E((function.high - function.low) / (rounds + 64)), other = E(2.7);
    set(kernel, out, low, step, other, m, rounds);
    double best = 1e30;
    for (int i = 0; i < 4; ++i) {
      cl_event event;
      size_t local = 256;
      require(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, &event), "the kernel");
      require(clWaitForEvents(1, &event), "clWaitForEvents");
      cl_ulong start, end;
      clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr);
      clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
      clReleaseEvent(event);
      best = std::min(best, double(end - start));
    }
    clReleaseKernel(kernel);
    return double(items) * rounds / best;
  }

  const Options &options_;
  cl_device_id device_;
  cl_context context_;
  cl_command_queue queue_;
  cl_uint units_ = 1;
};

} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (word == "--platform")
      options.platform = value();
    else if (word == "--only")
      options.only.push_back(value());
    else if (word == "--points") // at least 65536: the rate's kernel writes as many results
      options.points = std::max<size_t>(1 << 16, std::strtoull(value(), nullptr, 10));
    else if (word == "--check")
      options.check = true;
    else if (word == "--no-rates")
      options.rates = false;
    else {
      std::fprintf(stderr, "kiln-math-device: unknown argument '%s'\n", argv[i]);
      return 2;
    }
  }
  Device device(options);
  bool good = true;
  for (const Function &function : Functions)
    if (options.only.empty() || std::ranges::count(options.only, function.name)) {
      good &= device.run<float>(function);
      good &= device.run<double>(function);
    }
  return options.check && !good;
}
