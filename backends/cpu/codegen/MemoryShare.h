// The memory limit of a build (RLIMIT_AS, see base/protocol/Zygote.cpp) applies to each process. Processes that
// compile parts of one program divide the bytes that are left below the limit.
#pragma once
#include <cstdint>
#include <optional>

namespace kiln {

/// The bytes by which one of `parts` processes may grow if `left` bytes are left for all, and the process does `work`
/// of `allWork`. One half is divided equally, because each process needs some memory; the other half in proportion to
/// work.
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
