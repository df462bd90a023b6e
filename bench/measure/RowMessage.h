// Rows as messages of a child process.
#pragma once
#include "bench/measure/Rows.h"

namespace bench {

/// Returns the bytes of a row without its comparison, which the label contains.
std::string packRow(const Row &row);
/// Returns the row of bytes that packRow has returned in a process of the same program.
Row unpackRow(std::string_view bytes);

} // namespace bench
