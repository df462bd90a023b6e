// Lists a module's specialisation constants.
#pragma once
#include "dialects/import/Import.h"
#include "dialects/import/Reader.h"

namespace kiln::import {

/// Returns each SpecId once, in ascending order.
std::vector<SpecConstantDecl> specConstantsOf(const Binary &binary);

} // namespace kiln::import
