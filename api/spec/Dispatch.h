// Tables generated from Entries.def.
#pragma once
#include <string_view>

namespace kiln::api {

/// The dispatch table, to which the first word of every handle points.
const void *dispatchTable();

/// Returns the entry of that name, including extension names and aliases; null if there is none.
void *entryNamed(std::string_view name);

} // namespace kiln::api
