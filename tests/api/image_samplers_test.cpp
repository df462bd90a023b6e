// Image reads with samplers: every mode, for every image type that can be read with a sampler.
#include "tests/api/SamplerModel.h"

namespace kiln::test {

static constexpr const char *SampleText = R"(
kernel void sample_$name(read_only $type image, sampler_t how, global const float4 *at, global $v *out) {
  ITEM;
  out[index] = wide(read_image$k(image, how, at[index]$xy));
}
)";
static constexpr const char *PickText = R"(
kernel void pick_$name(read_only $type image, sampler_t how, global const int4 *at, global $v *out) {
  ITEM;
  out[index] = wide(read_image$k(image, how, at[index]$xy));
}
)";

struct ImageSamplers : WithImageKernels {
  static constexpr size_t Count = 400;

  Sampler sampler(const SamplerModes &modes) {
    cl_int code = 1;
    cl_sampler_properties list[] = {CL_SAMPLER_ADDRESSING_MODE,
                                    modes.addressing,
                                    CL_SAMPLER_FILTER_MODE,
                                    modes.filter,
                                    CL_SAMPLER_NORMALIZED_COORDS,
                                    modes.normalized,
                                    0};
    Sampler made = clCreateSamplerWithProperties(context, list, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  static unsigned componentsOf(const ImageShape &shape) { return shape.isDepth ? 1 : 4; }
  static std::vector<cl_image_format> formatsFor(const ImageShape &shape) {
    if (shape.isDepth)
      return {{CL_DEPTH, CL_FLOAT}, {CL_DEPTH, CL_UNORM_INT16}};
    return {{CL_RGBA, CL_FLOAT},   {CL_RGBA, CL_UNORM_INT8},  {CL_RG, CL_SNORM_INT8},    {CL_R, CL_UNORM_INT16},
            {CL_R, CL_HALF_FLOAT}, {CL_sRGBA, CL_UNORM_INT8}, {CL_RGBA, CL_SIGNED_INT32}};
  }
  /// NVIDIA's texture unit converts sRGB to 16 bits, and filters channels of UNORM_INT8 with weights of 8 bits of
  /// fraction. The precision of filters is the implementation's (OpenCL C 3.2); 2^-7 is the conformance suite's bound.
  SampledImage modelOf(HostImage &image, const ImageShape &shape, const cl_image_format &format) const {
    const bool hasUnit = query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_VENDOR_ID) == 0x10de;
    const bool isUnorm8 = format.image_channel_data_type == CL_UNORM_INT8;
    const bool isSrgb = format.image_channel_order == CL_sRGBA;
    return {image, shape, format, hasUnit && isSrgb ? 0x1p-15 : 0, hasUnit && isUnorm8 && !isSrgb ? 0x1p-7 : 0};
  }
  /// Creates an image with random pixels. Floats and halves are between -1 and 1, which bounds the filter's error.
  std::unique_ptr<HostImage> pixels(const ImageShape &shape, const cl_image_format &format, Triple size,
                                    unsigned seed = 1) {
    auto fractions = [seed](HostImage &image) {
      std::mt19937 random(seed);
      image.pixels([&](size_t x, size_t y, size_t z, size_t) {
        for (size_t at = 0; at < image.strides[0]; at += sizeof(float)) {
          const float value = float(int(random())) * 0x1p-31f;
          memcpy(image.at(x, y, z) + at, &value, sizeof value);
        }
      });
    };
    auto halves = [seed](HostImage &image) {
      std::mt19937 random(seed);
      image.pixels([&](size_t x, size_t y, size_t z, size_t) {
        for (size_t at = 0; at < image.strides[0]; at += sizeof(cl_half)) {
          const cl_half value = cl_half((random() & 0x83ff) | random() % 15 << 10);
          memcpy(image.at(x, y, z) + at, &value, sizeof value);
        }
      });
    };
    if (format.image_channel_data_type == CL_FLOAT)
      return hostImage(shape.object, size, format, seed, false, fractions);
    if (format.image_channel_data_type == CL_HALF_FLOAT)
      return hostImage(shape.object, size, format, seed, false, halves);
    return hostImage(shape.object, size, format, seed);
  }
  template <typename T> Mem bufferOf(const std::vector<T> &data) {
    return buffer(data.size() * sizeof(T), CL_MEM_COPY_HOST_PTR, const_cast<T *>(data.data()));
  }
  /// Launches the kernel and returns its results. Its arguments are the image, the sampler if `how` is not null, the
  /// coordinates and the results.
  template <typename T>
  std::vector<Color> find(cl_kernel kernel, const HostImage &image, const Sampler *how,
                          const std::vector<std::array<T, 4>> &at, Kind kind, size_t perCoordinate = 1) {
    Mem in = bufferOf(at), out = buffer(at.size() * perCoordinate * sizeof(Words));
    if (how)
      setAll(kernel, image, *how, in, out);
    else
      setAll(kernel, image, in, out);
    EXPECT_EQ(launch(kernel, at.size()), CL_SUCCESS);
    std::vector<Color> found;
    for (const Words &words : read<Words>(out, at.size() * perCoordinate)) {
      Color &color = found.emplace_back();
      for (size_t i = 0; i < 4; ++i)
        color[i] = numberOf(kind, words[i]);
    }
    return found;
  }
  template <typename T> static std::string describe(const std::array<T, 4> &at, const Color &found) {
    std::string text = "at";
    for (T number : at)
      text += " " + std::to_string(number);
    text += ":";
    for (double number : found)
      text += " " + std::to_string(number);
    return text;
  }
  /// Compares found[first + i * step] with the model's result at at[i].
  static void expectFinds(const SampledImage &model, const SamplerModes &modes, const ImageShape &shape,
                          const std::vector<std::array<float, 4>> &at, const std::vector<Color> &found,
                          size_t first = 0, size_t step = 1) {
    size_t wrong = 0;
    std::string text;
    for (size_t i = 0; i < at.size(); ++i) {
      const Color &color = found[first + i * step];
      // Undefined modes: the nearest filter must still return a pixel or the border; the linear filter any value.
      const bool right = modes.isDefined() ? model.finds(modes, at[i], color, componentsOf(shape))
                                           : modes.isLinear() || model.isSome(color, componentsOf(shape));
      if (!right && !wrong++)
        text = describe(at[i], color);
    }
    EXPECT_EQ(wrong, 0u) << "the first " << text;
  }
};

TEST_F(ImageSamplers, EveryMode) {
  PROVES("IMG-3.1 IMG-3.2a IMG-3.2b IMG-3.2c IMG-3.2d IMG-3.2e IMG-3.4 IMG-3.3.5 LANG-1.13.14a LANG-1.13.14d");
  PROVES("LANG-1.13.14g");
  Program program = images(forImages(SampleText, true));
  unsigned seed = 0;
  for (const ImageShape &shape : ImageShapes)
    for (const cl_image_format &format : shape.components ? formatsFor(shape) : std::vector<cl_image_format>()) {
      const Kind kind = kindOf(format);
      // Powers of two, and other sizes.
      const bool even = ++seed % 2;
      auto image = pixels(shape, format, even ? Triple{16, 8, 4} : Triple{13, 6, 5}, seed);
      const SampledImage model = modelOf(*image, shape, format);
      Kernel kernel = kernelOf(program, "sample", shape, kind);
      for (const SamplerModes &modes : allSamplers()) {
        if (kind != Kind::Float && modes.isLinear())
          continue; // integers cannot be filtered
        SCOPED_TRACE(std::string(shape.name) + ", " + nameOf(format) + ", " + nameOf(modes));
        auto at = coordinates(shape, image->reach, modes.normalized, Count, ++seed);
        Sampler how = sampler(modes);
        expectFinds(model, modes, shape, at, find(kernel, *image, &how, at, kind));
        if (HasFatalFailure())
          return;
      }
    }
}

TEST_F(ImageSamplers, WholeCoordinates) {
  PROVES("IMG-3.2a IMG-3.2e IMG-3.4 LANG-1.13.14a LANG-1.13.14d");
  Program program = images(forImages(PickText, true));
  std::mt19937 random(1);
  for (const ImageShape &shape : ImageShapes)
    for (const cl_image_format &format : shape.components ? formatsFor(shape) : std::vector<cl_image_format>()) {
      const Kind kind = kindOf(format);
      auto image = pixels(shape, format, {13, 6, 5});
      const SampledImage model = modelOf(*image, shape, format);
      Kernel kernel = kernelOf(program, "pick", shape, kind);
      for (cl_addressing_mode addressing : {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP}) {
        const SamplerModes modes{addressing, CL_FILTER_NEAREST, false};
        SCOPED_TRACE(std::string(shape.name) + ", " + nameOf(format) + ", " + nameOf(modes));
        std::vector<std::array<int, 4>> at(Count);
        std::vector<std::array<float, 4>> same(
            Count); // integers that float represents exactly, or that are outside the image in both types
        for (size_t i = 0; i < Count; ++i)
          for (size_t axis = 0; axis < 4; ++axis) {
            const int far[] = {INT_MIN, INT_MAX, -1000000, 1 << 30};
            at[i][axis] = random() % 8 ? int(random() % 20) - 4 : far[random() % 4];
            same[i][axis] = float(at[i][axis]);
          }
        Sampler how = sampler(modes);
        expectFinds(model, modes, shape, same, find(kernel, *image, &how, at, kind));
      }
    }
}

// With NaN, infinite or huge coordinates the result is undefined, but the launch succeeds.
TEST_F(ImageSamplers, NonFiniteCoordinates) {
  PROVES("IMG-3.1 LANG-1.13.14g");
  const std::string both = std::string(SampleText) + PickText;
  Program program = images(forImages(both.c_str(), true));
  const float odd[] = {NAN, HUGE_VALF, -HUGE_VALF, 3e38f, -3e38f, 0x1p31f, -0x1p31f, 0x1p63f, 0.5f};
  std::vector<std::array<float, 4>> at;
  for (float x : odd)
    for (float y : odd)
      for (float z : odd)
        at.push_back({x, y, z, NAN});
  std::vector<std::array<int, 4>> whole(8, {3, -7, INT_MAX, 0});
  for (const ImageShape &shape : ImageShapes)
    for (Kind kind : {Kind::Float, Kind::Signed}) {
      if (!shape.components || (shape.isDepth && kind == Kind::Signed))
        continue;
      const cl_image_format format = kind == Kind::Signed ? cl_image_format{CL_RGBA, CL_SIGNED_INT32}
                                     : shape.isDepth      ? cl_image_format{CL_DEPTH, CL_FLOAT}
                                                          : cl_image_format{CL_RGBA, CL_FLOAT};
      auto image = pixels(shape, format, {13, 6, 5});
      const SampledImage model = modelOf(*image, shape, format);
      Kernel sample = kernelOf(program, "sample", shape, kind), pick = kernelOf(program, "pick", shape, kind);
      for (const SamplerModes &modes : allSamplers()) {
        SCOPED_TRACE(std::string(shape.name) + ", " + nameOf(format) + ", " + nameOf(modes));
        Sampler how = sampler(modes);
        std::vector<Color> found = find(sample, *image, &how, at, kind);
        if (!modes.isLinear())
          for (size_t i = 0; i < at.size(); ++i)
            ASSERT_TRUE(model.isSome(found[i], componentsOf(shape))) << describe(at[i], found[i]);
        find(pick, *image, &how, whole, kind); // also with modes that are undefined for integer coordinates
      }
    }
}

TEST_F(ImageSamplers, BordersOfEveryFormat) {
  PROVES("LANG-1.13.14d IMG-3.2a IMG-3.2b");
  const std::string both = std::string(SampleText) + PickText;
  Program program =
      images(ImagePrologue + forImages(both.c_str(), Flat, Kind::Float) + forImages(both.c_str(), Flat, Kind::Signed) +
             forImages(both.c_str(), Flat, Kind::Unsigned) + forImages(both.c_str(), FlatDepth, Kind::Float));
  const std::vector<std::array<float, 4>> outside = {{-1, 2}, {4.5f, 2}, {2, -1}, {2, 4.5f}, {-1e9f, -1e9f}, {1e9f, 2}};
  const std::vector<std::array<int, 4>> whole = {{-1, 2}, {4, 2}, {2, -1}, {2, 4}, {INT_MIN, INT_MIN}, {INT_MAX, 2}};
  Sampler nearest = sampler({CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, false}),
          linear = sampler({CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, false});
  for (const ImageShape *shape : {&Flat, &FlatDepth})
    for (const cl_image_format &format : formats(CL_MEM_READ_ONLY, *shape)) {
      SCOPED_TRACE(std::string(shape->name) + ", " + nameOf(format));
      const Kind kind = kindOf(format);
      const Color border = PixelRules(format).border;
      auto image = hostImage(shape->object, {4, 4, 1}, format);
      Kernel sample = kernelOf(program, "sample", *shape, kind), pick = kernelOf(program, "pick", *shape, kind);
      std::vector<Color> found = find(sample, *image, &nearest, outside, kind);
      for (const Color &color : find(pick, *image, &nearest, whole, kind))
        found.push_back(color);
      if (kind == Kind::Float)
        for (const Color &color : find(sample, *image, &linear, outside, kind))
          found.push_back(color);
      for (size_t i = 0; i < found.size(); ++i)
        for (unsigned c = 0; c < componentsOf(*shape); ++c)
          EXPECT_EQ(found[i][c], border[c]) << i << ", component " << c;
    }
}

// Samplers in programs: constants at program scope and in a kernel, integer expressions, and function parameters. Each
// has the same results as the same sampler in a kernel argument.
TEST_F(ImageSamplers, OfPrograms) {
  PROVES("LANG-1.13.14d");
  std::vector<SamplerModes> every = allSamplers();
  std::erase_if(every, [](const SamplerModes &modes) { return !modes.isDefined(); });
  const size_t count = every.size();
  // Uses the forms in rotation. All samplers of an image in a kernel must have the same kind of coordinates
  // (normalised or not), hence one kernel for each kind.
  std::string constants, kernels;
  for (bool normalized : {false, true}) {
    std::string inside, reads;
    for (size_t i = 0; i < count; ++i) {
      if (every[i].normalized != normalized)
        continue;
      const std::string name = "sampler" + std::to_string(i), literal = literalOf(every[i]);
      std::string way = "read_imagef(image, " + name + ", at[i].xy)";
      switch (i / 2 % 6) {
      case 0:
        constants += "constant sampler_t " + name + " = " + literal + ";\n";
        break;
      case 1:
        constants += "const sampler_t " + name + " = " + literal + ";\n";
        break;
      case 2:
        inside += "  const sampler_t " + name + " = " + literal + ";\n";
        break;
      case 3:
        way = "read_imagef(image, " + literal + ", at[i].xy)";
        break;
      case 4:
        constants += "constant sampler_t " + name + " = " + literal + ";\n";
        way = "helped(image, " + name + ", at[i])";
        break;
      default:
        inside += "  sampler_t " + name + " = " + literal + ";\n";
        way = "helpedTwice(" + name + ", &at[i], image)";
      }
      reads += "  out[i * " + std::to_string(count) + " + " + std::to_string(i) + "] = " + way + ";\n";
    }
    kernels += std::string("kernel void literals_") + (normalized ? "normalized" : "whole") +
               "(read_only image2d_t image, global const float4 *at, global float4 *out) {\n  size_t i = "
               "get_global_id(0);\n" +
               inside + reads + "}\n";
  }
  Program program = images(constants + R"(
float4 helped(read_only image2d_t image, sampler_t how, float4 at) { return read_imagef(image, how, at.xy); }
float4 helpedTwice(sampler_t how, global const float4 *at, read_only image2d_t image) { return helped(image, how, *at); }
)" + kernels);
  const cl_image_format format{CL_RGBA, CL_FLOAT};
  auto image = pixels(Flat, format, {13, 6, 1});
  const SampledImage model(*image, Flat, format);
  for (bool normalized : {false, true}) {
    auto at = coordinates(Flat, image->reach, normalized, Count, 7);
    Kernel literals = kernel(program, normalized ? "literals_normalized" : "literals_whole");
    std::vector<Color> found = find(literals, *image, nullptr, at, Kind::Float, count);
    for (size_t i = 0; i < count; ++i) {
      SCOPED_TRACE(nameOf(every[i]));
      if (every[i].normalized == normalized)
        expectFinds(model, every[i], Flat, at, found, i, count);
    }
  }
}

// A kernel is launched with a different sampler argument each time, while earlier launches may still run.
TEST_F(ImageSamplers, DifferentSamplerEachLaunch) {
  PROVES("LANG-1.13.14d API-5.9.2a API-5.7.1b");
  Program program = images(ImagePrologue + forImages(SampleText, Flat, Kind::Float));
  const cl_image_format format{CL_RGBA, CL_FLOAT};
  auto image = pixels(Flat, format, {13, 6, 1});
  const SampledImage model(*image, Flat, format);
  Kernel kernel = kernelOf(program, "sample", Flat, Kind::Float);
  std::vector<SamplerModes> every = allSamplers();
  std::erase_if(every, [](const SamplerModes &modes) { return !modes.isDefined() || !modes.normalized; });
  auto at = coordinates(Flat, image->reach, true, Count, 3);
  Mem in = bufferOf(at), out = buffer(every.size() * Count * sizeof(Words));
  for (size_t i = 0; i < every.size(); ++i) {
    Sampler how = sampler(every[i]); // may be released before the kernel has run
    cl_int code = 1;
    cl_buffer_region region{i * Count * sizeof(Words), Count * sizeof(Words)};
    Mem part = clCreateSubBuffer(out, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    setAll(kernel, *image, how, in, part);
    ASSERT_EQ(launch(kernel, Count), CL_SUCCESS);
  }
  std::vector<Color> found;
  for (const Words &words : read<Words>(out, every.size() * Count))
    found.push_back({numberOf(Kind::Float, words[0]), numberOf(Kind::Float, words[1]), numberOf(Kind::Float, words[2]),
                     numberOf(Kind::Float, words[3])});
  for (size_t i = 0; i < every.size(); ++i) {
    SCOPED_TRACE(nameOf(every[i]));
    expectFinds(model, every[i], Flat, at, found, i * Count);
  }
}

} // namespace kiln::test
