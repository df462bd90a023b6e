// Samples that were taken while the clock was lowered, with files and a library in place of the machine's.
#include "bench/measure/CpuClock.h"
#include "bench/measure/HardwareCounters.h"
#include "bench/measure/NvmlClock.h"
#include "bench/measure/Sampling.h"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>

namespace bench {
namespace {

/// A folder like /sys/devices/system/cpu.
class Processors : public testing::Test {
protected:
  Processors() { std::filesystem::remove_all(root_); }
  ~Processors() override { std::filesystem::remove_all(root_); }
  void write(const std::string &name, uint64_t number) {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << number << '\n';
  }
  const std::filesystem::path root_ = testing::TempDir() + "kiln-processors";
  std::string why_;
};

TEST_F(Processors, WithoutFiles) {
  write("cpufreq/scaling_cur_freq", 1); // of no processor
  EXPECT_FALSE(CpuClock::open(root_, why_));
  EXPECT_EQ(why_, "neither thermal_throttle nor cpufreq of " + root_.string() + " is readable");
}

TEST_F(Processors, AnEventOfOneProcessor) {
  write("cpu0/thermal_throttle/core_throttle_count", 5);
  write("cpu1/thermal_throttle/package_throttle_count", 2);
  const auto clock = CpuClock::open(root_, why_);
  ASSERT_TRUE(clock);
  clock->begin();
  EXPECT_FALSE(clock->throttled());
  write("cpu1/thermal_throttle/package_throttle_count", 3);
  EXPECT_TRUE(clock->throttled());
  clock->begin();
  EXPECT_FALSE(clock->throttled());
}

TEST_F(Processors, TheFastestBecomesSlow) {
  write("cpu0/cpufreq/scaling_cur_freq", 3000000);
  write("cpu1/cpufreq/scaling_cur_freq", 800000); // idle
  const auto clock = CpuClock::open(root_, why_);
  ASSERT_TRUE(clock);
  clock->begin();
  EXPECT_FALSE(clock->throttled());
  write("cpu0/cpufreq/scaling_cur_freq", 2800000);
  EXPECT_FALSE(clock->throttled());
  write("cpu0/cpufreq/scaling_cur_freq", 2600000);
  EXPECT_TRUE(clock->throttled());
}

TEST(NvmlClock, ReasonsOfTheLibrary) {
  std::string why;
  EXPECT_FALSE(NvmlClock::open("libkiln-no-nvml.so", "0000:18:00.0", why));
  EXPECT_NE(why.find("libkiln-no-nvml.so"), std::string::npos) << why;
  EXPECT_FALSE(NvmlClock::open(KILN_FAKE_NVML, "0000:19:00.0", why));
  EXPECT_EQ(why, "NVML returned 6 for the device at 0000:19:00.0");
  const auto clock = NvmlClock::open(KILN_FAKE_NVML, "0000:18:00.0", why);
  ASSERT_TRUE(clock) << why;
  for (auto [reasons, throttled] : {std::pair("0x0", false),
                                    {"0x1", false},
                                    {"0x2", false},
                                    {"0x4", true},
                                    {"0x8", true},
                                    {"0x20", true},
                                    {"0x40", true},
                                    {"0x80", true}}) {
    setenv("FAKE_NVML_REASONS", reasons, /*overwrite=*/1);
    EXPECT_EQ(clock->throttled(), throttled) << reasons;
  }
}

/// Says that every third sample was throttled.
class EveryThird : public ClockWatch {
public:
  void begin() override {}
  bool throttled() override { return ++samples_ % 3 == 0; }

private:
  unsigned samples_ = 0;
};

TEST(Sampling, ThrowsAwayRoundsWithALoweredClock) {
  unsigned runs = 0;
  // The first run is no sample. A round has two samples: of three rounds, the second and the third have a throttled
  // one.
  const Variant variant{"x", [&](unsigned) { return (++runs + 4) % 6 < 2 ? 1.0 : 9.0; }, 1};
  EveryThird clock;
  const Sampled sampled = sample({variant}, {.seconds = 5, .precision = 0.01}, &clock).front();
  EXPECT_EQ(std::ranges::count(sampled.seconds, 1.0), std::ptrdiff_t(sampled.seconds.size()));
  EXPECT_EQ(sampled.seconds.size(), 24u);
  EXPECT_EQ(sampled.throttled, 44u);
}

class Always : public ClockWatch {
public:
  void begin() override {}
  bool throttled() override { return true; }
};

TEST(Sampling, EndsIfTheClockStaysLow) {
  const Variant variant{"x", [](unsigned) { return 1.0; }, 1};
  Always clock;
  const Sampled sampled = sample({variant}, {.seconds = 0.05, .precision = 0.01}, &clock).front();
  EXPECT_TRUE(sampled.seconds.empty());
  EXPECT_GE(sampled.throttled, 2u);
}

TEST(HardwareCounters, CountsOrNamesWhatIsUnavailable) {
  std::vector<std::string> unavailable;
  volatile uint64_t sum = 0;
  const std::vector<CounterValue> values = countDuring(
      [&] {
        for (uint64_t i = 0; i < 10000000; ++i)
          sum = sum + i;
      },
      unavailable);
  EXPECT_EQ(values.size() + unavailable.size(), 6u);
  for (const CounterValue &value : values) {
    if (value.name == "cpu_seconds") {
      EXPECT_GT(value.count, 1e-3);
      EXPECT_LT(value.count, 10);
    }
    if (value.name == "instructions") {
      EXPECT_GT(value.count, 3e7);
    }
  }
  for (const std::string &words : unavailable)
    EXPECT_TRUE(words.ends_with(")")) << words; // the kernel's reason
}

} // namespace
} // namespace bench
