// File operations of the cache, without exceptions.
#pragma once
#include "base/support/Wire.h"
#include <optional>
#include <string>

namespace kiln::files {

/// Reads a regular file; nothing on failure.
std::optional<wire::Bytes> read(const std::string &path);
/// Writes all bytes; false on failure.
bool write(int descriptor, const wire::Bytes &bytes);

/// Creates a folder and its parents with mode 0700. Returns false on failure.
bool makeFolders(const std::string &path);
/// Returns why a folder must not hold code or secrets; null if it may.
const char *reasonNotTrusted(const std::string &folder);

} // namespace kiln::files
