#include "bench/measure/Measure.h"
#include "bench/measure/ChildProcess.h"
#include "bench/measure/DeviceClock.h"
#include "bench/measure/Display.h"
#include "bench/measure/Energy.h"
#include "bench/measure/Processors.h"
#include "bench/measure/RowMessage.h"
#include "bench/measure/Targets.h"
#include "bench/measure/TerminalLine.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdio>

namespace bench {

const char *const RequestUsage = R"(usage: kiln-bench [OPTIONS] FILE.cl...           kernels of one's own, OpenCL C
       kiln-bench [OPTIONS] FILE.yaml            the same, with options in a file
       kiln-bench [OPTIONS] BUNDLE...            launches that KILN_CAPTURE has captured
       kiln-bench [OPTIONS]                      Kiln's own benchmarks; only in a clone of its sources

Measures on every device of every OpenCL platform. Several sources are variants: they run in turn (A B B A ...), and
each is compared with the first, or with that of --base. Sampling ends when the times and the verdicts are known.
Samples that were taken while the clock was lowered are thrown away.

  --source=FILE       a file with the kernel; FILE.cl alone means the same
  --options=TEXT      build options: before the first --source of all, after a --source of this one
  --pipeline=NAME=P   a variant with other passes, on Kiln: P is builtin.module(...), or a file with it or with a
                      schedule (docs/schedules.md). One alone is compared with Kiln's own passes
  --axis=NAME=V,V     a variant for each value of a macro (-DNAME=V), or of the local size (local=64,128). Two axes
                      make a grid, which kiln-report draws
  --base=NAME         a part of the name, the options or the label of the variant that others are compared with (the
                      first one)
  --kernel=NAME       the kernel; needed if the source has several
  --size=1024x64      global size (1048576); several with commas are measured one after the other
  --local=16x16       local size (chosen by the runtime)
  --arg=[NAME=]VALUE  an argument, by name, by number, or in order:
                        number, vector   7   0.5   1,2,3,4
                        pointer          random, zero or iota, and :COUNT for another number of elements than
                                         work-items (zero:4096, zero:2/item)
                        local memory     zero:COUNT
                        image            random, zero or iota, and :EXTENT:ORDER,TYPE (random:64x64:rgba,float)
                        sampler          words of nearest, linear; none, clamp, clamp_to_edge, repeat,
                                         mirrored_repeat; normalized
                        pipe             zero:COUNT, a number of packets
                        structure, bytes bytes:HEX, file:PATH
  --reference=FILE    a source whose kernel of the same name computes the right result, on the same device
  --expect=NAME=FILE  the bytes that argument NAME must have after a launch
  --tolerance=T       allowed difference of numbers, relative for values above 1 (0)
  --bytes=N           bytes of a launch, or N/item, for the bandwidth (the sum of all buffers and images)
  --reads=N, --writes=N  the same for the bytes that are read and written (those of pointers to const and images that
                      are read_only; those of all others)
  --ops=N             operations of a launch, or N/item
  --ops-type=TYPE     of the peak to compare them with: float, double or int (float)
  --cold              measure also with caches that are flushed before each launch
  --roofline          measure the device's peaks, and report the share of what the roofline allows; needs --ops
  --counters          report counters of the processors for a launch, on CPU devices
  --energy            report the energy of a launch, on CPU devices: that of the machine's processors and memory (RAPL)
  --processors=N      run on N processors, one of each core first (all that kiln-bench may use)
  --platform=NAME     only platforms whose name contains NAME; --device=NAME the same for devices
  --precision=P       percent of the median to which it must be known (1)
  --seconds=S         limit for the samples of one device and size (10)
  --samples=FILE      write all times to FILE: a line has the name and the seconds of each sample

Keys of FILE.yaml: source (a file, {file, options}, or a list of them), base, options, pipelines (a map of names and
files), axes (a map of macros and values), kernel, size, local, arguments (a map), check ({reference, expect, tolerance}),
bytes, reads, writes, operations, type, cold, roofline, counters, energy, processors, platform, device, seconds,
precision. Paths are relative to the file. Options of the command line replace those of the file.

Options of Google Benchmark follow: --benchmark_out=FILE, --benchmark_filter=NAME, --benchmark_format=json.
For Kiln's own benchmarks: --platform=NAME --device=INDEX --large=yes --suite=yes --peaks=yes (for kiln-report)
--processors=N.
)";

namespace {

void say(const std::string &words) { fprintf(stderr, "kiln-bench: %s\n", words.c_str()); }

/// Measures all variants on one device, and sends the rows.
class DeviceRun {
public:
  /// `missing` is called with what cannot be measured, and why.
  DeviceRun(const TargetDevice &target, const Request &request, Progress &progress, const Send &send,
            const Send &missing)
      : target_(target), request_(request), progress_(progress), send_(send), missing_(missing) {}

