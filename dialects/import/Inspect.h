// What a module says about itself.
#pragma once
#include "dialects/import/Import.h"
#include "dialects/import/Reader.h"

namespace kiln::import {

/// By ascending id, each once.
std::vector<SpecConstantFact> specConstantsOf(const Binary &binary);

} // namespace kiln::import
