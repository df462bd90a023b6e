#include "bench/measure/SharedArguments.h"

namespace bench {
namespace {

constexpr size_t Origin[3] = {};

void write(const Session &session, const ArgumentMemory &one) {
  if (one.image)
    check(clEnqueueWriteImage(session.queue, one.memory, CL_TRUE, Origin, one.image->extent, 0, 0, one.content.data(),
                              0, nullptr, nullptr),
          "clEnqueueWriteImage");
  else
    check(clEnqueueWriteBuffer(session.queue, one.memory, CL_TRUE, 0, one.content.size(), one.content.data(), 0,
                               nullptr, nullptr),
          "clEnqueueWriteBuffer");
}

std::string read(const Session &session, const ArgumentMemory &one) {
  std::string bytes(one.content.size(), '\0');
  if (one.image)
    check(clEnqueueReadImage(session.queue, one.memory, CL_TRUE, Origin, one.image->extent, 0, 0, bytes.data(), 0,
                             nullptr, nullptr),
          "clEnqueueReadImage");
  else
    check(clEnqueueReadBuffer(session.queue, one.memory, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  return bytes;
}

} // namespace

void createBuffer(const Session &session, ArgumentMemory &memory) {
  memory.memory = session.buffer(memory.content.size());
  write(session, memory);
}

void createImage(const Session &session, ArgumentMemory &memory) {
  const ImageShape &shape = *memory.image;
  cl_image_desc description{};
  description.image_type = shape.type;
  description.image_width = shape.extent[0];
  if (shape.type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
    description.image_array_size = shape.extent[1];
  else if (shape.type != CL_MEM_OBJECT_IMAGE1D && shape.type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
    description.image_height = shape.extent[1];
  if (shape.type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
    description.image_array_size = shape.extent[2];
  if (shape.type == CL_MEM_OBJECT_IMAGE3D)
    description.image_depth = shape.extent[2];
  if (shape.type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
    memory.storage = session.buffer(shape.bytes());
    description.buffer = memory.storage;
  }
  cl_int code = CL_SUCCESS;
  memory.memory = clCreateImage(session.context, CL_MEM_READ_WRITE, &shape.format, &description, nullptr, &code);
  if (code != CL_SUCCESS)
    throw std::runtime_error(memory.words + ": the device has no such image (" + nameOf(shape.format) + ", " +
                             std::to_string(shape.extent[0]) + "x" + std::to_string(shape.extent[1]) + "x" +
                             std::to_string(shape.extent[2]) + "): " + failureOf("clCreateImage", code));
  write(session, memory);
}

Sampler createSampler(const Session &session, const SamplerSpec &spec) {
  static constexpr std::pair<const char *, cl_addressing_mode> modes[] = {
      {"none", CL_ADDRESS_NONE},
      {"clamp", CL_ADDRESS_CLAMP},
      {"clamp_to_edge", CL_ADDRESS_CLAMP_TO_EDGE},
      {"repeat", CL_ADDRESS_REPEAT},
      {"mirrored_repeat", CL_ADDRESS_MIRRORED_REPEAT}};
  cl_addressing_mode addressing = CL_ADDRESS_NONE;
  for (auto [name, mode] : modes)
    if (spec.addressing == name)
      addressing = mode;
  cl_int code = CL_SUCCESS;
  Sampler sampler = clCreateSampler(session.context, spec.normalized, addressing,
                                    spec.linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &code);
  check(code, "clCreateSampler");
  return sampler;
}

void restore(const Session &session, const SharedArguments &shared) {
  for (const ArgumentMemory &one : shared.memory)
    if (one.memory)
      write(session, one);
}

std::vector<std::string> contents(const Session &session, const SharedArguments &shared) {
  std::vector<std::string> all;
  for (const ArgumentMemory &one : shared.memory)
    all.push_back(one.memory ? read(session, one) : std::string());
  return all;
}

} // namespace bench
