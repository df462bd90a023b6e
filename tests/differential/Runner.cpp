#include "tests/differential/Runner.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace kiln::differential {
namespace {

void check(cl_int code, const char *what) {
  if (code != CL_SUCCESS)
    fail(std::string(what) + " returned " + std::to_string(code));
}

bool isNan(Kind kind, uint64_t bits) {
  return withNumber(kind, [bits](auto zero) {
    auto x = fromBits<decltype(zero)>(bits);
    return x != x;
  });
}

std::string hex(uint64_t bits) {
  char text[20];
  snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(bits));
  return text;
}
uint64_t bitsAt(const std::vector<uint8_t> &bytes, size_t offset, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, &bytes[offset], size);
  return bits;
}

/// Style Operators: describes the first different output word, or returns "". All NaNs are equal.
std::string differenceOfWords(const Program &program, const std::vector<uint8_t> &got,
                              const std::vector<uint8_t> &expected) {
  const std::vector<OutputWord> words = outputWords(program);
  for (size_t i = 0; i < got.size() / 8; ++i) {
    const OutputWord &word = words[i % words.size()];
    const uint64_t a = bitsAt(got, 8 * i, 8), b = bitsAt(expected, 8 * i, 8);
    if (a == b || (isNan(word.kind, a) && isNan(word.kind, b)))
      continue;
    return "v" + std::to_string(word.variable) + ".s" + "0123456789abcdef"[word.component] + " of work-item " +
           std::to_string(i / words.size()) + " is " + hex(a) + ", expected " + hex(b);
  }
  return "";
}

/// Style People: describes the element with the first different byte of a storage, or returns "".
std::string differenceOfBytes(const Program &program, unsigned storage, const std::vector<uint8_t> &got,
                              const std::vector<uint8_t> &expected) {
  size_t at = 0;
  while (at < got.size() && got[at] == expected[at])
    ++at;
  if (at == got.size())
    return "";
  unsigned number = 0;
  while (program.memories[number].storage != storage || program.memories[number].space == Memory::Space::Local)
    ++number;
  const Memory &memory = program.memories[number];
  const size_t element = at / elementBytes(memory), inside = at % elementBytes(memory);
  auto member = unsigned(memory.members.size() - 1);
  while (member && offsetOf(memory, member) > inside)
    --member;
  const size_t size = bytes(memory.members[member].kind), component = (inside - offsetOf(memory, member)) / size;
  const size_t start = element * elementBytes(memory) + offsetOf(memory, member) + component * size;
  std::string name = "p" + std::to_string(number) + "[" + std::to_string(element) + "]";
  if (memory.members.size() > 1)
    name += ".m" + std::to_string(member);
  if (memory.members[member].components > 1)
    name += std::string(".s") + "0123456789abcdef"[component];
  return name + " is " + hex(bitsAt(got, start, size)) + ", expected " + hex(bitsAt(expected, start, size));
}

} // namespace

void fail(const std::string &message) {
  std::fprintf(stderr, "kiln-differential: %s\n", message.c_str());
  std::exit(2);
}

Runner::Runner(const Settings &settings)
    : options_("-cl-std=CL3.0 -w -cl-fp32-correctly-rounded-divide-sqrt " + settings.options) {
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
    fail("no platform's name contains '" + settings.platform + "'");
  cl_device_id devices[16];
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count), "clGetDeviceIDs");
  if (settings.device >= count)
    fail("--device is " + std::to_string(settings.device) + ", the platform has " + std::to_string(count) + " devices");
  device_ = devices[settings.device];
  cl_int code;
  context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  queue_ = clCreateCommandQueueWithProperties(context_, device_, nullptr, &code);
  check(code, "clCreateCommandQueueWithProperties");
}

