// The memory limit of a build (RLIMIT_AS, see runtime/compiler/Zygote.cpp) holds for each process. Several processes
// that compile parts of one program divide what is left of it.
#pragma once
#include <cstdint>
#include <optional>

namespace kiln {

/// What one of `parts` processes may add to its memory, if `left` bytes are left for all and the process has `work` of
/// all the `work`. One half is divided equally, since each process needs some memory; the other half by work.
uint64_t memoryShare(uint64_t left, unsigned parts, uint64_t work, uint64_t allWork);

/// The bytes by which this process may grow, or nothing if its address space has no limit.
std::optional<uint64_t> memoryLeft();

/// Lets this process grow by at most `bytes` until the object is destroyed.
class GrowthLimit {
public:
  explicit GrowthLimit(uint64_t bytes);
  ~GrowthLimit();
  GrowthLimit(const GrowthLimit &) = delete;
  GrowthLimit &operator=(const GrowthLimit &) = delete;

private:
  uint64_t before_;
};

} // namespace kiln
