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

} // namespace kiln::files
