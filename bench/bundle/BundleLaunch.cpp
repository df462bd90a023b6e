#define CL_USE_DEPRECATED_OPENCL_1_2_APIS // clCreateSampler, which every platform has
#define CL_TARGET_OPENCL_VERSION 300
#include "bench/bundle/BundleLaunch.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace bench {
namespace {

using Argument = Bundle::Argument;

bool reachesAllMemory(cl_device_id device) {
  cl_device_svm_capabilities capabilities = 0;
  return clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, nullptr) ==
             CL_SUCCESS &&
         capabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
}

bool takesSpirv(cl_device_id device) {
  size_t size = 0;
  return clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, 0, nullptr, &size) == CL_SUCCESS && size > 1;
}

/// The pixels of an image in each dimension, as clEnqueue*Image counts them.
std::array<size_t, 3> pixelsOf(const Argument &image) {
  switch (image.type) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    return {image.width, image.arraySize, 1};
  case CL_MEM_OBJECT_IMAGE2D:
    return {image.width, image.height, 1};
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    return {image.width, image.height, image.arraySize};
  case CL_MEM_OBJECT_IMAGE3D:
    return {image.width, image.height, image.depth};
  default:
    return {image.width, 1, 1};
  }
}

/// Pitches of clEnqueue*Image: those that the image does not have are 0.
std::pair<size_t, size_t> pitchesOf(const Argument &image) {
  switch (image.type) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    return {image.slicePitch, 0}; // the layers of a 1D array take the place of rows
  case CL_MEM_OBJECT_IMAGE2D:
    return {image.rowPitch, 0};
  case CL_MEM_OBJECT_IMAGE1D:
    return {0, 0};
  default:
    return {image.rowPitch, image.slicePitch};
  }
}

/// Throws unless all pixels, as clEnqueueReadImage and clEnqueueWriteImage place them, are in the image's bytes. The
/// shape is a bundle's, which may be of anyone.
void checkExtent(cl_mem memory, const Argument &image, cl_uint index) {
  size_t pixel = 0;
  check(clGetImageInfo(memory, CL_IMAGE_ELEMENT_SIZE, sizeof pixel, &pixel, nullptr), "clGetImageInfo");
  const auto [width, height, depth] = pixelsOf(image);
  auto [row, slice] = pitchesOf(image);
  bool fits = width && height && depth; // clCreateImage has checked their products
  row = row ? row : width * pixel;
  slice = slice ? slice : row * height;
  size_t rows = 0, slices = 0, end = 0;
  fits = fits && !__builtin_mul_overflow(row, height - 1, &rows) &&
         !__builtin_mul_overflow(slice, depth - 1, &slices) && !__builtin_add_overflow(rows, slices, &end) &&
         !__builtin_add_overflow(end, width * pixel, &end);
  if (!fits || end > image.size)
    throw std::runtime_error("the image of argument " + std::to_string(index) + " has more pixels than its " +
                             std::to_string(image.size) + " bytes in the bundle");
}

} // namespace

/// Memory of the launch: a buffer, an image, or memory that pointers name.
struct BundleLaunch::Object {
  enum class Kind { Buffer, Image, Host, Svm } kind;
  uint64_t address, size;
  cl_uint index; // of the first argument
  Mem memory{};
  Argument image{Argument::Kind::Null};
  std::byte *svm = nullptr;

  /// The ranges of the bundle that the object contains.
  template <typename Use> void eachRange(const Bundle &bundle, Use use) const {
    for (const Bundle::Range &range : bundle.memory)
      if (range.address >= address && range.address + range.size <= address + size)
        use(range, range.address - address);
  }
  const Bundle::Range &imageRange(const Bundle &bundle) const {
    const Bundle::Range *range = bundle.find(address, size);
    if (!range)
      throw std::runtime_error("the bundle does not have the memory of argument " + std::to_string(index));
    return *range;
  }
};

BundleLaunch::BundleLaunch(const Bundle &bundle, const PlacedMemory &memory, cl_device_id device, Input input)
    : bundle_(bundle), memory_(memory), session_(device) {
  cl_device_type type = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr), "clGetDeviceInfo");
  onHost_ = type & CL_DEVICE_TYPE_CPU;
  sharesAllMemory_ = reachesAllMemory(device);
  relocates_ = bundle.followsPointers && !(sharesAllMemory_ && memory.atAddresses());
  if (!bundle.unknown.empty())
    throw std::runtime_error("the bundle does not have all memory of the launch: " + bundle.unknown);
  program_ = build(input);
  kernel_ = session_.kernel(program_, bundle.kernel.c_str());
  // Values come last: they may contain pointers to the memory of other arguments.
  for (cl_uint i = 0; i < bundle.arguments.size(); ++i)
    if (bundle.arguments[i].kind != Argument::Kind::Value)
      set(i, bundle.arguments[i]);
  if (bundle.followsPointers)
    placePointedMemory();
  for (cl_uint i = 0; i < bundle.arguments.size(); ++i)
    if (bundle.arguments[i].kind == Argument::Kind::Value)
      setValue(i, bundle.arguments[i]);
}

