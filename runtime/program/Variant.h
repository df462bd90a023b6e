// A specialised variant of a kernel: what it is for, and its code once it is loaded (DeviceProgram::loadVariant).
#pragma once
#include "backends/Device.h"
#include "base/protocol/Protocol.h"
#include <memory>
#include <string>

namespace kiln {

/// What a variant is for.
struct VariantKind {
  protocol::Specialisation fixed; // no values: the full form of a kernel in the quick form, or the scalar one
  bool isScalar = false;          // in the scalar form (ScalarForm.h), as vector code is not faster everywhere
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
