// One build of a program for several devices: their steps run side by side, and what two of them ask of the compiler in
// the same words is asked once.
#pragma once
#include "runtime/compiler/Compiler.h"
#include "runtime/program/Program.h"
#include <map>

namespace kiln {

class BuildRun {
public:
  /// A device's row, which its step fills in.
  struct Row {
    DeviceObject *device;
    BuildState state;
  };
  using Step = std::function<void(BuildRun &run, DeviceObject &device, BuildState &state)>;

  /// Does the step for every row; returns the rows when all are done.
  static std::vector<Row> all(std::vector<Row> rows, Step step);

  // As Compiler's; devices whose options and extensions agree share the SPIR-V, and those of one target the code.
  SourceResult compile(const protocol::CompileRequest &request);
  SourceResult link(const std::vector<wire::Bytes> &modules, const std::string &mathOptions, bool library);
  CodeResult build(const protocol::BuildRequest &request, const wire::Bytes &sealed);

  BuildRun(std::vector<Row> rows, Step step) : step_(std::move(step)), count_(rows.size()), rows_(std::move(rows)) {}

private:
  /// Takes rows until there are none left.
  void work() noexcept;

  /// Who asks second waits for the answer to the first.
  template <typename Answer> class Once {
  public:
    template <typename Ask> Answer get(wire::Bytes question, Ask ask);

  private:
    struct Entry {
      bool known = false, noMemory = false;
      Answer answer;
    };
    Mutex mutex_;
    ConditionVariable answered_;
    std::map<wire::Bytes, Entry> entries_ KILN_GUARDED_BY(mutex_);
  };

  const Step step_;
  const size_t count_;
  std::vector<Row> rows_; // each its taker's; when all are done, nobody's but the caller's
  std::atomic<size_t> taken_{0};
  Mutex mutex_;
  ConditionVariable rowDone_;
  size_t done_ KILN_GUARDED_BY(mutex_) = 0;
  Once<SourceResult> compiled_, linked_;
  Once<CodeResult> built_;
};

} // namespace kiln