bool BundleLaunch::prefersBundleAddresses(const Bundle &bundle, cl_device_id device) {
  return bundle.followsPointers && reachesAllMemory(device);
}

bool BundleLaunch::isInObject(const Bundle::Range &range) const {
  return std::ranges::any_of(objects_, [&](const auto &object) {
    return range.address >= object->address && range.address - object->address < object->size;
  });
}

std::byte *BundleLaunch::sharedMemory(uint64_t size) {
  auto *made = static_cast<std::byte *>(clSVMAlloc(session_.context, CL_MEM_READ_WRITE, size, 0));
  if (!made)
    throw std::runtime_error("clSVMAlloc returned null for " + std::to_string(size) + " bytes");
  return made;
}

void BundleLaunch::placePointedMemory() {
  const auto after = cl_uint(bundle_.arguments.size());
  if (relocates_) {
    for (const Bundle::Range &range : bundle_.memory)
      if (!isInObject(range)) {
        objects_.push_back(std::make_unique<Object>(Object{Object::Kind::Svm, range.address, range.size, after}));
        objects_.back()->svm = sharedMemory(range.size);
      }
    std::vector<void *> pointers;
    for (const auto &object : objects_)
      if (object->svm) {
        relocation_.add(object->address, object->size, uint64_t(object->svm));
        pointers.push_back(object->svm);
      }
    for (const auto &object : objects_)
      if (object->svm)
        object->eachRange(bundle_, [&](const Bundle::Range &range, size_t) {
          std::string content = range.before;
          replacedWords_ += relocation_.replace(content);
          relocated_[&range] = std::move(content);
        });
    if (!pointers.empty())
      check(clSetKernelExecInfo(kernel_, CL_KERNEL_EXEC_INFO_SVM_PTRS, pointers.size() * sizeof pointers[0],
                                pointers.data()),
            "clSetKernelExecInfo");
    return;
  }
  const bool onlyObjects = std::ranges::all_of(bundle_.memory, [&](const Bundle::Range &range) {
    return std::ranges::any_of(objects_, [&](const auto &object) {
      return object->kind != Object::Kind::Host && range.address >= object->address &&
             range.address - object->address < object->size;
    });
  });
  if (onlyObjects)
    return;
  const cl_bool yes = CL_TRUE;
  check(clSetKernelExecInfo(kernel_, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes),
        "clSetKernelExecInfo");
  for (const Bundle::Range &range : bundle_.memory)
    if (!isInObject(range))
      objects_.push_back(std::make_unique<Object>(Object{Object::Kind::Host, range.address, range.size, after}));
}

const std::string &BundleLaunch::contentOf(const Bundle::Range &range) const {
  return relocates_ ? relocated_.at(&range) : range.before;
}

BundleLaunch::~BundleLaunch() {
  clFinish(session_.queue);
  subBuffers_.clear();
  for (const auto &object : objects_)
    if (object->svm) {
      object->memory = {}; // a buffer in this memory
      clSVMFree(session_.context, object->svm);
    }
}

Program BundleLaunch::build(Input input) const {
  if (input == Input::SourceIfAny && !bundle_.source.empty())
    return session_.build(bundle_.source, bundle_.options.c_str());
  if (!takesSpirv(session_.device))
    throw std::runtime_error(bundle_.source.empty() ? "the device takes no SPIR-V, and the bundle has no source"
                                                    : "the device takes no SPIR-V");
  cl_int code = CL_SUCCESS;
  Program program = clCreateProgramWithIL(session_.context, bundle_.spirv.data(), bundle_.spirv.size(), &code);
  check(code, "clCreateProgramWithIL");
  for (const Bundle::SpecConstant &constant : bundle_.specConstants)
    check(clSetProgramSpecializationConstant(program, constant.id, constant.value.size(), constant.value.data()),
          "clSetProgramSpecializationConstant");
  buildProgram(session_.device, program, bundle_.codeOptions.c_str());
  return program;
}

