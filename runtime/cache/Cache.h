// Compiled programs on disk: a key to some bytes and, for programs, code that dlopen can take. Many processes may use
// one folder at once: an entry is written under another name and renamed into place, so it is there as a whole or not
// at all, and a checksum tells damage. Nothing here ever fails: what cannot be read is not there, what cannot be
// written is not kept.
//
//   FOLDER/ab/cdef....entry     the bytes, with the digest of the code, and a checksum at the end
//   FOLDER/ab/cdef....so        the code
//   FOLDER/last-sweep              when somebody last looked whether the folder has grown too large
#pragma once
#include "runtime/cache/CodeFile.h"
#include "runtime/cache/Key.h"
#include "runtime/support/Mutex.h"
#include <optional>

namespace kiln {

class Cache {
public:
  struct Entry {
    wire::Bytes data;
    std::shared_ptr<const CodeFile> code; // null where the entry has none
  };

  /// The folder that the environment names: KILN_CACHE_DIR, else kiln in the user's cache folder.
  static std::string defaultFolder();

  /// A cache of no more than about `largestBytes`, oldest use goes first. Without a folder, and with one that is
  /// another user's or that others may write to, it holds nothing. A sub-folder of that kind is not used.
  Cache(std::string folder, uint64_t largestBytes);

  bool usable() const { return !folder_.empty(); }
  std::optional<Entry> find(const CacheKey &key);
  /// Keeps an entry. Returns its code as a file in any case, unless there is none or no file can be had at all.
  std::shared_ptr<const CodeFile> store(const CacheKey &key, const wire::Bytes &data, const wire::Bytes &code);

private:
  std::string pathOf(const CacheKey &key, const char *ending) const;
  bool write(const std::string &path, const wire::Bytes &bytes, int mode);
  void drop(const CacheKey &key);
  void sweepSometimes(uint64_t stored);
  void sweep();

  std::string folder_; // absolute; empty when the cache holds nothing
  const uint64_t largestBytes_;
  bool executable_ = true; // whether code can be loaded from the folder
  Mutex mutex_;
  uint64_t storedSinceSweep_ KILN_GUARDED_BY(mutex_) = 0;
};

} // namespace kiln
