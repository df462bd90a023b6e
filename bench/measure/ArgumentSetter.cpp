// Pipes.h and DeviceQueues.h must be before any other OpenCL header.
#include "bench/opencl/DeviceQueues.h"
#include "bench/opencl/Pipes.h"

#include "bench/measure/ArgumentSetter.h"
#include <map>

namespace bench {
namespace {

std::string argumentText(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what) {
  size_t size = 0;
  check(clGetKernelArgInfo(kernel, index, what, 0, nullptr, &size), "clGetKernelArgInfo");
  std::string text(size, '\0');
  check(clGetKernelArgInfo(kernel, index, what, size, text.data(), nullptr), "clGetKernelArgInfo");
  text.resize(size ? size - 1 : 0); // without the terminator
  return text;
}

template <typename Value> Value argumentValue(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what) {
  Value value{};
  check(clGetKernelArgInfo(kernel, index, what, sizeof value, &value, nullptr), "clGetKernelArgInfo");
  return value;
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

size_t product(const std::vector<size_t> &sizes) {
  size_t all = 1;
  for (size_t size : sizes)
    all *= size;
  return all;
}

} // namespace

size_t LaunchSize::items() const { return product(global); }
size_t LaunchSize::groupItems() const { return local.empty() ? 0 : product(local); }

void ArgumentSetter::setAll(const std::vector<std::string> &given) {
  cl_uint count = 0;
  check(clGetKernelInfo(kernel_, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr), "clGetKernelInfo");
  if (shared_.memory.empty())
    shared_.memory.resize(count);
  if (shared_.memory.size() != count)
    throw std::runtime_error("the kernel has " + std::to_string(count) + " arguments, that of the first source " +
                             std::to_string(shared_.memory.size()));
  std::map<cl_uint, std::string> values = assign(kernel_, count, given);
  for (cl_uint i = 0; i < count; ++i)
    set(i, values.contains(i) ? values[i] : "");
}

void ArgumentSetter::set(cl_uint index, const std::string &value) {
  type_ = argumentText(kernel_, index, CL_KERNEL_ARG_TYPE_NAME);
  words_ =
      "argument " + std::to_string(index) + " (" + type_ + " " + argumentText(kernel_, index, CL_KERNEL_ARG_NAME) + ")";
  const auto space = argumentValue<cl_kernel_arg_address_qualifier>(kernel_, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER);
  const auto qualifier = argumentValue<cl_kernel_arg_type_qualifier>(kernel_, index, CL_KERNEL_ARG_TYPE_QUALIFIER);
  isReadOnly_ = space == CL_KERNEL_ARG_ADDRESS_CONSTANT || qualifier & CL_KERNEL_ARG_TYPE_CONST ||
                (isImage(type_) &&
                 argumentValue<cl_kernel_arg_access_qualifier>(kernel_, index, CL_KERNEL_ARG_ACCESS_QUALIFIER) ==
                     CL_KERNEL_ARG_ACCESS_READ_ONLY);
  if (isImage(type_))
    setImage(index, value);
  else if (type_ == "sampler_t")
    setSampler(index, value);
  else if (type_ == "queue_t")
    setQueue(index, value);
  else if (qualifier & CL_KERNEL_ARG_TYPE_PIPE)
    setPipe(index, value);
  else if (space == CL_KERNEL_ARG_ADDRESS_PRIVATE)
    setNumber(index, value);
  else if (space == CL_KERNEL_ARG_ADDRESS_LOCAL)
    setLocal(index, value);
  else
    setBuffer(index, value);
}

void ArgumentSetter::setNumber(cl_uint index, const std::string &value) {
  const std::optional<Element> element = elementOf(type_);
  std::string bytes, shown;
  if (namesBytes(value)) {
    bytes = parseBytes(value);
    shown = std::to_string(bytes.size()) + " bytes, " + value;
  } else if (!element) {
    throw std::runtime_error(words_ + " is neither a number nor a vector; --arg " + std::to_string(index) +
                             "=bytes:HEX or file:PATH gives its bytes, and KILN_CAPTURE captures a launch with it");
  } else {
    std::vector<double> numbers;
    if (!value.empty())
      numbers = parseNumbers(value);
    else if (element->isFloat)
      numbers = {1};
    else
      numbers = {double(size_.global[integers_ < size_.global.size() ? integers_ : 0])}, ++integers_;
    bytes = bytesOf(*element, numbers, words_);
    char first[32];
    std::snprintf(first, sizeof first, "%.9g", numbers[0]);
    shown = first;
  }
  const cl_int code = clSetKernelArg(kernel_, index, bytes.size(), bytes.data());
  if (code == CL_INVALID_ARG_SIZE)
    throw std::runtime_error(words_ + " has another size than the " + std::to_string(bytes.size()) + " bytes of --arg");
  check(code, "clSetKernelArg");
  describe(shown);
}

void ArgumentSetter::setLocal(cl_uint index, const std::string &value) {
  const std::optional<Element> element = elementOf(type_);
  const size_t count = value.empty() ? size_.groupItems() : parseFill(value).count.of(size_.groupItems());
  if (!count)
    throw std::runtime_error(words_ + " is a pointer to local memory: --local or --arg " + std::to_string(index) +
                             "=zero:COUNT must give its size");
  if (!element && value.empty())
    throw std::runtime_error(words_ + " points to elements of unknown size; --arg " + std::to_string(index) +
                             "=zero:COUNT must give its size in bytes");
  const size_t bytes = count * (element ? element->bytes() : 1);
  check(clSetKernelArg(kernel_, index, bytes, nullptr), "clSetKernelArg");
  describe(std::to_string(bytes) + " bytes of local memory");
}

void ArgumentSetter::setBuffer(cl_uint index, const std::string &value) {
  const std::optional<Element> element = elementOf(type_);
  std::string content, shown;
  if (namesBytes(value)) {
    content = parseBytes(value);
    shown = std::to_string(content.size()) + " bytes, " + value.substr(0, 60);
  } else {
    if (!value.empty() && value.find_first_not_of("0123456789.,-+e") == std::string::npos)
      throw std::runtime_error(words_ + " is a pointer, --arg is '" + value + "', must be random, zero or iota");
    FillSpec spec = value.empty() ? FillSpec() : parseFill(value);
    if (!element && !spec.count.number)
      throw std::runtime_error(words_ + " points to elements of unknown size; --arg " + std::to_string(index) +
                               "=zero:COUNT (bytes), file:PATH or bytes:HEX gives its content, and KILN_CAPTURE "
                               "captures a launch with it");
    if (spec.fill.empty())
      spec.fill = element->isFloat ? "random" : "iota";
    const size_t count = spec.count.number ? spec.count.of(size_.items()) : size_.items();
    content = filled(element ? *element : *elementOf("uchar"), spec.fill, count);
    shown = std::to_string(count) + (element ? " elements, " : " bytes, ") + spec.fill;
  }
  ArgumentMemory &one = shared_.memory[index];
  if (!one.memory) {
    one.words = words_, one.element = element, one.content = std::move(content);
    createBuffer(session_, one);
  } else if (one.content.size() != content.size()) {
    throw std::runtime_error(words_ + " has another size than in the first source");
  }
  cl_mem memory = one.memory;
  check(clSetKernelArg(kernel_, index, sizeof memory, &memory), "clSetKernelArg");
  (isReadOnly_ ? readBytes_ : writtenBytes_) += one.content.size();
  describe(shown);
}

void ArgumentSetter::setImage(cl_uint index, const std::string &value) {
  const ImageSpec spec = parseImage(value.empty() ? "random" : value);
  ArgumentMemory &one = shared_.memory[index];
  if (!one.memory) {
    one.words = words_;
    one.image = imageShape(type_, spec, size_.global, words_);
    one.content = filledImage(*one.image, spec.fill);
    createImage(session_, one);
  }
  cl_mem memory = one.memory;
  const cl_int code = clSetKernelArg(kernel_, index, sizeof memory, &memory);
  if (code == CL_INVALID_ARG_VALUE || code == CL_INVALID_MEM_OBJECT)
    throw std::runtime_error(words_ + " is another kind of image than in the first source");
  check(code, "clSetKernelArg");
  (isReadOnly_ ? readBytes_ : writtenBytes_) += one.content.size();
  const size_t *extent = one.image->extent;
  describe(std::to_string(extent[0]) + "x" + std::to_string(extent[1]) + "x" + std::to_string(extent[2]) + " of " +
           nameOf(one.image->format) + ", " + spec.fill);
}

void ArgumentSetter::setSampler(cl_uint index, const std::string &value) {
  const SamplerSpec spec = value.empty() ? SamplerSpec() : parseSampler(value);
  shared_.samplers.push_back(createSampler(session_, spec));
  cl_sampler sampler = shared_.samplers.back();
  check(clSetKernelArg(kernel_, index, sizeof sampler, &sampler), "clSetKernelArg");
  describe(std::string(spec.linear ? "linear, " : "nearest, ") + spec.addressing +
           (spec.normalized ? ", normalized" : ""));
}

// A pipe keeps its packets from launch to launch. Each variant gets separate pipes, so that no variant reads packets of
// another one.
void ArgumentSetter::setPipe(cl_uint index, const std::string &value) {
  const std::optional<Element> element = elementOf(type_);
  if (!element)
    throw std::runtime_error(words_ + " has packets of unknown size; KILN_CAPTURE captures a launch with it");
  const FillSpec spec = value.empty() ? FillSpec{"zero", {1, /*perItem=*/true}} : parseFill(value);
  const size_t packets = spec.count.of(size_.items());
  if (!packets || spec.fill != "zero")
    throw std::runtime_error(words_ + " is a pipe, --arg is '" + value + "', must be zero:COUNT, a number of packets");
  shared_.pipes.push_back(createPipe(session_, element->bytes(), packets));
  cl_mem pipe = shared_.pipes.back();
  check(clSetKernelArg(kernel_, index, sizeof pipe, &pipe), "clSetKernelArg");
  describe("a pipe of " + std::to_string(packets) + " packets, empty before the first launch");
}

void ArgumentSetter::setQueue(cl_uint index, const std::string &value) {
  if (!value.empty())
    throw std::runtime_error(words_ + " is a device queue, and takes no --arg");
  if (!shared_.deviceQueue)
    shared_.deviceQueue = createDeviceQueue(session_);
  cl_command_queue queue = shared_.deviceQueue;
  check(clSetKernelArg(kernel_, index, sizeof queue, &queue), "clSetKernelArg");
  describe("the default device queue");
}

} // namespace bench
