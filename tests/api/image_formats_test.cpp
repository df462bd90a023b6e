// Kernels that read and write pixels of every format, in images of every type. Checks the values that kernels read, the
// pixels that they write, and that padding bytes do not change.
#include "tests/api/ImageKernels.h"

namespace kiln::test {

struct ImageFormats : WithImageKernels {
  /// Odd sizes. A 2D image with pixels of at most 16 bits contains every pixel value.
  static Triple sizeFor(const ImageShape &shape, size_t element) {
    return shape.name == Flat.name && element <= 2 ? Triple{256, element == 1 ? 1u : 256u, 1} : Triple{13, 5, 3};
  }
  static void countUp(HostImage &image) {
    image.pixels([&](size_t x, size_t y, size_t z, size_t index) {
      memcpy(image.at(x, y, z), &index, image.strides[0]); // the low bytes come first
    });
  }
  std::unique_ptr<HostImage> make(const ImageShape &shape, const cl_image_format &format, unsigned seed) {
    const size_t element = PixelRules(format).bytes;
    const bool all = shape.name == Flat.name && element <= 2;
    return hostImage(shape.object, sizeFor(shape, element), format, seed, !all && seed % 2 && shape.name == Flat.name,
                     all ? countUp : nullptr);
  }
  template <typename Body> void forEach(cl_mem_flags use, Body body) {
    unsigned seed = 0;
    for (const ImageShape &shape : ImageShapes)
      for (const cl_image_format &format : formats(use, shape)) {
        SCOPED_TRACE(std::string(shape.name) + ", " + nameOf(format));
        body(shape, format, ++seed);
        if (HasFatalFailure())
          return;
      }
  }
  /// Checks that each value in `seen` is a permitted read result of its pixel. Depth images have one component.
  static void expectReads(HostImage &image, const cl_image_format &format, const std::vector<Words> &seen) {
    const PixelRules rules(format);
    const Kind kind = kindOf(format);
    const unsigned components = format.image_channel_order == CL_DEPTH ? 1 : 4;
    size_t wrong = 0;
    std::string first;
    image.pixels([&](size_t x, size_t y, size_t z, size_t index) {
      bool right = true;
      for (unsigned i = 0; i < components; ++i)
        right &= rules.mayRead(image.at(x, y, z), i, numberOf(kind, seen[index][i]));
      if (right || wrong++)
        return;
      const Color wanted = rules.color(image.at(x, y, z));
      first = std::to_string(index) + ": " + nameOf(seen[index], kind) + "in place of";
      for (double number : wanted)
        first += " " + std::to_string(number);
    });
    EXPECT_EQ(wrong, 0u) << "the first at " << first;
  }
  /// Checks that each pixel is a permitted result of writing its value in `given`, and that padding is unchanged.
  static void expectWrites(HostImage &image, const cl_image_format &format, const std::vector<Words> &given) {
    const PixelRules rules(format);
    const Kind kind = kindOf(format);
    size_t wrong = 0;
    std::string first;
    image.pixels([&](size_t x, size_t y, size_t z, size_t index) {
      Color color;
      for (unsigned i = 0; i < 4; ++i)
        color[i] = numberOf(kind, given[index][i]);
      if (rules.mayWrite(color, image.at(x, y, z)) || wrong++)
        return;
      first = std::to_string(index) + ": " + nameOf(given[index], kind) + "became";
      for (const Channel &channel : rules.channels)
        first += " " + std::to_string(channel.field(image.at(x, y, z)));
    });
    EXPECT_EQ(wrong, 0u) << "the first at " << first;
    EXPECT_TRUE(image.gapsAreWhole());
  }

