// The few things that the cache does with files, without exceptions.
#pragma once
#include "runtime/compiler/Wire.h"
#include <optional>
#include <string>

namespace kiln::files {

/// The whole of a regular file; nothing where that cannot be had.
std::optional<wire::Bytes> read(const std::string &path);
/// Everything, or false.
bool write(int descriptor, const wire::Bytes &bytes);

/// Creates a folder and those above it, for this user alone.
bool makeFolders(const std::string &path);
/// Why a folder cannot be trusted with code or secrets; null when it can.
const char *reasonNotTrusted(const std::string &folder);

} // namespace kiln::files
