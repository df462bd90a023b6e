// The file of --benchmark_out, complete after each benchmark: a platform may end the process during the next one.
#pragma once
#include <benchmark/benchmark.h>

namespace bench {

class IncrementalJson : public benchmark::JSONReporter {
public:
  bool ReportContext(const Context &context) override {
    const bool goesOn = JSONReporter::ReportContext(context);
    complete();
    return goesOn;
  }
  void ReportRuns(const std::vector<Run> &runs) override {
    GetOutputStream().seekp(end_);
    JSONReporter::ReportRuns(runs);
    complete();
  }
  void Finalize() override {} // it is complete

private:
  /// Writes the end of the document, which the next benchmark replaces.
  void complete() {
    end_ = GetOutputStream().tellp();
    JSONReporter::Finalize();
    GetOutputStream().flush();
  }
  std::ostream::pos_type end_;
};

} // namespace bench
