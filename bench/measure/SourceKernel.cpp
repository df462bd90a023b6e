#include "bench/measure/SourceKernel.h"
#include "bench/measure/Elements.h"
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>

namespace bench {
namespace {

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string argumentText(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what) {
  size_t size = 0;
  check(clGetKernelArgInfo(kernel, index, what, 0, nullptr, &size), "clGetKernelArgInfo");
  std::string text(size, '\0');
  check(clGetKernelArgInfo(kernel, index, what, size, text.data(), nullptr), "clGetKernelArgInfo");
  text.resize(size ? size - 1 : 0); // without the terminator
  return text;
}

/// The kernel to measure: the one that is named, or the only one.
std::string chooseKernel(cl_program program, const std::string &named) {
  if (!named.empty())
    return named;
  std::string names = text(clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES);
  if (names.empty())
    throw std::runtime_error("the source has no kernel");
  if (names.find(';') != std::string::npos)
    throw std::runtime_error("the source has several kernels (" + names + "); --kernel chooses one");
  return names;
}

/// The value of each argument by its index, as given with --arg: by name, by number, or in order.
std::map<cl_uint, std::string> assign(cl_kernel kernel, cl_uint count, const std::vector<std::string> &given) {
  std::map<cl_uint, std::string> values;
  cl_uint next = 0;
  for (const std::string &text : given) {
    auto [name, value] = splitArgument(text);
    cl_uint index = name.empty() ? next++ : count;
    for (cl_uint i = 0; i < count && !name.empty(); ++i)
      if (name == std::to_string(i) || name == argumentText(kernel, i, CL_KERNEL_ARG_NAME))
        index = i;
    if (index >= count)
      throw std::runtime_error("--arg is '" + text + "', and the kernel has " +
                               (name.empty() ? "only " + std::to_string(count) + " arguments" : "no argument " + name));
    values[index] = value;
  }
  return values;
}

} // namespace

SourceKernel::SourceKernel(const Session &session, const Source &source, const Request &request, SharedBuffers &buffers)
    : session_(session), global_(request.global), local_(request.local) {
  if (global_.empty())
    global_ = {size_t(1) << 20};
  program_ = session.build(contentOf(source.path), (source.options + " -cl-kernel-arg-info").c_str());
  name_ = chooseKernel(program_, request.kernel);
  kernel_ = session.kernel(program_, name_.c_str());
  cl_uint count = 0;
  check(clGetKernelInfo(kernel_, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr), "clGetKernelInfo");
  if (buffers.all.empty())
    buffers.all.resize(count);
  if (buffers.all.size() != count)
    throw std::runtime_error(source.path + ": kernel " + name_ + " has " + std::to_string(count) +
                             " arguments, that of the first source " + std::to_string(buffers.all.size()));
  std::map<cl_uint, std::string> given = assign(kernel_, count, request.arguments);
  for (cl_uint i = 0; i < count; ++i)
    set(i, given.contains(i) ? given[i] : "", request, buffers);
}

void SourceKernel::set(cl_uint index, const std::string &text, const Request &request, SharedBuffers &buffers) {
  cl_kernel_arg_address_qualifier space = 0;
  check(clGetKernelArgInfo(kernel_, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr),
        "clGetKernelArgInfo");
  const std::string type = argumentText(kernel_, index, CL_KERNEL_ARG_TYPE_NAME);
  const std::string words =
      "argument " + std::to_string(index) + " (" + type + " " + argumentText(kernel_, index, CL_KERNEL_ARG_NAME) + ")";
  const std::optional<Element> element = elementOf(type);
  if (!element)
    throw std::runtime_error(words + " is neither a number nor a vector nor a pointer to one; KILN_CAPTURE captures a "
                                     "launch with such arguments");
  ArgumentSpec spec = text.empty() ? ArgumentSpec() : parseArgument(text);
  size_t items = 1, groupItems = 1;
  for (size_t size : global_)
    items *= size;
  for (size_t size : local_)
    groupItems *= size;
  if (space == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
    if (!spec.fill.empty())
      throw std::runtime_error(words + " is a number, --arg is '" + text + "'");
    if (spec.numbers.empty()) {
      const size_t dimension = element->isFloat ? 0 : numbers_++;
      spec.numbers = {element->isFloat ? 1.0 : double(global_[dimension < global_.size() ? dimension : 0])};
    }
    const std::string bytes = bytesOf(*element, spec.numbers, words);
    check(clSetKernelArg(kernel_, index, bytes.size(), bytes.data()), "clSetKernelArg");
    char value[32];
    std::snprintf(value, sizeof value, "%.9g", spec.numbers[0]);
    description_.push_back(words + ": " + value);
    return;
  }
  if (!spec.numbers.empty())
    throw std::runtime_error(words + " is a pointer, --arg is '" + text + "', must be random, zero or iota");
  if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
    if (!spec.count && local_.empty())
      throw std::runtime_error(words + " is a pointer to local memory: --local or --arg " + std::to_string(index) +
                               "=zero:COUNT must give its size");
    const size_t bytes = (spec.count ? spec.count : groupItems) * element->bytes();
    check(clSetKernelArg(kernel_, index, bytes, nullptr), "clSetKernelArg");
    description_.push_back(words + ": " + std::to_string(bytes) + " bytes of local memory");
    return;
  }
  if (spec.fill.empty())
    spec.fill = element->isFloat ? "random" : "iota";
  SharedBuffers::One &buffer = buffers.all[index];
  const size_t count = spec.count ? spec.count : items;
  if (!buffer.memory) {
    buffer.content = filled(*element, spec.fill, count);
    buffer.memory = session_.buffer(buffer.content.size());
  } else if (buffer.content.size() != count * element->bytes()) {
    throw std::runtime_error(words + " has another size than in the first source");
  }
  cl_mem memory = buffer.memory;
  check(clSetKernelArg(kernel_, index, sizeof memory, &memory), "clSetKernelArg");
  bytes_ += buffer.content.size();
  description_.push_back(words + ": " + std::to_string(count) + " elements, " + spec.fill);
}

double SourceKernel::run(unsigned launches) const {
  const auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < launches; ++i)
    check(clEnqueueNDRangeKernel(session_.queue, kernel_, cl_uint(global_.size()), nullptr, global_.data(),
                                 local_.empty() ? nullptr : local_.data(), 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  session_.finish();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void SourceKernel::restore(const SharedBuffers &buffers) const {
  for (const SharedBuffers::One &buffer : buffers.all)
    if (buffer.memory)
      check(clEnqueueWriteBuffer(session_.queue, buffer.memory, CL_TRUE, 0, buffer.content.size(),
                                 buffer.content.data(), 0, nullptr, nullptr),
            "clEnqueueWriteBuffer");
}

std::string SourceKernel::result(const SharedBuffers &buffers) const {
  restore(buffers);
  run(1);
  std::string all;
  for (const SharedBuffers::One &buffer : buffers.all) {
    if (!buffer.memory)
      continue;
    const size_t begin = all.size();
    all.resize(begin + buffer.content.size());
    check(clEnqueueReadBuffer(session_.queue, buffer.memory, CL_TRUE, 0, buffer.content.size(), all.data() + begin, 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
  }
  return all;
}

} // namespace bench
