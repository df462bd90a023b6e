// What kiln-bench has measured, and how it is printed.
#pragma once
#include "bench/measure/HardwareCounters.h"
#include "bench/measure/Peaks.h"
#include "bench/measure/Sampling.h"
#include <optional>

namespace bench {

/// What one launch does.
struct Work {
  uint64_t bytes = 0;             // of memory
  uint64_t reads = 0, writes = 0; // parts of `bytes`; both 0 if they are not known apart
  uint64_t operations = 0;
};

/// One variant on one device.
struct Row {
  std::string name;         // variant/platform/device
  std::string error, label; // error: why there are no samples
  Sampled sampled;
  Work work;
  std::vector<CounterValue> counters; // of one launch
  std::optional<Peaks> peaks;         // of the device
};

/// Registers a Google Benchmark that reports the row: its one iteration has the median's time. The row must live until
/// the benchmarks have run.
void registerRow(const Row &row);
/// Writes all samples to a file, a line for each row. Throws if it cannot be written.
void writeSamples(const std::vector<Row> &rows, const std::string &path);

} // namespace bench
