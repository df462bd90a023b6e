#include "backends/gpu/driver/CompletionWord.h"
#include "backends/gpu/driver/GpuDevice.h"
#include "base/support/Trace.h"

namespace kiln::gpu {
namespace {

constexpr uint64_t QueryInterval = 100'000; // nanoseconds

} // namespace

CompletionWord::CompletionWord(GpuDevice &device, StreamHandle stream) : device_(device), stream_(stream) {
  const DriverFunctions &calls = device.driver().calls;
  if (!calls.writeWord || !calls.queryStream)
    return;
  ScopedContext current(device);
  if (!current)
    return;
  Result<DriverMemoryPool::Block> block = device.hostPool().acquire(sizeof *word_);
  if (!block.ok())
    return;
  block_ = *block;
  auto *host = reinterpret_cast<uint32_t *>(block_.address);
  if (device.run(calls.hostGetDevicePointer, &address_, static_cast<void *>(host), 0u).ok()) {
    *host = last_;
    word_ = host;
  }
}

CompletionWord::~CompletionWord() {
  if (block_.address && device_.usable())
    device_.hostPool().release(block_);
}

Result<uint32_t> CompletionWord::write() {
  const uint32_t number = last_ + 1 ? last_ + 1 : 1;
  KILN_TRY(device_.run(device_.driver().calls.writeWord, stream_, address_, number, 0u));
  last_ = number;
  return number;
}

int CompletionWord::poll() {
  const uint64_t now = nowNanoseconds();
  if (now - lastQuery_ < QueryInterval)
    return Driver::NotReady;
  lastQuery_ = now;
  return device_.driver().calls.queryStream.function(stream_);
}

} // namespace kiln::gpu
