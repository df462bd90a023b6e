// Findings of spirv-val that are defects of the validator and not of the module. Each row has its reason and a test in
// tests/dialects/import/allowed-findings.spvasm. Validation ends at the first finding, so what stands behind an
// allowed one has not been checked: the importer relies on no check of the validator's.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace kiln::import {

struct AllowedFinding {
  llvm::StringLiteral message; // occurs in the finding
  llvm::StringLiteral reason;
};

inline constexpr AllowedFinding AllowedFindings[] = {
    {"Pointer operand must not be a composite", ""},
};

} // namespace kiln::import
