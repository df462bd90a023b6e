// Passes of single kernels, which the user puts into the folder of KILN_SCHEDULES or of the build option
// -kiln-schedules:
//
//   saxpy.cpu.pipeline               kernels of this name
//   1f0c53a2b4d7e689.cpu.pipeline    the kernel with this hash (KernelInfo::hash); preferred to the name
//   saxpy.cpu.mlir                   a schedule in the transform dialect instead of a pipeline
//
// The second part is the target's kind, as in KILN_PIPELINE_CPU. A pipeline is builtin.module(...), over several lines
// if need be; lines that start with # are comments. A schedule is compiled again for each local size in use where
// Kiln's own passes are: its passes read the local size from the module.
#pragma once
#include "base/abi/ProgramInfo.h"
#include "base/protocol/Protocol.h"
#include "base/support/Status.h"
#include <map>

namespace kiln {

struct Schedule {
  std::string path, pipeline; // pipeline: protocol::scheduleText
  void applyTo(protocol::BuildRequest &request) const { request.pipeline = pipeline, request.pipelineFile = path; }
};

class Schedules {
public:
  /// Reads a folder. CL_BUILD_PROGRAM_FAILURE with the file and the rule if it cannot be read or has a file that is no
  /// schedule, or two schedules of one kernel.
  static Result<Schedules> read(const std::string &folder);
  /// The schedule of a kernel for a target, as protocol::BuildRequest names it; null if there is none.
  const Schedule *find(const KernelInfo &kernel, const std::string &target) const;

private:
  std::map<std::pair<std::string, std::string>, Schedule> all_; // by kernel's name or hash, and target's kind
};

} // namespace kiln
