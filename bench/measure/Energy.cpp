#include "bench/measure/Energy.h"
#include "bench/measure/Words.h"
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bench {
namespace {

using Path = std::filesystem::path;

std::string lineOf(const Path &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The number in a file of sysfs. Throws with the file and the system's reason.
uint64_t numberIn(const Path &path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  char text[32];
  const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text);
  const int error = errno;
  if (file >= 0)
    close(file);
  if (length < 0)
    throw std::runtime_error(path.string() + ": " + std::strerror(error));
  uint64_t number = 0;
  if (std::from_chars(text, text + length, number).ec != std::errc())
    throw std::runtime_error(path.string() + " is no number");
  return number;
}

/// A zone of powercap: microjoules that start again from 0 above max_energy_range_uj.
class PowercapZone : public EnergyCounter {
public:
  explicit PowercapZone(const Path &zone)
      : path_(zone / "energy_uj"), range_(numberIn(zone / "max_energy_range_uj")), last_(numberIn(path_)) {}
  double take() override {
    const uint64_t now = numberIn(path_), used = now >= last_ ? now - last_ : now + range_ - last_;
    last_ = now;
    return double(used) * 1e-6;
  }

private:
  const Path path_;
  const uint64_t range_;
  uint64_t last_;
};

/// An event of the perf device "power" on one processor of each package.
class PowerEvent : public EnergyCounter {
public:
  PowerEvent(uint32_t type, uint64_t event, int processor, double joules) : joules_(joules) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = type;
    attributes.config = event;
    file_ = int(syscall(SYS_perf_event_open, &attributes, -1, processor, -1, PERF_FLAG_FD_CLOEXEC));
    if (file_ < 0)
      throw std::runtime_error(std::string("perf_event_open: ") + std::strerror(errno));
  }
  PowerEvent(const PowerEvent &) = delete;
  ~PowerEvent() override { close(file_); }
  double take() override {
    uint64_t now = 0;
    if (read(file_, &now, sizeof now) != sizeof now)
      throw std::runtime_error("the event of energy cannot be read");
    const uint64_t used = now - last_;
    last_ = now;
    return double(used) * joules_;
  }

private:
  const double joules_;
  int file_;
  uint64_t last_ = 0;
};

/// Adds the packages and the memory of powercap. intel-rapl-mmio has the packages a second time, and psys contains
/// them.
void addZones(const Path &root, EnergyMeter &meter) {
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(root, error)) {
    if (!entry.path().filename().string().starts_with("intel-rapl:"))
      continue;
    const std::string name = lineOf(entry.path() / "name");
    if (name.starts_with("package"))
      meter.package.push_back(std::make_unique<PowercapZone>(entry.path()));
    else if (name == "dram")
      meter.dram.push_back(std::make_unique<PowercapZone>(entry.path()));
  }
  if (meter.package.empty())
    throw std::runtime_error(root.string() + " has no package");
}

/// The processors of a file such as "0,24" or "0-1".
std::vector<int> processorsOf(const Path &path) {
  std::vector<int> all;
  for (const std::string &part : split(lineOf(path), ',')) {
    const std::vector<std::string> ends = split(part, '-');
    const auto first = parseNumber<int>(path.string(), ends.front(), "a list of processors");
    const auto last = parseNumber<int>(path.string(), ends.back(), "a list of processors");
    for (int i = first; i <= last; ++i)
      all.push_back(i);
  }
  return all;
}

/// Adds an event on the processors of cpumask. Adds nothing if the machine lacks it.
void addEvent(const Path &root, const std::string &name, std::vector<std::unique_ptr<EnergyCounter>> &to) {
  constexpr std::string_view Start = "event=0x";
  const std::string event = lineOf(root / "events" / name);
  if (!event.starts_with(Start))
    return;
  const uint64_t number = std::stoull(event.substr(Start.size()), nullptr, 16);
  const double joules = std::stod(lineOf(root / "events" / (name + ".scale")));
  const auto type = uint32_t(numberIn(root / "type"));
  for (int processor : processorsOf(root / "cpumask"))
    to.push_back(std::make_unique<PowerEvent>(type, number, processor, joules));
}

void addEvents(const Path &root, EnergyMeter &meter) {
  addEvent(root, "energy-pkg", meter.package);
  addEvent(root, "energy-ram", meter.dram);
  if (meter.package.empty())
    throw std::runtime_error(root.string() + " has no event energy-pkg");
}

} // namespace

std::unique_ptr<EnergyMeter> EnergyMeter::open(const Path &powercap, const Path &events, std::string &why) {
  why.clear();
  for (auto [add, root] : {std::pair(&addZones, &powercap), std::pair(&addEvents, &events)}) {
    try {
      auto meter = std::make_unique<EnergyMeter>();
      add(*root, *meter);
      return meter;
    } catch (const std::exception &error) {
      why += (why.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  return nullptr;
}

std::vector<CounterValue> energyOf(EnergyMeter &meter, const std::function<void()> &work, double seconds) {
  using Clock = std::chrono::steady_clock;
  auto take = [](const std::vector<std::unique_ptr<EnergyCounter>> &counters) {
    double sum = 0;
    for (const auto &counter : counters)
      sum += counter->take();
    return sum;
  };
  take(meter.package), take(meter.dram);
  const Clock::time_point start = Clock::now();
  double calls = 0, took = 0;
  do {
    work();
    ++calls;
    took = std::chrono::duration<double>(Clock::now() - start).count();
  } while (took < seconds);
  std::vector<CounterValue> values;
  if (const double package = take(meter.package); package > 0)
    values = {{"package_joules", package / calls}, {"package_watts", package / took}};
  if (const double dram = take(meter.dram); dram > 0)
    values.push_back({"dram_joules", dram / calls});
  return values;
}

} // namespace bench
