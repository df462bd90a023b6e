// A specialised variant of a kernel: what it is for, and its code once it is loaded (DeviceProgram::loadVariant).
#pragma once
#include "backends/Device.h"
#include "base/protocol/Protocol.h"
#include <memory>
#include <string>

namespace kiln {

/// How many work-items the code of a CPU runs at once. Neither the widest vectors nor vectors at all are fastest for
/// all kernels.
enum class Lanes : uint8_t {
  Machine, // the machine width, and for GPUs
  Half,    // half of it
  Scalar,  // the scalar form (ScalarForm.h)
};

/// What a variant is for.
struct VariantKind {
  protocol::Specialisation fixed; // no values: the full form of a kernel in the quick form, or a rival of it
  Lanes lanes = Lanes::Machine;
  bool operator==(const VariantKind &) const = default;
  /// For the log.
  std::string description() const;
};

/// A variant that launches can use.
struct LoadedVariant {
  Function *function;
  std::shared_ptr<void> code; // keeps the function alive
  bool prefersFixedLocalSize; // its plan
};

} // namespace kiln
