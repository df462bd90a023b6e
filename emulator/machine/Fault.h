// An error of a kernel that the emulator found. A handler throws it; the wave adds the kernel and the instruction.
#pragma once
#include "base/support/Status.h"
#include <stdexcept>

namespace kiln::emulator {

/// The results of hipError_t that a failing kernel leaves in its stream.
enum class FaultKind : int { IllegalAddress = 700, IllegalInstruction = 715, LaunchFailure = 719, NotSupported = 801 };

class Fault : public std::runtime_error {
public:
  template <typename... Parts>
  explicit Fault(FaultKind kind, const Parts &...parts) : std::runtime_error(text(parts...)), kind(kind) {}
  FaultKind kind;
};

} // namespace kiln::emulator