  void run() {
    std::string why;
    clock_ = watchClock(target_.device, why);
    if (!clock_)
      missing("a lowered clock cannot be seen: " + why);
    if (request_.roofline)
      findPeaks();
    cl_device_type type = 0;
    check(clGetDeviceInfo(target_.device, CL_DEVICE_TYPE, sizeof type, &type, nullptr), "clGetDeviceInfo");
    const bool isCpu = type & CL_DEVICE_TYPE_CPU;
    counts_ = request_.counters && isCpu;
    if (request_.counters && !counts_)
      missing("--counters: only those of CPU devices are available");
    if (request_.energy)
      openEnergy(isCpu);

    if (request_.sources.empty()) {
      Workplace workplace(target_.device, progress_);
      measure(workplace.fromBundles(request_));
    } else {
      const std::vector<std::vector<size_t>> usual = {{size_t(1) << 20}};
      for (const std::vector<size_t> &size : request_.sizes.empty() ? usual : request_.sizes) {
        if (request_.sizes.size() > 1)
          say("size " + std::to_string(++sizes_) + " of " + std::to_string(request_.sizes.size()));
        Workplace workplace(target_.device, progress_);
        measure(workplace.fromSources(request_, size));
      }
    }
    if (throttled_)
      say(std::to_string(throttled_) + " of " + std::to_string(samples_) +
          " samples were thrown away, because the clock was lowered");
  }

private:
  void missing(const std::string &words) {
    say(words);
    missing_(target_.name + ": " + words);
  }

  void findPeaks() {
    progress_.setKernel("peaks");
    try {
      peaks_ = measurePeaks(Session(target_.device), request_.operationType);
    } catch (const std::exception &error) {
      missing("no roofline: " + std::string(error.what()));
    }
  }

  void openEnergy(bool isCpu) {
    std::string why = "only that of CPU devices is available";
    if (isCpu)
      energy_ = EnergyMeter::open("/sys/class/powercap", "/sys/bus/event_source/devices/power", why);
    if (!energy_)
      missing("--energy: " + why);
  }

  void measure(const std::vector<Candidate> &candidates) {
    measure(candidates, &Candidate::variant);
    if (request_.cold)
      measure(candidates, &Candidate::cold);
  }

  void measure(const std::vector<Candidate> &candidates, Variant Candidate::*form) {
    std::vector<Variant> variants;
    for (const Candidate &candidate : candidates)
      if (candidate.error.empty())
        variants.push_back(candidate.*form);
    std::vector<Sampled> samples;
    TerminalLine line(stderr);
    const size_t most = *std::prev(std::end(Comparison::Looks));
    const std::string name = variants.empty() ? "" : variants.front().name;
    auto progress = [&](size_t rounds, double secondsLeft) {
      line.show("kiln-bench: " + name + " on " + target_.name + ": round " + std::to_string(rounds) + " of at most " +
                std::to_string(most) + ", at most " + std::to_string(std::max(0, int(secondsLeft))) + " s left");
    };
    const Limits limits{request_.seconds, request_.precision, progress};
    if (!request_.sources.empty() && !variants.empty())
      samples = sample(variants, limits, clock_.get());
    else // bundles are different launches, so their times are not compared
      for (const Variant &variant : variants)
        samples.push_back(sample({variant}, limits, clock_.get()).front());
    auto sampled = samples.begin();
    std::string first;
    for (const Candidate &candidate : candidates) {
      const Variant &variant = candidate.*form;
      Row row;
      row.name = variant.name + "/" + target_.name, row.error = candidate.error, row.label = candidate.note;
      row.work = candidate.work, row.peaks = peaks_;
      if (row.error.empty()) {
        row.sampled = std::move(*sampled++);
        if (row.sampled.seconds.empty())
          row.error = "the clock was lowered during all " + std::to_string(row.sampled.throttled) + " samples";
        else if (row.sampled.comparison.rounds())
          row.label = describe(row.sampled.comparison, first) + (row.label.empty() ? "" : "; ") + row.label;
        if (first.empty())
          first = variant.name;
        if (counts_ && form == &Candidate::variant) // a cold run flushes the caches as well
          row.counters = count(variant);
        if (energy_ && form == &Candidate::variant)
          addEnergy(variant, row.counters);
      }
      throttled_ += row.sampled.throttled, samples_ += row.sampled.throttled + row.sampled.seconds.size();
      send_(packRow(row));
    }
  }

  /// Counts several launches. Counting costs time, so they are none of the samples.
  std::vector<CounterValue> count(const Variant &variant) {
    std::vector<std::string> unavailable;
    std::vector<CounterValue> counters = countDuring([&] { variant.run(variant.launches); }, unavailable);
    for (CounterValue &counter : counters)
      counter.count /= variant.launches;
    if (!unavailable.empty() && !saidUnavailable_) {
      std::string names;
      for (const std::string &name : unavailable)
        names += (names.empty() ? "" : ", ") + name;
      missing("counters that are unavailable: " + names);
      saidUnavailable_ = true;
    }
    return counters;
  }

