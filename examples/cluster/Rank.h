// One rank of an MPI run: starts MPI and StarPU, checks the rank's OpenCL devices, builds kernels, submits tasks, and
// reports progress, events and errors. A rank that cannot go on writes its number, its host and the reason to stderr
// and ends the whole run.
#pragma once
#include "examples/cluster/Kernels.h"
#include "examples/cluster/Options.h"
#include "examples/cluster/Watch.h"

#include <mpi.h>

#include <starpu.h>
#include <starpu_mpi.h>
#include <starpu_opencl.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cluster {

/// One kernel as a StarPU codelet. The kernel's arguments are the task's buffers in order, then its scalars.
class Codelet {
public:
  /// Describes one launch: sizes, and the scalar arguments that follow the buffers.
  struct Launch {
    std::vector<size_t> global;
    std::vector<size_t> local; // empty: OpenCL chooses
    int integer;
    std::optional<float> real;
  };
  Codelet(const char *kernel, std::vector<starpu_data_access_mode> modes, struct starpu_opencl_program &program);
  Codelet(const Codelet &) = delete;
  Codelet &operator=(const Codelet &) = delete;

private:
  friend class Rank;
  starpu_codelet codelet_{};
  starpu_perfmodel model_{}; // a history of run times per size, from which the scheduler dmda chooses a device
  const char *kernel_;
  starpu_opencl_program &program_;
};

class Rank {
public:
  /// The options that every program with a Rank has.
  static constexpr std::string_view Options[] = {"result", "timeline", "progress", "placement"};

  /// `taskBytes`: the memory that the largest task needs on the device.
  Rank(int argc, char **argv, const char *program, size_t taskBytes);
  ~Rank();
  Rank(const Rank &) = delete;
  Rank &operator=(const Rank &) = delete;

  int number() const { return number_; }
  int count() const { return count_; }
  void build(const char *kernels, starpu_opencl_program &program);

  /// Submits a task to the rank `owner`; `handles` in the order of the codelet's modes. All ranks call this in the same
  /// order. `name` is the task's name in the timeline.
  void submit(Codelet &codelet, const Codelet::Launch &launch, const std::vector<starpu_data_handle_t> &handles,
              int owner, int priority, std::string name);
  /// Waits for all tasks of all ranks. Returns the seconds since the first submission, the largest of all ranks.
  double finish();

  /// Writes bytes to the result file that all ranks share, if --result was given.
  void writeResult(uint64_t offset, const void *data, size_t bytes);

  [[noreturn]] void fail(const std::string &reason) const;

private:
  struct Event {
    std::string name;
    int worker;
    double begin, end; // microseconds of CLOCK_MONOTONIC
  };
  struct Submitted;
  friend class Codelet;
  static void started(void *buffers[], void *argument);
  static void CL_CALLBACK commandEnded(cl_event event, cl_int status, void *argument);
  static void ended(void *argument);
  void checkDevices(size_t taskBytes) const;
  /// "PROGRAM: rank NUMBER of COUNT on HOST: "
  std::string title() const;
  /// Writes a line about the rank if the process is aborted, as StarPU does when a copy fails.
  void nameInAbort() const;
  void printPlacement(const std::string &processors) const;
  void writeTimeline() const;

  const char *program_;
  const std::string timeline_; // files' common beginning; empty: none
  const bool progress_;
  int number_ = 0, count_ = 1;
  double begin_ = 0; // of the first task; all ranks passed a barrier just before
  std::atomic<uint64_t> submitted_ = 0;
  std::mutex mutex_; // guards the members below
  uint64_t done_ = 0;
  double shown_ = 0;
  std::vector<Event> events_;
  MPI_File result_ = MPI_FILE_NULL;
  std::optional<Watch> watch_;
};

} // namespace cluster
