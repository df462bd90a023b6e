// Energy of the processors, with folders in place of those of /sys.
#include "bench/measure/Energy.h"
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace bench {
namespace {

class Energy : public testing::Test {
protected:
  Energy() { std::filesystem::remove_all(root_); }
  ~Energy() override { std::filesystem::remove_all(root_); }
  void write(const std::string &name, const std::string &text) const {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  void zone(const std::string &name, const std::string &kind, uint64_t microjoules) const {
    write("powercap/" + name + "/name", kind);
    write("powercap/" + name + "/max_energy_range_uj", "1000000");
    write("powercap/" + name + "/energy_uj", std::to_string(microjoules));
  }
  std::unique_ptr<EnergyMeter> open() { return EnergyMeter::open(root_ / "powercap", root_ / "power", why_); }
  static double valueOf(const std::vector<CounterValue> &values, const std::string &name) {
    for (const CounterValue &one : values)
      if (one.name == name)
        return one.count;
    return -1;
  }
  const std::filesystem::path root_ = testing::TempDir() + "kiln-energy";
  std::string why_;
};

TEST_F(Energy, OfTwoPackagesAndMemoryOverTheEndOfTheRange) {
  zone("intel-rapl:0", "package-0", 100);
  zone("intel-rapl:0:0", "core", 100); // a part of the package
  zone("intel-rapl:0:1", "dram", 10);
  zone("intel-rapl:1", "package-1", 999000);
  zone("intel-rapl:2", "psys", 5);             // contains the packages
  zone("intel-rapl-mmio:0", "package-0", 100); // the same package
  const auto meter = open();
  ASSERT_TRUE(meter) << why_;
  int calls = 0;
  const std::vector<CounterValue> values = energyOf(
      *meter,
      [&] {
        ++calls;
        zone("intel-rapl:0", "package-0", 200100); // 0.2 J
        zone("intel-rapl:1", "package-1", 99000);  // 0.1 J, and the counter started again
        zone("intel-rapl:0:1", "dram", 50010);
        zone("intel-rapl:2", "psys", 900000);
      },
      0);
  EXPECT_EQ(calls, 1);
  EXPECT_DOUBLE_EQ(valueOf(values, "package_joules"), 0.3);
  EXPECT_DOUBLE_EQ(valueOf(values, "dram_joules"), 0.05);
  EXPECT_GT(valueOf(values, "package_watts"), 0.3);
}

TEST_F(Energy, IsThatOfOneCall) {
  zone("intel-rapl:0", "package-0", 0);
  const auto meter = open();
  ASSERT_TRUE(meter) << why_;
  int calls = 0;
  const auto values = energyOf(*meter, [&] { zone("intel-rapl:0", "package-0", uint64_t(100) * ++calls); }, 0.01);
  ASSERT_GT(calls, 1);
  EXPECT_NEAR(valueOf(values, "package_joules"), 1e-4, 1e-9);
  EXPECT_EQ(valueOf(values, "dram_joules"), -1) << "the machine has no such counter";
}

TEST_F(Energy, ACounterThatStandsStillHasNoValue) {
  zone("intel-rapl:0", "package-0", 7);
  const auto meter = open();
  ASSERT_TRUE(meter) << why_;
  EXPECT_TRUE(energyOf(*meter, [] {}, 0).empty());
}

TEST_F(Energy, ReasonsWithoutCounters) {
  EXPECT_FALSE(open());
  EXPECT_EQ(why_, (root_ / "powercap").string() + " has no package; " + (root_ / "power").string() +
                      " has no event energy-pkg");
}

TEST_F(Energy, ReasonsWhenLinuxRefuses) {
  zone("intel-rapl:0", "package-0", 7);
  std::filesystem::remove(root_ / "powercap/intel-rapl:0/energy_uj");
  std::filesystem::create_directory(root_ / "powercap/intel-rapl:0/energy_uj"); // cannot be read, even by root
  write("power/type", "4000000000");                                            // no perf device has this type
  write("power/cpumask", "0");
  write("power/events/energy-pkg", "event=0x02");
  write("power/events/energy-pkg.scale", "2.3283064365386962890625e-10");
  EXPECT_FALSE(open());
  EXPECT_NE(why_.find("energy_uj: Is a directory; perf_event_open: "), std::string::npos) << why_;
}

// The software clock of a processor in place of energy: an event that every machine may have.
TEST_F(Energy, OfAPerfEvent) {
  write("power/type", "1");
  write("power/cpumask", "0");
  write("power/events/energy-pkg", "event=0x0"); // PERF_COUNT_SW_CPU_CLOCK: nanoseconds
  write("power/events/energy-pkg.scale", "1e-9");
  const auto meter = open();
  if (!meter)
    GTEST_SKIP() << why_;
  const auto values = energyOf(*meter, [] { usleep(1000); }, 0.05);
  EXPECT_NEAR(valueOf(values, "package_watts"), 1, 0.3) << "a second of clock counts as a joule";
}

} // namespace
} // namespace bench
