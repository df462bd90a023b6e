// Several SPIR-V modules to one that is SPIR-V again: what clLinkProgram makes.
#pragma once
#include "runtime/compiler/Wire.h"
#include <string>
#include <vector>

namespace kiln {

/// Resolves what the modules want of each other. A library keeps its exports and may want more; an executable may not.
/// Empty with `log` set on errors.
wire::Bytes joinModules(const std::vector<wire::Bytes> &modules, bool library, std::string &log);

} // namespace kiln
