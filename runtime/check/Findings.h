// What the checks of this process have found: each source line and kind of access once.
#pragma once
#include "base/support/Mutex.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace kiln::check {

/// The other access of a race.
struct OtherAccess {
  std::string file, source;
  uint32_t line = 0, column = 0;
  uint8_t access = 0;
  std::string item;
  std::vector<uint64_t> globalId;
};

/// A call of the application that a finding names.
struct NamedCall {
  const char *what;  // it did: "created"
  std::string place; // describeCallSite
};

struct Finding {
  const char *check = "memory";     // the word of KILN_CHECK; "alignment", "collectives": of memory as well
  std::string kernel, file, source; // `source`: the text of the line; may be empty
  uint32_t line = 0, column = 0;    // 0: unknown
  uint8_t access = 0;               // abi::CheckSite::access
  int32_t argument = -1;
  std::string what, item;
  uintptr_t address = 0; // 0: none
  std::vector<uint64_t> globalId;
  uint64_t count = 1;               // of accesses
  std::optional<OtherAccess> other; // of a race
  std::string hint;                 // may be empty
  std::vector<NamedCall> calls;
};

class Findings {
public:
  static Findings &get();
  /// Reports the first finding of a check, a line and a kind of access, and for races those of the other access, and
  /// counts the others. Findings without a line are told apart by their argument. May throw std::bad_alloc.
  void add(Finding finding) KILN_EXCLUDES(mutex_);

private:
  // Check, kernel, file, line, access; line and access of the other one; without a line, the argument.
  using Key = std::tuple<std::string_view, std::string, std::string, uint32_t, uint8_t, uint32_t, uint8_t, int32_t>;
  Findings() = default;
  static void end(int status, void *);
  void writeReport() KILN_REQUIRES(mutex_);
  bool isSuppressed(const Finding &finding) KILN_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<Key, Finding> found_ KILN_GUARDED_BY(mutex_);
  std::map<Key, uint64_t> suppressed_ KILN_GUARDED_BY(mutex_);
  std::vector<std::string> suppressions_ KILN_GUARDED_BY(mutex_);
  bool suppressionsAreRead_ KILN_GUARDED_BY(mutex_) = false;
};

} // namespace kiln::check
