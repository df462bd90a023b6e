// Lets one of several processes build a cache entry while the others wait for it. The ranks of an MPI run start at once
// and need the same programs; without turns each of them compiles all of them.
//
// A turn is a lock of one byte of FOLDER/builds, at an offset made of the key. The system releases it when its process
// ends in any way, and it excludes threads of one process as well (an open file description lock, fcntl(2)). Entries
// are correct without turns: a process that cannot lock, or waits for too long, builds.
#pragma once
#include "base/support/Descriptor.h"
#include "runtime/cache/Key.h"
#include <chrono>
#include <string>

namespace kiln {

class BuildTurn {
public:
  /// No turn.
  BuildTurn() = default;
  /// Waits while another turn for the key exists in the folder, at most `longest`.
  BuildTurn(const std::string &folder, const CacheKey &key, std::chrono::milliseconds longest);
  ~BuildTurn();
  BuildTurn(const BuildTurn &) = delete;
  BuildTurn &operator=(const BuildTurn &) = delete;

  /// Returns true if another turn ended meanwhile: its entry may be in the cache now.
  bool waited() const { return waited_; }
  /// Ends the turn.
  void release();
  /// The file that has the lock; -1 if there is no turn. The turn lasts until the last process that has it has closed
  /// it, or `release`.
  int descriptor() const { return locked_ ? file_.get() : -1; }

private:
  Descriptor file_;
  int64_t offset_ = 0;
  bool locked_ = false, waited_ = false;
};

} // namespace kiln