void BundleLaunch::set(cl_uint index, const Argument &argument) {
  switch (argument.kind) {
  case Argument::Kind::Buffer:
    return setBuffer(index, argument);
  case Argument::Kind::Pointer:
    return setPointer(index, argument);
  case Argument::Kind::Image:
    return setImage(index, argument);
  case Argument::Kind::Sampler: {
    cl_int code = CL_SUCCESS;
    cl_sampler sampler = clCreateSampler(session_.context, argument.normalized, argument.addressing,
                                         argument.linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &code);
    check(code, "clCreateSampler");
    samplers_.emplace_back(sampler);
    return check(clSetKernelArg(kernel_, index, sizeof sampler, &sampler), "clSetKernelArg");
  }
  case Argument::Kind::Local:
    return check(clSetKernelArg(kernel_, index, argument.size, nullptr), "clSetKernelArg");
  case Argument::Kind::Value:
    return setValue(index, argument);
  case Argument::Kind::Null:
    return check(clSetKernelArg(kernel_, index, sizeof(cl_mem), nullptr), "clSetKernelArg");
  case Argument::Kind::Pipe:
    throw std::runtime_error("argument " + std::to_string(index) + " is a pipe, which cannot be replayed");
  case Argument::Kind::Queue:
    throw std::runtime_error("argument " + std::to_string(index) + " is a device queue, which cannot be replayed");
  }
}

void BundleLaunch::setValue(cl_uint index, const Argument &argument) {
  std::string value = argument.value;
  if (relocates_)
    replacedWords_ += relocation_.replace(value);
  check(clSetKernelArg(kernel_, index, value.size(), value.data()), "clSetKernelArg");
}

cl_mem BundleLaunch::rootBuffer(uint64_t address, uint64_t size, cl_uint index) {
  for (const auto &object : objects_)
    if (object->kind == Object::Kind::Buffer && object->address == address && object->size == size)
      return object->memory;
  // With pointers to it, the buffer's address must be known. On a CPU it keeps its address.
  std::byte *shared = relocates_ ? sharedMemory(size) : nullptr;
  objects_.push_back(std::make_unique<Object>(Object{Object::Kind::Buffer, address, size, index}));
  objects_.back()->svm = shared;
  cl_int code = CL_SUCCESS;
  objects_.back()->memory =
      clCreateBuffer(session_.context,
                     CL_MEM_READ_WRITE | cl_mem_flags(onHost_ || shared ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR),
                     size, shared ? shared : memory_.at(address), &code);
  check(code, "clCreateBuffer");
  return objects_.back()->memory;
}

void BundleLaunch::setBuffer(cl_uint index, const Argument &argument) {
  cl_mem memory = rootBuffer(argument.address, argument.rootSize, index);
  if (argument.size != argument.rootSize) {
    cl_int code = CL_SUCCESS;
    const cl_buffer_region region{argument.offset, argument.size};
    memory = clCreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    check(code, "clCreateSubBuffer");
    subBuffers_.emplace_back(memory);
  }
  check(clSetKernelArg(kernel_, index, sizeof memory, &memory), "clSetKernelArg");
}

void BundleLaunch::setImage(cl_uint index, const Argument &argument) {
  Object object{Object::Kind::Image, argument.address, argument.size, index, {}, argument};
  (void)object.imageRange(bundle_); // the bundle has its bytes
  auto same = std::ranges::find_if(objects_, [&](const auto &other) {
    return other->kind == Object::Kind::Image && other->address == argument.address &&
           other->image.type == argument.type && other->image.order == argument.order &&
           other->image.channel == argument.channel;
  });
  if (same == objects_.end()) {
    const cl_image_format format{argument.order, argument.channel};
    cl_image_desc shape{};
    shape.image_type = argument.type;
    shape.image_width = argument.width;
    shape.image_height = argument.height;
    shape.image_depth = argument.depth;
    shape.image_array_size = argument.arraySize;
    const bool inBuffer = argument.type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    if (inBuffer)
      shape.buffer = rootBuffer(argument.address, argument.size, index);
    cl_int code = CL_SUCCESS;
    object.memory = clCreateImage(session_.context, CL_MEM_READ_WRITE, &format, &shape, nullptr, &code);
    check(code, "clCreateImage");
    if (!inBuffer) // restore() writes its pixels
      checkExtent(object.memory, argument, index);
    objects_.push_back(std::make_unique<Object>(std::move(object)));
    same = std::prev(objects_.end());
  }
  cl_mem image = (*same)->memory;
  check(clSetKernelArg(kernel_, index, sizeof image, &image), "clSetKernelArg");
}

void BundleLaunch::setPointer(cl_uint index, const Argument &argument) {
  const Bundle::Range *range = bundle_.find(argument.address);
  if (!range)
    throw std::runtime_error("argument " + std::to_string(index) + " is an address that is in no memory of the bundle");
  auto same = std::ranges::find_if(objects_, [&](const auto &object) {
    return (object->kind == Object::Kind::Svm || object->kind == Object::Kind::Host) &&
           object->address == range->address;
  });
  if (same == objects_.end()) {
    const bool inPlace = sharesAllMemory_ && !relocates_;
    Object object{inPlace ? Object::Kind::Host : Object::Kind::Svm, range->address, range->size, index};
    if (!inPlace)
      object.svm = sharedMemory(range->size);
    objects_.push_back(std::make_unique<Object>(std::move(object)));
    same = std::prev(objects_.end());
  }
  std::byte *begin = (*same)->svm ? (*same)->svm : memory_.at(range->address);
  check(clSetKernelArgSVMPointer(kernel_, index, begin + (argument.address - range->address)),
        "clSetKernelArgSVMPointer");
}