void Runner::run(std::span<const Program> programs, const std::function<void(size_t)> &begins,
                 const std::function<void(const Program &, const Finding &)> &ends) {
  std::string source = preamble();
  for (const Program &program : programs)
    source += write(program);
  const char *text = source.c_str();
  cl_int status;
  cl_program code = clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  begins(programs.size());
  if (clBuildProgram(code, 1, &device_, options_.c_str(), nullptr, nullptr) == CL_SUCCESS) {
    for (const Program &program : programs) {
      begins(0);
      ends(program, compare(code, program));
    }
  } else if (programs.size() > 1) { // find the program that does not build
    for (size_t i = 0; i < programs.size(); ++i)
      run(programs.subspan(i, 1), begins, ends);
  } else {
    char log[20000] = {};
    clGetProgramBuildInfo(code, device_, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, nullptr);
    std::string text = log;
    while (text.ends_with('\n'))
      text.pop_back();
    ends(programs[0], {Outcome::DoesNotBuild, "does not build: " + text});
  }
  clReleaseProgram(code);
}

Finding Runner::compare(cl_program code, const Program &program) {
  cl_int status;
  cl_kernel kernel = clCreateKernel(code, program.kernelName().c_str(), &status);
  check(status, "clCreateKernel");
  std::vector<cl_mem> buffers;
  for (std::vector<uint8_t> bytes : program.storages) {
    buffers.push_back(clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data(), &status));
    check(status, "clCreateBuffer");
  }
  Finding finding;
  if (canRun(kernel, program))
    finding = launch(kernel, program, buffers);
  else
    finding.outcome = Outcome::Skipped;
  for (cl_mem buffer : buffers)
    clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  return finding;
}

bool Runner::canRun(cl_kernel kernel, const Program &program) {
  const Range &range = program.range;
  size_t maxSize = 0;
  check(clGetKernelWorkGroupInfo(kernel, device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof maxSize, &maxSize, nullptr),
        "clGetKernelWorkGroupInfo");
  if (range.isLocalGiven && range.local[0] * range.local[1] * range.local[2] > maxSize)
    return false;
  cl_bool isAnyGlobalSize = CL_FALSE;
  clGetDeviceInfo(device_, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof isAnyGlobalSize, &isAnyGlobalSize, nullptr);
  bool isUniform = true;
  for (unsigned d = 0; d < 3; ++d)
    isUniform &= range.global[d] % range.local[d] == 0;
  return isUniform || isAnyGlobalSize || !range.isLocalGiven;
}

Finding Runner::launch(cl_kernel kernel, const Program &program, const std::vector<cl_mem> &buffers) {
  cl_uint position = 0;
  auto setArgument = [&](size_t size, const void *value) {
    check(clSetKernelArg(kernel, position++, size, value), "clSetKernelArg");
  };
  if (program.style == Style::Operators)
    for (const cl_mem &buffer : buffers)
      setArgument(sizeof buffer, &buffer);
  for (const Memory &memory : program.memories)
    if (memory.space != Memory::Space::Local)
      setArgument(sizeof(cl_mem), &buffers[memory.storage]);
  for (const Argument &argument : program.arguments)
    setArgument(bytes(argument.value.type.kind), &argument.value.components[0]);

  const Range &range = program.range;
  cl_int status = clEnqueueNDRangeKernel(queue_, kernel, range.dimensions, range.offset.data(), range.global.data(),
                                         range.isLocalGiven ? range.local.data() : nullptr, 0, nullptr, nullptr);
  if (status != CL_SUCCESS)
    return {Outcome::DoesNotRun, "clEnqueueNDRangeKernel returned " + std::to_string(status)};
  const std::vector<std::vector<uint8_t>> expected = evaluate(program);
  for (unsigned i = 0; i < buffers.size(); ++i) {
    std::vector<uint8_t> got(expected[i].size());
    status = clEnqueueReadBuffer(queue_, buffers[i], CL_TRUE, 0, got.size(), got.data(), 0, nullptr, nullptr);
    if (status != CL_SUCCESS)
      return {Outcome::DoesNotRun, "clEnqueueReadBuffer after the kernel returned " + std::to_string(status)};
    if (program.style == Style::Operators && i > 0)
      continue; // the input
    const std::string difference = program.style == Style::Operators ? differenceOfWords(program, got, expected[i])
                                                                     : differenceOfBytes(program, i, got, expected[i]);
    if (!difference.empty())
      return {Outcome::Differs, difference};
  }
  return {};
}

} // namespace kiln::differential