  /// Measures the energy of launches for half a second: RAPL's counters are updated about once in a millisecond.
  void addEnergy(const Variant &variant, std::vector<CounterValue> &counters) {
    std::vector<CounterValue> values = energyOf(*energy_, [&] { variant.run(variant.launches); }, 0.5);
    if (values.empty()) {
      missing("--energy: the machine's counters of energy do not count, as in most virtual machines");
      energy_.reset();
    }
    for (CounterValue &value : values) {
      if (value.name.ends_with("_joules"))
        value.count /= variant.launches;
      counters.push_back(value);
    }
  }

  const TargetDevice &target_;
  const Request &request_;
  Progress &progress_;
  const Send &send_, &missing_;
  std::unique_ptr<EnergyMeter> energy_;
  std::unique_ptr<ClockWatch> clock_;
  std::optional<Peaks> peaks_;
  size_t sizes_ = 0; // begun
  size_t throttled_ = 0, samples_ = 0;
  bool counts_ = false, saidUnavailable_ = false;
};

/// What a message of the child process contains, which its first character says.
constexpr char DeviceMessage = 'd', RowMessage = 'r', MissingMessage = 'm';

/// Measures on the devices from `first` on. Sends the names of all devices, a row for each variant, and what cannot be
/// measured.
void measureDevices(const Request &request, size_t first, Progress &progress, const Send &send) {
  progress.device = first;
  const std::vector<TargetDevice> targets = targetDevices(request.platform, request.device, progress);
  for (const TargetDevice &target : targets)
    send(DeviceMessage + target.name);
  for (size_t i = first; i < targets.size(); ++i) {
    say("measuring on " + targets[i].name + " (" + std::to_string(i + 1) + " of " + std::to_string(targets.size()) +
        ")");
    progress.device = i;
    progress.setKernel("context");
    DeviceRun(
        targets[i], request, progress, [&](const std::string &row) { send(RowMessage + row); },
        [&](const std::string &words) { send(MissingMessage + words); })
        .run();
  }
}

struct Measured {
  std::vector<std::string> devices;
  std::vector<Row> rows;
  std::vector<std::string> missing; // what could not be measured, and why
  int status = 0;                   // 1: an error has been printed
};

/// Measures on all devices. A platform that ends the process has an error as its last row, and the devices that follow
/// are measured by another process. Throws if there is no row because a platform cannot list its devices.
Measured measureAll(const Request &request) {
  Measured all;
  for (size_t first = 0;;) {
    std::vector<std::string> devices;
    const ChildProcess child(
        [&](Progress &progress, const Send &send) {
          measureDevices(request, first, progress, send);
          return 0;
        },
        [&](const std::string &message) {
          if (message.front() == DeviceMessage)
            devices.push_back(message.substr(1));
          else if (message.front() == MissingMessage)
            all.missing.push_back(message.substr(1));
          else
            all.rows.push_back(unpackRow(std::string_view(message).substr(1)));
        });
    const Progress &progress = child.progress();
    all.status |= progress.status;
    if (!devices.empty())
      all.devices = devices;
    if (child.brokenBy().empty())
      return all;
    if (devices.empty()) {
      const std::string reason = "the platform " + std::string(progress.platform) +
                                 " ended the process: " + child.brokenBy() + ", when its devices were listed";
      if (all.rows.empty())
        throw std::runtime_error(reason);
      say(reason + "; the results before it are kept");
      all.status = 1;
      return all;
    }
    const std::string ended = "the platform ended the process: " + child.brokenBy();
    Row row;
    row.name = std::string(progress.kernel) + "/" + all.devices[progress.device];
    row.error = ended;
    say(row.name + ": " + ended + "; the results before it are kept");
    all.rows.push_back(std::move(row));
    all.status = 1;
    first = progress.device + 1;
    if (first == all.devices.size())
      return all;
  }
}

/// For programs that read the results.
std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += (text.empty() ? "" : "\n") + line;
  return text;
}

} // namespace

int measureRequest(const Request &request, const char *program) {
  if (request.processors)
    useProcessors(request.processors);
  const Measured measured = measureAll(request);
  if (measured.rows.empty())
    return measured.status;
  if (!request.samples.empty())
    writeSamples(measured.rows, request.samples);
  benchmark::AddCustomContext("devices", joined(measured.devices)); // benchmarks' names end with them
  if (!measured.missing.empty())
    benchmark::AddCustomContext("missing", joined(measured.missing));
  benchmark::AddCustomContext("processors", std::to_string(usableProcessors().size()));
  benchmark::ClearRegisteredBenchmarks();
  bool ran = false, wrong = false;
  for (const Row &row : measured.rows) {
    registerRow(row);
    ran |= row.error.empty();
    wrong |= row.error.starts_with(WrongResult);
  }
  std::vector<std::string> options = {program};
  options.insert(options.end(), request.others.begin(), request.others.end());
  std::vector<char *> pointers;
  for (std::string &option : options)
    pointers.push_back(option.data());
  int count = int(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data()))
    return 1;
  benchmark::RunSpecifiedBenchmarks(display());
  return !ran || wrong || measured.status;
}

} // namespace bench
