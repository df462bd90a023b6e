// Links SPIR-V modules to one SPIR-V module, for clLinkProgram.
#pragma once
#include "base/support/Wire.h"
#include <string>
#include <vector>

namespace kiln {

/// Links modules. A library keeps its exports and may have unresolved imports; an executable may not. Returns an empty
/// vector, with `log` set, on errors.
wire::Bytes linkSpirv(const std::vector<wire::Bytes> &modules, bool library, std::string &log);

} // namespace kiln
