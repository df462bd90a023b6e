// File operations of the cache, without exceptions.
#pragma once
#include "base/support/Files.h"
#include "base/support/Sha256.h"
#include "base/support/Wire.h"
#include <cstdint>
#include <optional>
#include <string>

namespace kiln::files {

/// Reads a regular file of at most `largest` bytes; nothing on failure.
std::optional<wire::Bytes> read(const std::string &path, uint64_t largest = UINT64_MAX);
/// Returns the digest of a regular file, which is read in blocks; nothing on failure.
std::optional<Sha256::Digest> digestOf(const std::string &path);
/// Returns true if a regular file has this content. A file of another size is not read.
bool hasContent(const std::string &path, uint64_t size, const Sha256::Digest &digest);
/// Creates a folder and its parents with mode 0700. Returns false on failure.
bool makeFolders(const std::string &path);

} // namespace kiln::files
