// Findings of spirv-val that do not keep a module out, because producers that Kiln must take write such modules. Each
// row has its reason and a test, tests/dialects/import/allowed-*.spvasm. Validation ends at the first finding, so what
// stands behind an allowed one has not been checked: the importer relies on no check of the validator's.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace kiln::import {

struct AllowedFinding {
  llvm::StringLiteral message; // occurs in the finding
  llvm::StringLiteral reason;
};

inline constexpr AllowedFinding AllowedFindings[] = {
    {"Vector access is out of bounds, vector size is 3",
     "the translator writes get_global_id(3) as the fourth component of a built-in; OpenCL C defines the call"},
    {"is already a merge block for another header",
     "the translator gives loops that end in one place one merge block; kernels need no structured control flow"},
};

} // namespace kiln::import
