#include "backends/gpu/driver/DriverMemoryPool.h"
#include "backends/gpu/driver/GpuDevice.h"
#include "base/support/Log.h"
#include <algorithm>
#include <bit>

namespace kiln::gpu {
namespace {

constexpr size_t MaxStep = 2 << 20; // the page size of drivers; an eighth of 60 GB may be more than is free

/// Rounds up to one of few sizes, so that blocks can be reused: at most an eighth or 2 MiB more, and at least a
/// multiple of 256 bytes. Kernels may read vectors past the end.
size_t roundUp(size_t bytes) {
  size_t step = std::clamp<size_t>(std::bit_floor(bytes) / 8, 256, MaxStep);
  return bytes > SIZE_MAX - step ? bytes : (bytes + step - 1) / step * step;
}

} // namespace

int DriverMemoryPool::allocate(size_t bytes, Block &block) const {
  const DriverFunctions &calls = device_.driver().calls;
  block.size = bytes;
  if (where_ == Where::Device)
    return calls.allocate.function(&block.address, bytes);
  void *host = nullptr;
  int code = calls.allocateHost.function(&host, bytes, HostPortable | HostMapped);
  block.address = uint64_t(host);
  return code;
}

void DriverMemoryPool::free(Block block) const {
  const DriverFunctions &calls = device_.driver().calls;
  if (!device_.usable())
    return; // allocated by the parent, the process ends, or a launch that did not end in time still uses the block
  int code = where_ == Where::Device ? calls.free.function(block.address)
                                     : calls.freeHost.function(reinterpret_cast<void *>(block.address));
  if (code)
    (void)device_.failed(code, where_ == Where::Device ? calls.free.name : calls.freeHost.name);
}

Result<DriverMemoryPool::Block> DriverMemoryPool::acquire(size_t bytes) {
  size_t size = roundUp(bytes);
  {
    Lock lock(mutex_);
    auto fitting = kept_.lower_bound(size);
    if (fitting != kept_.end() && fitting->first <= size + size / 4) {
      Block block{fitting->second, fitting->first};
      kept_.erase(fitting);
      keptBytes_ -= block.size;
      return block;
    }
  }
  if (!device_.usable())
    return device_.lostStatus();
  Block block;
  int code = allocate(size, block);
  if (code == Driver::OutOfMemory) {
    trim();
    code = allocate(size, block);
  }
  const DriverFunctions &calls = device_.driver().calls;
  if (code == Driver::OutOfMemory)
    return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no ", where_ == Where::Device ? "device" : "pinned", " memory for ",
                bytes, " bytes");
  if (code)
    return device_.failed(code, where_ == Where::Device ? calls.allocate.name : calls.allocateHost.name);
  return block;
}

void DriverMemoryPool::release(Block block) noexcept {
  try {
    Lock lock(mutex_);
    if (keptBytes_ + block.size <= limit_ && device_.usable()) {
      kept_.emplace(block.size, block.address);
      keptBytes_ += block.size;
      return;
    }
  } catch (const std::bad_alloc &) { // no memory to keep it
  }
  ScopedContext current(device_);
  free(block);
}

void DriverMemoryPool::trim() {
  std::multimap<size_t, uint64_t> kept;
  {
    Lock lock(mutex_);
    kept.swap(kept_);
    keptBytes_ = 0;
  }
  if (!kept.empty())
    KILN_LOG(Info, Memory, "freeing ", kept.size(), " unused blocks");
  for (auto [size, address] : kept)
    free({address, size});
}

} // namespace kiln::gpu
