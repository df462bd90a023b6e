// Rows as messages of a child process.
#pragma once
#include "bench/measure/Rows.h"

namespace bench {

/// The bytes of a row, without its comparison, which the label contains.
std::string packRow(const Row &row);
/// The row of bytes that packRow returned, in a process of the same program.
Row unpackRow(std::string_view bytes);

} // namespace bench
