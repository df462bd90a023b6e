// What Google Benchmark prints, without its warning that the library is a debug build.
#pragma once
#include <benchmark/benchmark.h>

namespace bench {

/// Returns the reporter of --benchmark_format. It replaces the line "Library was built as DEBUG": Debian compiles the
/// library with optimisation and assertions, and the times are kiln-bench's own (UseManualTime), so it is not true that
/// timings are affected. The JSON keeps `library_build_type`.
benchmark::BenchmarkReporter *display();

} // namespace bench
