// kiln-differential: generated programs on an OpenCL device and in the plain evaluation, compared word by word.
//
//   kiln-differential --seeds=1:1001 [--batch=8] [--options="-cl-opt-disable"] [--device=0] [--platform=Kiln]
//   kiln-differential --print=17          writes the source of a seed
//
// A seed is a kernel. Each difference is one line; the exit status says whether there was any.
#define CL_TARGET_OPENCL_VERSION 300
#include "tests/differential/Program.h"
#include <CL/cl.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

using namespace kiln::differential;

namespace {

[[noreturn]] void fail(const std::string &sentence) {
  std::fprintf(stderr, "kiln-differential: %s\n", sentence.c_str());
  std::exit(2);
}
void check(cl_int code, const char *what) {
  if (code != CL_SUCCESS)
    fail(std::string(what) + " gave " + std::to_string(code));
}

struct Settings {
  uint64_t first = 1, end = 101, batch = 8;
  std::string options, platform = "Kiln";
  size_t device = 0;
};

struct Machine {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;

  explicit Machine(const Settings &settings) {
    cl_platform_id platforms[16], platform = nullptr;
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count; ++i) {
      char name[100] = {};
      clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
      if (std::string_view(name).find(settings.platform) != std::string_view::npos)
        platform = platforms[i];
    }
    if (!platform)
      fail("there is no platform " + settings.platform);
    cl_device_id devices[16];
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count), "clGetDeviceIDs");
    if (settings.device >= count)
      fail("there is no device " + std::to_string(settings.device));
    device = devices[settings.device];
    cl_int code;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, nullptr, &code);
    check(code, "clCreateCommandQueueWithProperties");
  }
};

const std::vector<int32_t> Arguments = {5, -3};

std::vector<uint8_t> input() {
  std::vector<uint8_t> bytes(InputBytes);
  uint32_t state = 12345;
  for (uint8_t &byte : bytes)
    byte = uint8_t((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

bool isNan(Kind kind, uint64_t bits) {
  return withNumber(kind, [bits](auto zero) {
    auto x = fromBits<decltype(zero)>(bits);
    return x != x;
  });
}

/// Runs the kernel and says whether its output is right.
bool agrees(const Machine &machine, cl_program code, cl_mem in, const std::vector<uint8_t> &inputBytes,
            const Program &program) {
  const std::vector<OutputWord> words = outputWords(program);
  const std::vector<uint64_t> expected = evaluate(program, Arguments, inputBytes);
  std::vector<uint64_t> got(expected.size(), Untouched);
  cl_int status;
  cl_kernel kernel = clCreateKernel(code, program.kernelName().c_str(), &status);
  check(status, "clCreateKernel");
  cl_mem out = clCreateBuffer(machine.context, CL_MEM_COPY_HOST_PTR, got.size() * 8, got.data(), &status);
  check(status, "clCreateBuffer");
  check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
  check(clSetKernelArg(kernel, 1, sizeof in, &in), "clSetKernelArg");
  for (unsigned i = 0; i < UniformParameters; ++i)
    check(clSetKernelArg(kernel, 2 + i, sizeof(cl_int), &Arguments[i]), "clSetKernelArg");
  check(clEnqueueNDRangeKernel(machine.queue, kernel, 1, nullptr, &program.globalSize, &program.localSize, 0, nullptr,
                               nullptr),
        "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(machine.queue, out, CL_TRUE, 0, got.size() * 8, got.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  clReleaseKernel(kernel);
  clReleaseMemObject(out);
  for (size_t i = 0; i < got.size(); ++i) {
    const OutputWord &word = words[i % words.size()];
    if (got[i] == expected[i] || (isNan(word.kind, got[i]) && isNan(word.kind, expected[i])))
      continue;
    std::printf("seed %llu: v%u.s%x of work-item %zu is %#llx, not %#llx\n",
                static_cast<unsigned long long>(program.seed), word.variable, word.lane, i / words.size(),
                static_cast<unsigned long long>(got[i]), static_cast<unsigned long long>(expected[i]));
    return false;
  }
  return true;
}

/// How many of the seeds [first, end) do not agree.
uint64_t compare(const Machine &machine, const Settings &settings, cl_mem in, const std::vector<uint8_t> &inputBytes,
                 uint64_t first, uint64_t end) {
  std::vector<Program> programs;
  std::string source = preamble();
  for (uint64_t seed = first; seed < end; ++seed)
    source += write(programs.emplace_back(generate(seed)));
  const char *text = source.c_str();
  cl_int status;
  cl_program code = clCreateProgramWithSource(machine.context, 1, &text, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  const std::string options = "-cl-std=CL3.0 -cl-fp32-correctly-rounded-divide-sqrt " + settings.options;
  uint64_t wrong = 0;
  if (clBuildProgram(code, 1, &machine.device, options.c_str(), nullptr, nullptr) == CL_SUCCESS) {
    for (const Program &program : programs)
      wrong += !agrees(machine, code, in, inputBytes, program);
  } else if (end - first > 1) { // find out which
    for (uint64_t seed = first; seed < end; ++seed)
      wrong += compare(machine, settings, in, inputBytes, seed, seed + 1);
  } else {
    char log[20000] = {};
    clGetProgramBuildInfo(code, machine.device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, nullptr);
    std::printf("seed %llu does not build: %s\n", static_cast<unsigned long long>(first), log);
    wrong = 1;
  }
  clReleaseProgram(code);
  std::fflush(stdout);
  return wrong;
}

} // namespace

int main(int count, char **words) {
  Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals), value = equals == word.npos ? "" : word.substr(equals + 1);
    if (name == "--seeds" && value.find(':') != value.npos) {
      settings.first = std::stoull(value);
      settings.end = std::stoull(value.substr(value.find(':') + 1));
    } else if (name == "--batch") {
      settings.batch = std::max(1ull, std::stoull(value));
    } else if (name == "--options") {
      settings.options = value;
    } else if (name == "--device") {
      settings.device = std::stoull(value);
    } else if (name == "--platform") {
      settings.platform = value;
    } else if (name == "--print") {
      std::printf("%s%s", preamble().c_str(), write(generate(std::stoull(value))).c_str());
      return 0;
    } else {
      fail("what is " + word + "?");
    }
  }
  const Machine machine(settings);
  std::vector<uint8_t> bytes = input();
  cl_int status;
  cl_mem in =
      clCreateBuffer(machine.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data(), &status);
  check(status, "clCreateBuffer");
  uint64_t wrong = 0;
  for (uint64_t first = settings.first; first < settings.end; first += settings.batch)
    wrong += compare(machine, settings, in, bytes, first, std::min(first + settings.batch, settings.end));
  std::printf("%llu kernels, %llu do not agree\n", static_cast<unsigned long long>(settings.end - settings.first),
              static_cast<unsigned long long>(wrong));
  return wrong != 0;
}
