// Compiled programs on disk: maps a key to some bytes and, for programs, code for dlopen. Several processes may use one
// folder: an entry is written under a temporary name and renamed, so it is complete or absent; a checksum detects
// damage. No function fails: an unreadable entry is a miss, and an entry that cannot be written is not kept.
//
//   FOLDER/ab/cdef....entry   the bytes, the digest of the code, a checksum at the end
//   FOLDER/ab/cdef....so      the code
//   FOLDER/builds             locks of keys that are being built (BuildTurn.h)
//   FOLDER/last-sweep         its modification time is that of the last sweep
#pragma once
#include "base/protocol/CacheEntry.h"
#include "runtime/cache/BuildTurn.h"
#include "runtime/cache/CodeFile.h"
#include "runtime/cache/Key.h"
#include <atomic>
#include <optional>

namespace kiln {

class Cache {
public:
  struct Entry {
    wire::Bytes data;
    std::shared_ptr<const CodeFile> code; // null if the entry has none
  };

  /// The folder that the environment names: KILN_CACHE_DIR, else kiln in the user's cache folder.
  static std::string defaultFolder();

  /// A cache of about `largestBytes` at most; evicts the least recently used entries. Disabled without a folder, and if
  /// the folder belongs to another user or is writable by others. Sub-folders of that kind are ignored.
  Cache(std::string folder, uint64_t largestBytes);

  bool usable() const { return !folder_.empty(); }
  /// Where the entry with this key is.
  cache_entry::Place place(const CacheKey &key) const { return {folder_, key}; }
  std::optional<Entry> find(const CacheKey &key);
  /// Call after a lookup that found nothing, before the build. Waits for at most 30 s while another process or thread
  /// builds the entry; then BuildTurn::waited() is true, and the caller looks it up again.
  BuildTurn takeTurn(const CacheKey &key) const;
  /// Stores an entry. Returns its code as a file, even if the entry could not be stored; null without code and if no
  /// file can be created.
  std::shared_ptr<const CodeFile> store(const CacheKey &key, const wire::Bytes &data, const wire::Bytes &code);

  /// Removes an entry whose contents are of no use.
  void drop(const CacheKey &key);

private:
  void sweepSometimes(uint64_t stored);
  void sweep();

  std::string folder_; // absolute; empty if the cache is disabled
  const uint64_t largestBytes_;
  bool executable_ = true; // code can be loaded from the folder
  std::atomic<uint64_t> storedSinceSweep_ = 0;
};

} // namespace kiln
