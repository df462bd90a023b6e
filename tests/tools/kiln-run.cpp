// kiln-run: runs one kernel of a file on every device of a platform and prints its output buffers, for FileCheck.
//
//   kiln-run k.cl KERNEL --global=64 --local=16 out:i32[64] in:f32[64]=iota i32=5 local=256
//
// Arguments, in the kernel's order:
//   out:TYPE[N]           a buffer of zeros, printed at the end       inout:TYPE[N]=INIT  a filled buffer, printed at
//   the end in:TYPE[N]=INIT       a filled buffer, not printed                TYPE=VALUE          a scalar local=BYTES
//   a local buffer
//   new:TYPE[N]           a buffer without initial contents, printed at the end
// TYPE is i8 u8 i16 u16 i32 u32 i64 u64 f32 f64. INIT is `iota`, one value for all elements, or a comma-separated list
// of values, which is repeated. A file named *.spv is passed to clCreateProgramWithIL. With --device-queue the kernel
// may enqueue blocks to a default queue.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "kiln-run: %s\n", message.c_str());
  std::exit(1);
}
void check(cl_int code, const char *what) {
  if (code != CL_SUCCESS)
    fail(std::string(what) + " returned " + std::to_string(code));
}

struct Type {
  const char *name;
  size_t bytes;
  char kind; // i, u, f
};
const Type Types[] = {{"i8", 1, 'i'},  {"u8", 1, 'u'},  {"i16", 2, 'i'}, {"u16", 2, 'u'}, {"i32", 4, 'i'},
                      {"u32", 4, 'u'}, {"i64", 8, 'i'}, {"u64", 8, 'u'}, {"f32", 4, 'f'}, {"f64", 8, 'f'}};
const Type &type(const std::string &name) {
  for (const Type &known : Types)
    if (name == known.name)
      return known;
  fail("unknown type '" + name + "'");
}

std::string bytesOf(const Type &type, const std::string &text) {
  std::string bytes(type.bytes, '\0');
  if (type.kind == 'f' && type.bytes == 4) {
    float value = std::strtof(text.c_str(), nullptr);
    std::memcpy(bytes.data(), &value, 4);
  } else if (type.kind == 'f') {
    double value = std::strtod(text.c_str(), nullptr);
    std::memcpy(bytes.data(), &value, 8);
  } else {
    unsigned long long value =
        text[0] == '-' ? std::strtoll(text.c_str(), nullptr, 0) : std::strtoull(text.c_str(), nullptr, 0);
    std::memcpy(bytes.data(), &value, type.bytes); // little-endian
  }
  return bytes;
}

std::string show(const Type &type, const char *bytes) {
  char text[64];
  if (type.kind == 'f') {
    float single;
    double value;
    if (type.bytes == 4)
      std::memcpy(&single, bytes, 4), value = single;
    else
      std::memcpy(&value, bytes, 8);
    std::snprintf(text, sizeof text, "%.*g", type.bytes == 4 ? 9 : 17, value);
    return text;
  }
  unsigned long long value = 0;
  std::memcpy(&value, bytes, type.bytes);
  if (type.kind == 'u')
    return std::to_string(value);
  unsigned shift = 64 - 8 * type.bytes;
  return std::to_string(static_cast<long long>(value << shift) >> shift);
}

struct Argument {
  enum { Scalar, Local, Buffer } form;
  const Type *type = nullptr;
  std::string bytes; // initial content
  bool printed = false, isFilled = true;
  cl_mem buffer = nullptr;
};

Argument parse(const std::string &text) {
  Argument argument{};
  size_t colon = text.find(':'), equals = text.find('='), bracket = text.find('[');
  std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (colon == std::string::npos || colon > equals) {
    if (equals == std::string::npos)
      fail("argument '" + text + "' has no value");
    std::string name = text.substr(0, equals);
    argument.form = name == "local" ? Argument::Local : Argument::Scalar;
    if (argument.form == Argument::Local)
      argument.bytes.resize(std::stoul(value));
    else
      argument.bytes = bytesOf(type(name), value);
    return argument;
  }
  if (bracket == std::string::npos)
    fail("buffer '" + text + "' has no length");
  argument.form = Argument::Buffer;
  std::string role = text.substr(0, colon);
  argument.printed = role != "in";
  argument.isFilled = role != "new";
  argument.type = &type(text.substr(colon + 1, bracket - colon - 1));
  size_t count = std::stoul(text.substr(bracket + 1));
  std::vector<std::string> values;
  std::stringstream stream(value.empty() ? "0" : value);
  for (std::string item; std::getline(stream, item, ',');)
    values.push_back(item);
  for (size_t i = 0; i < count; ++i)
    argument.bytes += bytesOf(*argument.type, value == "iota" ? std::to_string(i) : values[i % values.size()]);
  return argument;
}

std::vector<size_t> sizes(const std::string &text) {
  std::vector<size_t> list;
  std::stringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');)
    list.push_back(std::stoul(item));
  return list;
}
} // namespace

