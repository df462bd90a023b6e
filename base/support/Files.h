// What libkiln and the compilers do with files that hold code or secrets, without exceptions.
#pragma once
#include "base/support/Wire.h"
#include <string>

namespace kiln::files {

/// Writes all bytes; false on failure.
bool write(int descriptor, const wire::Bytes &bytes);
/// Returns why a folder must not hold code or secrets; null if it may.
const char *reasonNotTrusted(const std::string &folder);

} // namespace kiln::files
