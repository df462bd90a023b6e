#include "bench/measure/Rows.h"
#include <benchmark/benchmark.h>
#include <fstream>
#include <stdexcept>

namespace bench {

void registerRow(const Row &row) {
  auto body = [&row](benchmark::State &state) {
    if (!row.error.empty())
      return state.SkipWithError(row.error.c_str());
    const double seconds = row.sampled.time.value;
    for ([[maybe_unused]] auto _ : state)
      state.SetIterationTime(seconds);
    auto rate = [](uint64_t bytes) { // not SetBytesProcessed, which prints GiB: reports say GB
      return benchmark::Counter(double(bytes), benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
    };
    const Work &work = row.work;
    state.counters["bytes_per_second"] = rate(work.bytes);
    if (work.reads || work.writes) {
      state.counters["read_bytes_per_second"] = rate(work.reads);
      state.counters["written_bytes_per_second"] = rate(work.writes);
    }
    state.counters["samples"] = double(row.sampled.seconds.size());
    state.counters["+-%"] = 100 * row.sampled.time.halfWidth() / seconds;
    if (row.sampled.throttled)
      state.counters["throttled"] = double(row.sampled.throttled);
    if (work.operations)
      state.SetItemsProcessed(int64_t(work.operations));
    if (row.peaks) {
      const auto operations = double(work.operations), bytes = double(work.bytes);
      state.counters["peak_bytes_per_second"] = row.peaks->bytesPerSecond;
      state.counters["peak_items_per_second"] = row.peaks->operationsPerSecond;
      state.counters["roofline_%"] = 100 * operations / seconds / roof(*row.peaks, operations, bytes);
    }
    for (const CounterValue &counter : row.counters)
      state.counters[counter.name] = counter.count;
    state.SetLabel(row.label);
  };
  benchmark::RegisterBenchmark(row.name.c_str(), body)->UseManualTime()->Iterations(1)->Unit(benchmark::kMicrosecond);
}

void writeSamples(const std::vector<Row> &rows, const std::string &path) {
  std::ofstream file(path);
  for (const Row &row : rows) {
    if (!row.error.empty())
      continue;
    file << row.name;
    for (double seconds : row.sampled.seconds)
      file << '\t' << seconds;
    file << '\n';
  }
  if (!file.flush())
    throw std::runtime_error("--samples is " + path + ", which cannot be written");
}

} // namespace bench