  /// Random test values: inside and outside the channel's range, midpoints between representable values, infinities and
  /// NaN. No denormals.
  static std::vector<Words> colors(const cl_image_format &format, size_t count, unsigned seed) {
    std::mt19937 random(seed);
    const Kind kind = kindOf(format);
    const auto fraction = [&] { return float(random() >> 8) * 0x1p-24f; };
    const float ready[] = {0,        -0.0f,     1,          -1,    0.5f,  -0.5f,    2,
                           -2,       1e10f,     -1e10f,     65504, 65519, 65520,    0.0031308f,
                           0.04045f, HUGE_VALF, -HUGE_VALF, NAN,   1e-3f, 0x1p-14f, 1 - 0x1p-24f};
    const float scales[] = {3, 31, 63, 127, 255, 1023, 32767, 65535};
    std::vector<Words> list(count);
    for (Words &color : list)
      for (uint32_t &word : color) {
        if (kind != Kind::Float) {
          word = random() >> (random() % 4) * 8;
          word = random() % 2 && kind == Kind::Signed ? 0 - word : word;
          continue;
        }
        const float scale = scales[random() % std::size(scales)];
        float value = 3 * fraction() - 1.5f;
        switch (random() % 4) {
        case 0:
          value = ready[random() % std::size(ready)];
          break;
        case 1:
          value = (std::floor(fraction() * scale) + 0.5f) / scale;
          break;
        case 2:
          value = std::ldexp(value, int(random() % 32) - 14);
        }
        word = std::bit_cast<uint32_t>(std::fabs(value) < 0x1p-126f ? 0 : value);
      }
    return list;
  }
  template <typename T> Mem bufferOf(const std::vector<T> &data) {
    return buffer(data.size() * sizeof(T), CL_MEM_COPY_HOST_PTR, const_cast<T *>(data.data()));
  }
};

TEST_F(ImageFormats, Reads) {
  PROVES("LANG-1.13.14a LANG-1.13.14e LANG-1.13.14g IMG-3.3.1a IMG-3.3.2 IMG-3.3.3 IMG-3.3.4 IMG-3.3.5 API-5.3.2b");
  PROVES("API-5.3.2c API-5.3.2d");
  Program program = images(forImages(R"(
kernel void read_$name(read_only $type image, global $v *out) {
  ITEM;
  out[index] = wide(read_image$k(image, $at));
}
)"));
  forEach(CL_MEM_READ_ONLY, [&](const ImageShape &shape, const cl_image_format &format, unsigned seed) {
    auto image = make(shape, format, seed);
    Mem out = buffer(image->count() * sizeof(Words));
    Kernel kernel = kernelOf(program, "read", shape, kindOf(format));
    setAll(kernel, *image, out);
    ASSERT_EQ(run(kernel, image->reach), CL_SUCCESS);
    expectReads(*image, format, read<Words>(out, image->count()));
  });
}

TEST_F(ImageFormats, Writes) {
  PROVES("LANG-1.13.14b LANG-1.13.14e LANG-1.13.14g IMG-3.3.1b IMG-3.3.2 IMG-3.3.3 IMG-3.3.4 IMG-3.3.5 API-5.3.2b");
  PROVES("API-5.3.2c API-5.3.2d");
  Program program = images(forImages(R"(
kernel void write_$name(write_only $type image, global const $v *in) {
  ITEM;
  write_image$k(image, $at, in[index]$d);
}
)"));
  forEach(CL_MEM_WRITE_ONLY, [&](const ImageShape &shape, const cl_image_format &format, unsigned seed) {
    auto image = make(shape, format, seed);
    std::vector<Words> given = colors(format, image->count(), seed);
    Mem in = bufferOf(given);
    Kernel kernel = kernelOf(program, "write", shape, kindOf(format));
    setAll(kernel, *image, in);
    ASSERT_EQ(run(kernel, image->reach), CL_SUCCESS);
    fetch(*image);
    expectWrites(*image, format, given);
  });
}

// Reads a pixel, writes a changed value (1 - v for floats, 3 * v + 7 for integers), and reads the written value after a
// fence in the same work-item.
TEST_F(ImageFormats, ReadsAndWritesInOneKernel) {
  PROVES("LANG-1.13.14a LANG-1.13.14b LANG-1.13.14f LANG-1.6 API-5.3.2e");
  const char *changed = R"(
float4 __attribute__((overloadable)) changed(float4 v) { return 1.0f - v; }
int4 __attribute__((overloadable)) changed(int4 v) { return as_int4(as_uint4(v) * 3u + 7u); }
uint4 __attribute__((overloadable)) changed(uint4 v) { return v * 3u + 7u; }
)";
  Program program = images(changed + forImages(R"(
kernel void change_$name(read_write $type image, global $v *found, global $v *given, global $v *left) {
  ITEM;
  found[index] = wide(read_image$k(image, $at));
  given[index] = changed(found[index]);
  write_image$k(image, $at, given[index]$d);
  atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
  left[index] = wide(read_image$k(image, $at));
}
)"));
  forEach(CL_MEM_KERNEL_READ_AND_WRITE, [&](const ImageShape &shape, const cl_image_format &format, unsigned seed) {
    auto image = make(shape, format, seed);
    const size_t count = image->count();
    Mem found = buffer(count * sizeof(Words)), given = buffer(count * sizeof(Words)),
        left = buffer(count * sizeof(Words));
    Kernel kernel = kernelOf(program, "change", shape, kindOf(format));
    setAll(kernel, *image, found, given, left);
    ASSERT_EQ(run(kernel, image->reach), CL_SUCCESS);
    image->bytes.swap(image->before); // the pixels before the launch
    expectReads(*image, format, read<Words>(found, count));
    image->bytes.swap(image->before);
    fetch(*image);
    expectWrites(*image, format, read<Words>(given, count));
    expectReads(*image, format, read<Words>(left, count));
  });
}

// Work-items read pixels that others of their group wrote before a barrier, in four iterations at distances 1 to 4.
TEST_F(ImageFormats, WorkItemsOfAGroupShareAnImage) {
  PROVES("LANG-1.13.14f LANG-1.13.8 API-5.3.2e");
  constexpr size_t Local = 32, Groups = 5;
  Program program = images(forImages(R"(
kernel void hand_$name(read_write $type image, int inRows, global $v *out) {
  const int local_x = get_local_id(0), first = get_group_id(0) * get_local_size(0);
  $v carried = ($v)(first + local_x);
  for (int round = 1; round < 5; ++round) {
    { int x = first + local_x, y = 0, z = 0; if (inRows) y = x, x = 0; write_image$k(image, $at, carried$d); }
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    { int x = first + (local_x + round) % (int)get_local_size(0), y = 0, z = 0;
      if (inRows) y = x, x = 0;
      carried = wide(read_image$k(image, $at)); }
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
  }
  out[first + local_x] = carried;
}
)"));
  for (const ImageShape &shape : ImageShapes)
    for (const cl_image_format &format : {cl_image_format{CL_RGBA, CL_FLOAT},
                                          {CL_R, CL_FLOAT},
                                          {CL_R, CL_UNSIGNED_INT32},
                                          {CL_RGBA, CL_SIGNED_INT16},
                                          {CL_DEPTH, CL_FLOAT}}) {
      if ((format.image_channel_order == CL_DEPTH) != shape.isDepth)
        continue;
      SCOPED_TRACE(std::string(shape.name) + ", " + nameOf(format));
      const bool inRows = hasRows(shape.object);
      const Kind kind = kindOf(format);
      Mem made = image(shape.object, inRows ? Triple{1, Local * Groups, 2} : Triple{Local * Groups, 1, 2}, format,
                       PixelRules(format).bytes),
          out = buffer(Local * Groups * sizeof(Words));
      Kernel kernel = kernelOf(program, "hand", shape, kind);
      setAll(kernel, made, cl_int(inRows), out);
      ASSERT_EQ(launch(kernel, Local * Groups, &Local), CL_SUCCESS);
      std::vector<Words> seen = read<Words>(out, Local * Groups);
      for (size_t i = 0; i < seen.size(); ++i)
        ASSERT_EQ(numberOf(kind, seen[i][0]), double(i / Local * Local + (i + 1 + 2 + 3 + 4) % Local)) << i;
    }
}

// read_imageh returns the float result rounded to half. write_imageh stores the half's value as write_imagef stores the
// equal float.
TEST_F(ImageFormats, Halves) {
  PROVES("X-E03 LANG-1.13.14a LANG-1.13.14b IMG-3.3.2");
  if (queryText(clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS).find("cl_khr_fp16") == std::string::npos)
    GTEST_SKIP() << "the device does not support cl_khr_fp16";
  std::string text = std::string(ImagePrologue) + R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
)";
  for (const ImageShape &shape : ImageShapes)
    if (!shape.isDepth)
      text += replaced(R"(
kernel void halves_$name_f(read_only $type from, write_only $type to, global float4 *out, global float4 *again) {
  ITEM;
  half4 v = read_imageh(from, $at);
  out[index] = convert_float4(v);
  again[index] = convert_float4($sampled);
  write_imageh(to, $at, v);
}
)",
                       {{"$sampled", shape.components ? "read_imageh(from, nearest, $at)" : "v"},
                        {"$name", shape.name},
                        {"$type", shape.type},
                        {"$at", shape.whole}});
  Program program = images(text);
  for (const ImageShape &shape : ImageShapes)
    for (const cl_image_format &format : {cl_image_format{CL_RGBA, CL_HALF_FLOAT},
                                          {CL_R, CL_HALF_FLOAT},
                                          {CL_RGBA, CL_UNORM_INT8},
                                          {CL_BGRA, CL_SNORM_INT8},
                                          {CL_RG, CL_FLOAT}}) {
      if (shape.isDepth)
        continue;
      SCOPED_TRACE(std::string(shape.name) + ", " + nameOf(format));
      auto from = hostImage(shape.object, {13, 5, 3}, format, 1), to = hostImage(shape.object, {13, 5, 3}, format, 2);
      Mem out = buffer(from->count() * sizeof(Words)), again = buffer(from->count() * sizeof(Words));
      Kernel kernel = kernelOf(program, "halves", shape, Kind::Float);
      setAll(kernel, *from, *to, out, again);
      ASSERT_EQ(run(kernel, from->reach), CL_SUCCESS);
      std::vector<Words> seen = read<Words>(out, from->count());
      const PixelRules rules(format);
      from->pixels([&](size_t x, size_t y, size_t z, size_t index) {
        const Color wanted = rules.color(from->at(x, y, z));
        for (size_t i = 0; i < 4; ++i) {
          const double found = numberOf(Kind::Float, seen[index][i]);
          // The float result may be inexact, so near a midpoint of two halves both are permitted.
          bool right = std::isnan(wanted[i]) ? std::isnan(found) : std::fabs(wanted[i]) < 0x1p-14 && found == 0;
          for (double off : {1.0, 1 - 0x1p-22, 1 + 0x1p-22})
            right |= found == halfValue(toHalf(wanted[i] * off));
          EXPECT_TRUE(right) << index << ": " << found << " in place of " << wanted[i];
        }
      });
      std::vector<Words> sampled = read<Words>(again, from->count());
      EXPECT_EQ(memcmp(sampled.data(), seen.data(), seen.size() * sizeof(Words)), 0) << "with a sampler";
      fetch(*to);
      expectWrites(*to, format, seen);
    }
}

} // namespace kiln::test
