// A variant for a local size is compiled once launches have taken as long as its compilation will
// (KILN_VARIANTS=earned), or at the second launch while the process has compiled little, and used at once if an earlier
// process has left it in the cache. A variant for the formats of images is one launch ahead.
#include "tests/process/VariantTest.h"
#include <thread>

namespace kiln::test {
namespace {

constexpr const char *Source = R"(
kernel void mix(global uint *p, uint rounds, local uint *room) {
  const uint item = get_local_id(0), items = get_local_size(0);
  uint x = p[get_global_id(0)];
  for (uint i = 0; i < rounds; ++i) {
    room[item] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = x * 1664525 + room[(item + i + 1) % items];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  p[get_global_id(0)] = x;
}
)";
// Takes a tenth of a second or more to compile.
constexpr const char *Other = R"(
#define STEP x = (x ^ (x >> 3)) * SEED + 7; if (x & 64) x += p[x & 1023];
#define STEPS(S) S S S S
kernel void other(global uint *p) { uint x = p[get_global_id(0)]; STEPS(STEPS(STEPS(STEP))) p[get_global_id(0)] = x; }
)";
constexpr const char *OfImage = R"(
kernel void pick(global uint *p, read_only image2d_t image) {
  const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
  const int i = get_global_id(0);
  const uint4 pixel = read_imageui(image, sampler, (int2)(i & 7, i >> 3 & 7));
  p[i] = pixel.x + pixel.w;
}
)";
constexpr const char *ImageReady = "the variant of pick for argument 1 = image of format 0x10b510da is ready";
constexpr const char *Ready = "the variant of mix for local size 64x1x1 is ready";

struct EarnedVariants : VariantTest {
  /// Compiles programs until the process compiles nothing that launches have not earned.
  static void compileMuch() {
    for (unsigned seed = 3; seed < 43; seed += 2)
      const LaunchedKernel kernel("#define SEED " + std::to_string(seed) + "\n" + Other, "other");
  }
  /// Launches the kernel, and waits for each launch if `waits`, until `seconds` are over or the log has `Ready`, but at
  /// least four times.
  void launchFor(double seconds, unsigned rounds, bool waits) const {
    LaunchedKernel kernel(Source, "mix");
    kernel.set(1, rounds);
    kernel.setLocal(2);
    const Clock::time_point end = in(seconds);
    for (int launch = 0; launch < 4 || (Clock::now() < end && !isReady()); ++launch) {
      kernel.launch();
      if (waits)
        kernel.results();
    }
    kernel.results();
  }
  bool isReady() const { return isLogged(Ready); }
  void run(double seconds, unsigned rounds, const char *variants, bool compilers = true, bool waits = true) {
    run([&] { launchFor(seconds, rounds, waits); }, variants, compilers);
  }
  void run(const std::function<void()> &situation, const char *variants, bool compilers = true) {
    runLogged(situation,
              {{"KILN_VARIANTS", variants},
               {"KILN_QUICK_FORM", "off"},
               {"KILN_LOG", "info,program"},
               {"KILN_CPU_THREADS", "1"}},
              compilers);
  }
};

TEST_F(EarnedVariants, ShortLaunchesGetOneWhileLittleHasBeenCompiled) {
  run(60, 1, "earned");
  EXPECT_TRUE(isReady()) << errors;
}

TEST_F(EarnedVariants, ShortLaunchesEarnNone) {
  run(
      [&] {
        compileMuch();
        launchFor(0, 1, /*waits=*/true);
        std::this_thread::sleep_for(std::chrono::milliseconds(300)); // a compilation would end meanwhile
      },
      "earned");
  EXPECT_FALSE(isReady()) << errors;
}

// No launch has ended yet when the later ones are enqueued, so nothing is known of their time.
TEST_F(EarnedVariants, ShortLaunchesWithoutAWaitEarnNone) {
  run(
      [&] {
        compileMuch();
        launchFor(0, 1, /*waits=*/false);
      },
      "earned");
  EXPECT_FALSE(isReady()) << errors;
}

TEST_F(EarnedVariants, LongLaunchesEarnOne) {
  run(
      [&] {
        compileMuch();
        launchFor(60, 2000, /*waits=*/true);
      },
      "earned");
  EXPECT_TRUE(isReady()) << errors;
}

TEST_F(EarnedVariants, NextProcessTakesItFromTheCache) {
  run(60, 1, "always");
  ASSERT_TRUE(isReady()) << errors;
  run(60, 1, "earned", /*compilers=*/false);
  EXPECT_TRUE(isReady()) << errors;
}

// Launches a kernel once that reads an image, and waits for a variant for at most `seconds`.
void launchOnceWithImage(const VariantTest &test, double seconds) {
  const LaunchedKernel kernel(OfImage, "pick");
  std::vector<unsigned> pixels(64);
  for (unsigned i = 0; i < 64; ++i)
    pixels[i] = i | (i + 1) << 24;
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc shape = {};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D, shape.image_width = shape.image_height = 8;
  cl_int code = 1;
  const Mem image =
      clCreateImage(kernel.app.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &shape, pixels.data(), &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel.kernel, 1, sizeof(cl_mem), image.address()), CL_SUCCESS);
  kernel.launch();
  const std::vector<unsigned> words = kernel.results();
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(words[i], 2 * i + 1);
  for (const auto end = VariantTest::in(seconds); VariantTest::Clock::now() < end && !test.isLogged(ImageReady);)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

TEST_F(EarnedVariants, OneLaunchWithAnImageGetsOneAndTheNextProcessBeginsWithIt) {
  run([&] { launchOnceWithImage(*this, 60); }, "earned");
  ASSERT_TRUE(isLogged(ImageReady)) << errors;
  run([&] { launchOnceWithImage(*this, 0); }, "earned", /*compilers=*/false);
  EXPECT_TRUE(isLogged(ImageReady)) << errors;
}

TEST_F(EarnedVariants, OneLaunchWithAnImageGetsNoneWhereMuchHasBeenCompiled) {
  run(
      [&] {
        compileMuch();
        launchOnceWithImage(*this, 0.3);
      },
      "earned");
  EXPECT_FALSE(isLogged(ImageReady)) << errors;
}

TEST_F(EarnedVariants, OffMeansNone) {
  run(60, 1, "always");
  ASSERT_TRUE(isReady()) << errors;
  run(0.3, 2000, "off");
  EXPECT_FALSE(isReady()) << errors;
}

} // namespace
} // namespace kiln::test