void BundleLaunch::restore() {
  const size_t origin[3] = {};
  for (const auto &object : objects_) {
    if (object->kind == Object::Kind::Image && object->image.type != CL_MEM_OBJECT_IMAGE1D_BUFFER) {
      auto [row, slice] = pitchesOf(object->image);
      const Bundle::Range &range = object->imageRange(bundle_);
      check(clEnqueueWriteImage(session_.queue, object->memory, CL_FALSE, origin, pixelsOf(object->image).data(), row,
                                slice, range.before.data() + (object->address - range.address), 0, nullptr, nullptr),
            "clEnqueueWriteImage");
      continue;
    }
    object->eachRange(bundle_, [&](const Bundle::Range &range, size_t offset) {
      if (object->kind == Object::Kind::Host)
        memory_.restore(range);
      else if (object->kind == Object::Kind::Svm)
        check(clEnqueueSVMMemcpy(session_.queue, CL_FALSE, object->svm + offset, contentOf(range).data(), range.size, 0,
                                 nullptr, nullptr),
              "clEnqueueSVMMemcpy");
      else if (object->kind == Object::Kind::Buffer)
        check(clEnqueueWriteBuffer(session_.queue, object->memory, CL_FALSE, offset, range.size,
                                   contentOf(range).data(), 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    });
  }
  finish();
}

void BundleLaunch::enqueue() {
  check(clEnqueueNDRangeKernel(session_.queue, kernel_, bundle_.workDim, bundle_.globalOffset.data(),
                               bundle_.globalSize.data(), bundle_.localSize.data(), 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
}

BundleLaunch::Comparison BundleLaunch::compare() {
  Comparison all;
  const size_t origin[3] = {};
  for (const auto &object : objects_) {
    auto add = [&](const Bundle::Range &range, const std::string &found) {
      const std::string &expected = range.expected();
      all.bytes += range.size;
      for (size_t i = 0; i < range.size; ++i) {
        if (found[i] == expected[i])
          continue;
        if (!all.different++) {
          char words[160];
          std::snprintf(words, sizeof words, "%s %u, byte %zu is 0x%02x, must be 0x%02x",
                        object->index < bundle_.arguments.size() ? "argument" : "memory after argument", object->index,
                        size_t(range.address - object->address) + i, unsigned(uint8_t(found[i])),
                        unsigned(uint8_t(expected[i])));
          all.first = words;
        }
      }
    };
    if (object->kind == Object::Kind::Image && object->image.type != CL_MEM_OBJECT_IMAGE1D_BUFFER) {
      const Bundle::Range &range = object->imageRange(bundle_);
      std::string found = range.expected(); // the bytes between rows are not the image's
      auto [row, slice] = pitchesOf(object->image);
      check(clEnqueueReadImage(session_.queue, object->memory, CL_TRUE, origin, pixelsOf(object->image).data(), row,
                               slice, found.data() + (object->address - range.address), 0, nullptr, nullptr),
            "clEnqueueReadImage");
      add(range, found);
      continue;
    }
    object->eachRange(bundle_, [&](const Bundle::Range &range, size_t offset) {
      std::string found(range.size, '\0');
      if (object->kind == Object::Kind::Host)
        std::memcpy(found.data(), memory_.at(range.address), range.size);
      else if (object->kind == Object::Kind::Svm)
        check(clEnqueueSVMMemcpy(session_.queue, CL_TRUE, found.data(), object->svm + offset, range.size, 0, nullptr,
                                 nullptr),
              "clEnqueueSVMMemcpy");
      else if (object->kind == Object::Kind::Buffer)
        check(clEnqueueReadBuffer(session_.queue, object->memory, CL_TRUE, offset, range.size, found.data(), 0, nullptr,
                                  nullptr),
              "clEnqueueReadBuffer");
      else
        return; // a 1D image in a buffer, which is an object as well
      if (relocates_)
        relocation_.restore(found, range.expected());
      add(range, found);
    });
  }
  return all;
}

uint64_t BundleLaunch::bytes() const {
  uint64_t sum = 0;
  for (const auto &object : objects_)
    object->eachRange(bundle_, [&](const Bundle::Range &range, size_t) { sum += range.size; });
  return sum;
}

} // namespace bench
