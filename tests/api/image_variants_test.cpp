// Repeated launches with the same image formats get a specialised variant, compiled in the background. The results must
// not change.
//
// The log shows that a variant is ready, so ctest runs this file with KILN_LOG=info,program. Without it the tests are
// skipped.
#include "tests/api/LogFile.h"
#include "tests/api/SamplerModel.h"
#include <chrono>
#include <sstream>
#include <thread>

namespace kiln::test {
namespace {

constexpr size_t Width = 37, Height = 23;
constexpr cl_image_format Colors8{CL_RGBA, CL_UNORM_INT8}, Floats{CL_RGBA, CL_FLOAT}, Curved{CL_sBGRA, CL_UNORM_INT8},
    Packed{CL_RGB, CL_UNORM_SHORT_565}, Shorts{CL_RG, CL_SNORM_INT16}, Halves{CL_RGBA, CL_HALF_FLOAT};

} // namespace

struct ImageVariants : WithImageKernels {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithImageKernels::SetUp());
    const char *log = getenv("KILN_LOG");
    if (!IsSkipped() && (!log || std::string(log).find("program") == std::string::npos))
      GTEST_SKIP() << "needs KILN_LOG=info,program, to find out when a variant is ready";
  }
  static constexpr const char *Text = R"(
kernel void turn(read_only image2d_t from, sampler_t how, write_only image2d_t to, global float4 *seen) {
  const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  const float2 at = (float2)(x * 0.0311f - 0.07f * y, y * 0.0517f + 0.013f * x);
  const float4 color = read_imagef(from, how, at);
  seen[y * width + x] = color;
  write_imagef(to, (int2)(x, y), color.wzyx * 1.3f - 0.1f);
}
)";
  struct Launch {
    cl_image_format from, to;
    SamplerModes how;
  };
  struct Result {
    Bytes pixels;
    std::vector<Words> seen;
  };
  /// Describes the first difference of two results; empty if they are equal.
  static std::string difference(const Result &found, const Result &first) {
    for (size_t i = 0; i < found.seen.size(); ++i)
      if (found.seen[i] != first.seen[i])
        return "seen " + std::to_string(i) + ": " + nameOf(found.seen[i], Kind::Float) + "in place of " +
               nameOf(first.seen[i], Kind::Float);
    for (size_t i = 0; i < found.pixels.size(); ++i)
      if (found.pixels[i] != first.pixels[i])
        return "byte " + std::to_string(i) + ": " + std::to_string(found.pixels[i]) + " in place of " +
               std::to_string(first.pixels[i]);
    return {};
  }
  Result launched(cl_kernel turn, const Launch &with) {
    const Triple size{Width, Height, 1};
    const size_t element = PixelRules(with.to).bytes;
    auto from = hostImage(CL_MEM_OBJECT_IMAGE2D, {29, 31, 1}, with.from, 5, false, [&](HostImage &image) {
      if (with.from.image_channel_data_type == CL_FLOAT)
        image.pixels([&](size_t x, size_t y, size_t z, size_t index) {
          const float four[] = {0.01f * index, 1.0f / (index + 1), -0.5f * x, 0.3f * y};
          memcpy(image.at(x, y, z), four, image.strides[0]);
        });
    });
    Mem to = image(CL_MEM_OBJECT_IMAGE2D, size, with.to, element), seen = buffer(Width * Height * sizeof(Words));
    cl_int code = 1;
    cl_sampler_properties list[] = {CL_SAMPLER_ADDRESSING_MODE,
                                    with.how.addressing,
                                    CL_SAMPLER_FILTER_MODE,
                                    with.how.filter,
                                    CL_SAMPLER_NORMALIZED_COORDS,
                                    with.how.normalized,
                                    0};
    Sampler how = clCreateSamplerWithProperties(context, list, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    setAll(turn, *from, how, to, seen);
    EXPECT_EQ(run(turn, size), CL_SUCCESS);
    return {readImage(to, {0, 0, 0}, size, element), read<Words>(seen, Width * Height)};
  }
  /// Launches until the log has `count` variants; each result must equal the first one.
  static size_t readyVariants(const LogFile &log, const std::string &of) {
    std::istringstream lines(log.text());
    size_t count = 0;
    for (std::string line; std::getline(lines, line);)
      count += line.find("is ready") != std::string::npos && line.find(of) != std::string::npos;
    return count;
  }

  /// `of`: in the lines of these variants. Those of an earlier test may be ready late.
  void untilVariants(const LogFile &log, size_t count, cl_kernel turn, const Launch &with, const Result &first,
                     const std::string &of = "") {
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (readyVariants(log, of) < count) {
      ASSERT_EQ(difference(launched(turn, with), first), "");
      ASSERT_LT(std::chrono::steady_clock::now(), last) << "no variant: " << log.text();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    // The line is logged right before the variant is used.
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(difference(launched(turn, with), first), "");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};

TEST_F(ImageVariants, SameBits) {
  PROVES("LANG-1.13.14a LANG-1.13.14b LANG-1.13.14d");
  const Launch kinds[] = {{Colors8, Floats, {CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, true}},
                          {Floats, Curved, {CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR, true}},
                          {Curved, Halves, {CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, true}},
                          {Shorts, Packed, {CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, true}}};
  LogFile log;
  Program program = images(Text);
  Kernel turn = kernel(program, "turn");
  size_t variants = 0;
  for (const Launch &kind : kinds) {
    SCOPED_TRACE(variants);
    const Result first = launched(turn, kind);
    untilVariants(log, ++variants, turn, kind, first);
    if (HasFatalFailure())
      return;
  }
  EXPECT_EQ(countOf(log.text(), "does not match the plan"), 0u) << log.text();
}

// While a variant for one set of formats exists, launches with other formats have the right results, also if the kernel
// is launched with more sets than Kiln keeps variants, and if two kernel objects have different arguments.
TEST_F(ImageVariants, OtherLaunchesBetween) {
  PROVES("LANG-1.13.14a LANG-1.13.14d API-5.9.2a");
  std::vector<Launch> kinds;
  for (const cl_image_format &from : {Colors8, Floats, Shorts})
    for (const cl_image_format &to : {Halves, Colors8})
      for (cl_filter_mode filter : {CL_FILTER_NEAREST, CL_FILTER_LINEAR})
        kinds.push_back({from, to, {CL_ADDRESS_REPEAT, filter, true}});
  LogFile log;
  Program program = images(Text);
  Kernel turn = kernel(program, "turn"), other = kernel(program, "turn");
  std::vector<Result> first;
  for (const Launch &kind : kinds)
    first.push_back(launched(turn, kind));
  for (size_t i = 1; i < kinds.size(); ++i) // otherwise the comparisons below could not fail
    ASSERT_NE(difference(first[i], first[i - 1]), "");
  untilVariants(log, 1, turn, kinds[0], first[0]);
  untilVariants(log, 2, turn, kinds[5], first[5]); // the launches of later sets have evicted its entry
  for (int round = 0; round < 5; ++round)
    for (size_t i = 0; i < kinds.size(); ++i) {
      ASSERT_EQ(difference(launched(round % 2 ? turn : other, kinds[i]), first[i]), "") << i;
      ASSERT_EQ(difference(launched(round % 2 ? other : turn, kinds[0]), first[0]), "") << "after " << i;
    }
}

// Launches that differ only in the sampler.
TEST_F(ImageVariants, AnotherSampler) {
  PROVES("LANG-1.13.14d API-5.9.2a");
  const SamplerModes clamped{CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, true},
      mirrored{CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR, true};
  LogFile log;
  Program program = images(Text);
  Kernel turn = kernel(program, "turn");
  const Launch one{Floats, Floats, clamped}, two{Floats, Floats, mirrored};
  const Result first = launched(turn, one), second = launched(turn, two);
  ASSERT_NE(difference(first, second), "");
  untilVariants(log, 1, turn, one, first, "sampler clamp,");
  ASSERT_EQ(difference(launched(turn, two), second), "");
  untilVariants(log, 1, turn, two, second, "sampler mirrored repeat,");
  ASSERT_EQ(difference(launched(turn, one), first), "");
  for (const char *sampler : {"clamp", "mirrored repeat"})
    EXPECT_EQ(countOf(log.text(), std::string("argument 1 = sampler ") + sampler + ", linear, normalised, argument 2"),
              1u)
        << log.text();
}

} // namespace kiln::test