int main(int argc, char **argv) {
  std::string path, name, options, platformName = "Kiln";
  std::vector<size_t> global{1}, local, offset;
  std::vector<Argument> arguments;
  bool enqueues = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto flag = [&](const char *prefix) {
      size_t length = std::strlen(prefix);
      return word.compare(0, length, prefix) == 0 ? argv[i] + length : nullptr;
    };
    if (auto text = flag("--global="))
      global = sizes(text);
    else if (auto text = flag("--local="))
      local = sizes(text);
    else if (auto text = flag("--offset="))
      offset = sizes(text);
    else if (auto text = flag("--options="))
      options = text;
    else if (auto text = flag("--platform="))
      platformName = text;
    else if (word == "--device-queue")
      enqueues = true;
    else if (path.empty())
      path = word;
    else if (name.empty())
      name = word;
    else
      arguments.push_back(parse(word));
  }
  if (name.empty())
    fail("usage: kiln-run FILE KERNEL [--global=X,Y,Z] [--local=...] [--offset=...] [--options=...] "
         "[--device-queue] ARGUMENT...");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail("cannot read " + path);
  std::string source((std::istreambuf_iterator<char>(file)), {});

  cl_platform_id platforms[16];
  cl_uint count = 0;
  check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
  cl_platform_id platform = nullptr;
  for (cl_uint i = 0; i < count && !platform; ++i) {
    char text[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, nullptr);
    if (std::strstr(text, platformName.c_str()))
      platform = platforms[i];
  }
  if (!platform)
    fail("no platform's name contains '" + platformName + "'");
  cl_device_id devices[16];
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count), "clGetDeviceIDs");

  for (cl_uint d = 0; d < count && d < 16; ++d) {
    cl_int code;
    cl_context context = clCreateContext(nullptr, 1, &devices[d], nullptr, nullptr, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, devices[d], nullptr, &code);
    check(code, "clCreateCommandQueueWithProperties");
    cl_command_queue deviceQueue = nullptr;
    if (enqueues) {
      const cl_queue_properties properties[] = {
          CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
          0};
      deviceQueue = clCreateCommandQueueWithProperties(context, devices[d], properties, &code);
      check(code, "clCreateCommandQueueWithProperties of a device queue");
    }
    const char *text = source.data();
    size_t length = source.size();
    bool il = path.size() > 4 && path.compare(path.size() - 4, 4, ".spv") == 0;
    cl_program program = il ? clCreateProgramWithIL(context, text, length, &code)
                            : clCreateProgramWithSource(context, 1, &text, &length, &code);
    check(code, "clCreateProgram");
    code = clBuildProgram(program, 1, &devices[d], options.c_str(), nullptr, nullptr);
    size_t logSize = 0;
    clGetProgramBuildInfo(program, devices[d], CL_PROGRAM_BUILD_LOG, 0, nullptr, &logSize);
    std::string log(logSize, '\0');
    clGetProgramBuildInfo(program, devices[d], CL_PROGRAM_BUILD_LOG, logSize, log.data(), nullptr);
    if (logSize > 1)
      std::printf("build log:\n%s\n", log.c_str());
    check(code, "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, name.c_str(), &code);
    check(code, "clCreateKernel");
    for (cl_uint i = 0; i < arguments.size(); ++i) {
      Argument &argument = arguments[i];
      if (argument.form == Argument::Buffer) {
        argument.buffer = clCreateBuffer(context, argument.isFilled ? CL_MEM_COPY_HOST_PTR : 0, argument.bytes.size(),
                                         argument.isFilled ? argument.bytes.data() : nullptr, &code);
        check(code, "clCreateBuffer");
        code = clSetKernelArg(kernel, i, sizeof(cl_mem), &argument.buffer);
      } else {
        code = clSetKernelArg(kernel, i, argument.bytes.size(),
                              argument.form == Argument::Local ? nullptr : argument.bytes.data());
      }
      check(code, ("clSetKernelArg of argument " + std::to_string(i)).c_str());
    }
    check(clEnqueueNDRangeKernel(queue, kernel, global.size(), offset.empty() ? nullptr : offset.data(), global.data(),
                                 local.empty() ? nullptr : local.data(), 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    for (cl_uint i = 0; i < arguments.size(); ++i) {
      Argument &argument = arguments[i];
      if (argument.form != Argument::Buffer)
        continue;
      if (argument.printed) {
        std::string bytes(argument.bytes.size(), '\0');
        check(clEnqueueReadBuffer(queue, argument.buffer, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
        std::printf("device %u, argument %u:", d, i);
        for (size_t at = 0; at < bytes.size(); at += argument.type->bytes)
          std::printf(" %s", show(*argument.type, bytes.data() + at).c_str());
        std::printf("\n");
      }
      clReleaseMemObject(argument.buffer);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    if (deviceQueue)
      clReleaseCommandQueue(deviceQueue);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  return 0;
}
