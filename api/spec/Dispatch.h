// The tables made from Entries.def.
#pragma once
#include <string_view>

namespace kiln::api {

/// What every handle's first word points to.
const void *dispatchTable();

/// The entry of that name, extension names and aliases included; null where there is none.
void *entryNamed(std::string_view name);

} // namespace kiln::api
