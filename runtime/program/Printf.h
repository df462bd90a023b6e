// What the launches of a program's kernels print, on one device. A launch borrows a buffer when it is issued and gives
// it back when its output has been printed, so a program has as many as it has launches on the device at a time.
#pragma once
#include "backends/Device.h"
#include "runtime/support/Mutex.h"
#include <vector>

namespace kiln {

class DeviceProgram;

/// The buffer of one launch.
struct PrintfBuffer {
  std::unique_ptr<Memory> memory; // an abi::PrintfBuffer
  std::unique_ptr<Memory> copy;   // of it, for the host; null where the host sees `memory`
  std::byte *host() const { return static_cast<std::byte *>(copy ? copy->host : memory->host); }
};

/// Buffers that no launch has.
class PrintfPool {
public:
  Result<PrintfBuffer> acquire(Device &device) KILN_EXCLUDES(mutex_);
  void release(PrintfBuffer buffer) KILN_EXCLUDES(mutex_);

private:
  Mutex mutex_;
  std::vector<PrintfBuffer> free_ KILN_GUARDED_BY(mutex_);
};

/// One launch's output.
class PrintfOutput {
public:
  explicit PrintfOutput(std::shared_ptr<const DeviceProgram> program) : program_(std::move(program)) {}
  /// Before the launch: `address` gets what the launch wants as Launch::printfBuffer.
  Status begin(Stream &stream, uint64_t &address);
  /// Behind the launch.
  Status end(Stream &stream);
  /// When all of it has ended well: the output goes to the C library's stdout.
  void print();

private:
  const std::shared_ptr<const DeviceProgram> program_;
  PrintfBuffer buffer_;
};

} // namespace kiln
