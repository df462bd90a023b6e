#include "emulator/machine/CountReport.h"
#include "base/support/Json.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "emulator/machine/Occupancy.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace kiln::emulator {
namespace {

constexpr const char *UnitNames[Units] = {"salu",    "valu", "trans",  "smem",    "vmem",
                                          "scratch", "lds",  "branch", "barrier", "wait"};

void writeReport() {
  const std::string &path = options().emulatorCounts;
  if (path == "-") {
    std::fputs(countReport().table().c_str(), stderr);
    return;
  }
  std::ofstream file(path);
  file << (path.ends_with(".json") ? countReport().json() : countReport().table());
  if (!file.flush())
    KILN_LOG(Error, Device, "KILN_EMULATOR_COUNTS is '", path, "', must be a file that can be written, or '-'");
}

} // namespace

void CountReport::add(const Launch &launch, const Counts &counts) {
  const KernelCode &kernel = *launch.kernel;
  const Occupancy occupancy = occupancyOf(launch);
  Lock lock(mutex_);
  Row &row = rows_[{launch.gpu->name, kernel.name}];
  ++row.launches;
  row.waves += u64(launch.groups[0]) * launch.groups[1] * launch.groups[2] *
               ((launch.items() + kernel.waveSize - 1) / kernel.waveSize);
  row.vectorRegisters = kernel.usedVectors;
  row.scalarRegisters = kernel.usedScalars;
  row.localBytes = launch.localBytes();
  row.scratchBytes = kernel.descriptor.private_segment_fixed_size;
  row.occupancy = occupancy.waves;
  row.mostWaves = occupancy.most;
  row.limit = occupancy.limit;
  row.counts.add(counts);
}

std::string CountReport::table() {
  Lock lock(mutex_);
  std::string result;
  char line[512];
  auto append = [&](auto... values) {
    std::snprintf(line, sizeof line, values...);
    result += line;
  };
  append("%-10s %-28s %8s %9s %12s", "processor", "kernel", "launches", "waves", "instructions");
  for (const char *unit : UnitNames)
    append(" %10s", unit);
  append(" %10s %10s %10s %10s %5s %5s %7s %8s %s\n", "read-lines", "written", "scalar", "conflicts", "vgpr", "sgpr",
         "lds-B", "scratch-B", "occupancy");
  for (const auto &[key, row] : rows_) {
    append("%-10s %-28s %8llu %9llu %12llu", key.first.c_str(), key.second.c_str(), (unsigned long long)row.launches,
           (unsigned long long)row.waves, (unsigned long long)row.counts.total());
    for (u64 count : row.counts.instructions)
      append(" %10llu", (unsigned long long)count);
    append(" %10llu %10llu %10llu %10llu %5u %5u %7u %9u %u of %u, by %s\n", (unsigned long long)row.counts.lines,
           (unsigned long long)row.counts.storedLines, (unsigned long long)row.counts.scalarLines,
           (unsigned long long)row.counts.bankConflicts, row.vectorRegisters, row.scalarRegisters, row.localBytes,
           row.scratchBytes, row.occupancy, row.mostWaves, row.limit.c_str());
  }
  return result;
}

std::string CountReport::json() {
  Lock lock(mutex_);
  std::string result = "[";
  for (const auto &[key, row] : rows_) {
    result += text(result.size() > 1 ? ",\n" : "\n", "{\"processor\": ", json::quoted(key.first),
                   ", \"kernel\": ", json::quoted(key.second), ", \"launches\": ", row.launches,
                   ", \"waves\": ", row.waves, ", \"instructions\": ", row.counts.total());
    for (size_t i = 0; i < Units; ++i)
      result += text(", \"", UnitNames[i], "\": ", row.counts.instructions[i]);
    result += text(", \"lines_read\": ", row.counts.lines, ", \"lines_written\": ", row.counts.storedLines,
                   ", \"scalar_lines\": ", row.counts.scalarLines, ", \"bank_conflicts\": ", row.counts.bankConflicts,
                   ", \"vector_registers\": ", row.vectorRegisters, ", \"scalar_registers\": ", row.scalarRegisters,
                   ", \"local_bytes\": ", row.localBytes, ", \"scratch_bytes\": ", row.scratchBytes,
                   ", \"occupancy\": ", row.occupancy, ", \"most_waves\": ", row.mostWaves, ", \"limited_by\": \"",
                   row.limit, "\"}");
  }
  return result + "\n]\n";
}

CountReport &countReport() {
  static auto *leaked = [] {
    auto *report = new CountReport; // streams' threads use it until the process ends
    std::atexit(writeReport);
    return report;
  }();
  return *leaked;
}

} // namespace kiln::emulator
