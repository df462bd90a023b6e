#include "bench/measure/Display.h"
#include <iostream>
#include <string>
#include <string_view>

namespace bench {
namespace {

/// Passes lines on to standard error. Replaces the warning about the library.
class LineFilter : public std::streambuf {
  int_type overflow(int_type next) override {
    if (traits_type::eq_int_type(next, traits_type::eof()))
      return traits_type::not_eof(next);
    line_ += traits_type::to_char_type(next);
    if (next == '\n')
      pass();
    return next;
  }
  int sync() override {
    pass();
    std::cerr.flush();
    return 0;
  }
  void pass() {
    if (std::string_view(line_).starts_with("***WARNING*** Library was built as DEBUG"))
      line_ = "times: measured by kiln-bench, not by Google Benchmark, which this system has with assertions\n";
    std::cerr << line_;
    line_.clear();
  }
  std::string line_;
};

} // namespace

benchmark::BenchmarkReporter *display() {
  static LineFilter filter;
  static std::ostream errors(&filter);
  benchmark::BenchmarkReporter *reporter = benchmark::CreateDefaultDisplayReporter();
  reporter->SetErrorStream(&errors);
  return reporter;
}

} // namespace bench
