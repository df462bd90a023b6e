// Writes the values of specialisation constants into a module. Modules that are linked cannot have them passed
// separately, because constant ids are local to a module.
#pragma once
#include "base/protocol/Protocol.h"

namespace kiln {

/// Returns the module with these values as the constants' defaults. Malformed words are copied unchanged; the compiler
/// rejects them.
wire::Bytes withConstants(wire::Bytes module, const std::vector<protocol::SpecConstant> &constants);

} // namespace kiln
