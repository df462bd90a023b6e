// Values for a module's specialisation constants, written into the module. Where several modules are linked to one they
// cannot be handed over beside it: each module counts its constants for itself.
#pragma once
#include "runtime/compiler/Protocol.h"

namespace kiln {

/// The module with these values as its constants' own. Words that make no sense stay as they are: the compiler refuses
/// them.
wire::Bytes withConstants(wire::Bytes spirv, const std::vector<protocol::SpecConstant> &constants);

} // namespace kiln
