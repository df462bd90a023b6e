// The counts of all kernels of the process, written when it ends (KILN_EMULATOR_COUNTS).
#pragma once
#include "base/support/Mutex.h"
#include "emulator/machine/Counts.h"
#include "emulator/machine/Launch.h"
#include <map>
#include <string>

namespace kiln::emulator {

class CountReport {
public:
  /// Adds a launch that has ended.
  void add(const Launch &launch, const Counts &counts) KILN_EXCLUDES(mutex_);
  std::string table() KILN_EXCLUDES(mutex_);
  std::string json() KILN_EXCLUDES(mutex_);

private:
  struct Row {
    u64 launches = 0, waves = 0;
    unsigned vectorRegisters = 0, scalarRegisters = 0, localBytes = 0, scratchBytes = 0;
    unsigned occupancy = 0, mostWaves = 0; // of the last launch
    std::string limit;
    Counts counts;
  };
  Mutex mutex_;
  std::map<std::pair<std::string, std::string>, Row> rows_ KILN_GUARDED_BY(mutex_); // by processor and kernel
};

/// The report of the process. The first call makes the end of the process write it.
CountReport &countReport();

} // namespace kiln::emulator
