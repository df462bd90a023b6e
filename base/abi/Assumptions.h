// The assumptions of vector code, and the report of a launch about them and about the alignment of accesses
// (KILN_CHECK_ASSUMPTIONS).
#pragma once
#include <cstdint>

namespace kiln {

enum class Assumption : uint8_t {
#define KILN_ASSUMPTION(enumerator, name, sentence) enumerator,
#include "base/abi/Assumptions.def"
#undef KILN_ASSUMPTION
};

struct AssumptionText {
  const char *name, *sentence;
};
inline constexpr AssumptionText Assumptions[] = {
#define KILN_ASSUMPTION(enumerator, name, sentence) {name, sentence},
#include "base/abi/Assumptions.def"
#undef KILN_ASSUMPTION
};

namespace abi {

/// The result of checking a launch. Work-groups on several threads write it.
struct AssumptionReport {
  uint64_t broken = 0;   // assumptions that code relied on and that did not hold
  uint64_t needless = 0; // checks that failed although the assumption held for every lane
  uint64_t kind = 0;     // the Assumption of one that did not hold
  uint64_t line = 0;     // its line in the source; 0 if unknown

  uint64_t misaligned = 0;        // accesses whose address is less aligned than their type requires
  uint64_t misalignedAddress = 0; // the address of one
  uint64_t requiredAlignment = 0; // its type's, in bytes
  uint64_t misalignedLine = 0;    // its line in the source; 0 if unknown
};

} // namespace abi
} // namespace kiln
