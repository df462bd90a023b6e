// Scopes of instructions.
#pragma once
#include "dialects/import/Body.h"

namespace kiln::import {

/// Returns the scope that an id names; the widest if it is not a constant.
ocl::Scope scopeOf(Body &body, uint32_t id);

} // namespace kiln::import
