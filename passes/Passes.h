// The passes' constructors, options and registration, generated from Passes.td.
#pragma once
#include "passes/Pass.h"

namespace kiln {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"
} // namespace kiln
