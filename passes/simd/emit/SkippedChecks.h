// Assumptions whose checks wg-vectorize omits. Tests plant faults this way, to verify that they are found.
#pragma once
#include "base/abi/Assumptions.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <bitset>

namespace kiln {

class SkippedChecks {
public:
  bool contains(Assumption assumption) const { return skipped_[size_t(assumption)]; }
  /// Returns false if no assumption has this name.
  bool add(llvm::StringRef name) {
    for (size_t at = 0; at < std::size(Assumptions); ++at)
      if (name == Assumptions[at].name) {
        skipped_.set(at);
        return true;
      }
    return false;
  }

private:
  std::bitset<std::size(Assumptions)> skipped_;
};

} // namespace kiln
