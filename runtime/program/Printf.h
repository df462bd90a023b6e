// printf output of a program on one device. A launch takes a buffer from the pool when it is issued and returns it
// after printing, so the number of buffers is that of concurrent launches.
#pragma once
#include "backends/Device.h"
#include "base/support/Mutex.h"
#include "runtime/program/Trap.h"
#include <optional>
#include <vector>

namespace kiln {

class DeviceProgram;

/// The buffer of one launch.
struct PrintfBuffer {
  std::unique_ptr<Memory> memory; // an abi::PrintfBuffer
  std::unique_ptr<Memory> copy;   // host copy of it; null if the host can access `memory`
  std::byte *host() const { return static_cast<std::byte *>(copy ? copy->host : memory->host); }
};

/// Free buffers.
class PrintfPool {
public:
  Result<PrintfBuffer> acquire(Device &device) KILN_EXCLUDES(mutex_);
  void release(PrintfBuffer buffer) KILN_EXCLUDES(mutex_);

private:
  Mutex mutex_;
  std::vector<PrintfBuffer> free_ KILN_GUARDED_BY(mutex_);
};

/// The printf output of one launch.
class PrintfOutput {
public:
  explicit PrintfOutput(std::shared_ptr<const DeviceProgram> program) : program_(std::move(program)) {}
  /// Called before the launch. Sets `address` to the value of Launch::printfBuffer.
  Status begin(Issuer &issuer, uint64_t &address);
  /// Called after the launch.
  Status end(Issuer &issuer);
  /// Called when all of it has ended: without an error, or, if the host can access the buffer, with one. Writes the
  /// output to the C library's stdout. Returns the launch's first trap on a GPU.
  std::optional<Trap> print();

private:
  const std::shared_ptr<const DeviceProgram> program_;
  PrintfBuffer buffer_;
};

} // namespace kiln
