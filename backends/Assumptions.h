// The assumptions of vector code, and how a launch reports one that does not hold (KILN_CHECK_ASSUMPTIONS).
#pragma once
#include <cstdint>

namespace kiln {

enum class Assumption : uint8_t {
#define KILN_ASSUMPTION(enumerator, name, sentence) enumerator,
#include "backends/Assumptions.def"
#undef KILN_ASSUMPTION
};

struct AssumptionText {
  const char *name, *sentence;
};
inline constexpr AssumptionText Assumptions[] = {
#define KILN_ASSUMPTION(enumerator, name, sentence) {name, sentence},
#include "backends/Assumptions.def"
#undef KILN_ASSUMPTION
};

namespace abi {

/// What the vector code of one launch found out about its assumptions. Work-groups on several threads write it.
struct AssumptionReport {
  uint64_t broken = 0;   // assumptions that code relied on and that did not hold
  uint64_t needless = 0; // checks that failed though every lane was as assumed
  uint64_t kind = 0;     // of one that is broken: Assumption
  uint64_t line = 0;     // the same one's line in the source; 0 if unknown
};

} // namespace abi
} // namespace kiln
