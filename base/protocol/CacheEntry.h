// An entry of the cache as files (runtime/cache/Cache.h). libkiln writes them, and kilnc does for a build that its
// application has left behind (Zygote.h).
#pragma once
#include "base/abi/ProgramInfo.h"
#include "base/protocol/Protocol.h"
#include "base/support/Sha256.h"
#include "base/support/Wire.h"
#include <optional>
#include <string>

namespace kiln::cache_entry {

using Key = Sha256::Digest;

inline constexpr const char *Suffix = ".entry", *CodeSuffix = ".so", *TemporaryInfix = ".new-";

/// Where an entry is.
struct Place {
  std::string folder; // of the cache
  Key key{};
  auto fields() { return std::tie(folder, key); }
  std::string path(const char *suffix) const;
};

/// The contents of an .entry file, before its checksum.
struct File {
  static constexpr uint64_t Format = 0x3165686361634b6c; // start of every entry; changes with its layout
  uint64_t format = Format;
  Key key{}; // must match the file's name
  wire::Bytes data;
  bool hasCode = false;
  Sha256::Digest code{};
  auto fields() { return std::tie(format, key, data, hasCode, code); }
};

/// Returns nothing if the file is damaged or belongs to another key.
std::optional<File> unpack(wire::Bytes bytes, const Key &key);
/// Writes an entry and its code, if it has any, under temporary names, and renames them. Returns the digest of the
/// code; nothing on failure, with the reason in errno.
std::optional<Sha256::Digest> write(const Place &place, const wire::Bytes &data, const wire::Bytes &code);

/// The data of an entry that a build makes.
struct Code {
  std::string log;
  ProgramInfo info;
  wire::Bytes spirv; // for Task::Link
  std::string libraries;
  std::vector<protocol::DeferredKernel> deferred{}; // kernels that the code does not have
  uint64_t nanoseconds = 0;                         // of processors, that the compilation took; 0: unknown
  bool isQuick = false;                             // BuildReply's
  auto fields() { return std::tie(log, info, spirv, libraries, deferred, nanoseconds, isQuick); }
};

} // namespace kiln::cache_entry
