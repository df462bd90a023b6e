// The switches of Options.def as a struct, read from the environment once. Kiln reads the environment nowhere else.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

struct Options {
  using Text = std::string;
  using Flag = bool;
  using Count = uint64_t;
  using Size = uint64_t;
#define KILN_OPTION(member, NAME, type, initial, sentence) type member = initial;
#include "runtime/support/Options.def"
#undef KILN_OPTION

  /// Reads one switch into `option`; false, and `option` unchanged, when the text is not a value of its type.
  static bool parse(const char *value, std::string &option);
  static bool parse(const char *value, bool &option);
  static bool parse(const char *value, uint64_t &option);

  /// The Text option of that name; null when there is none: options().text("PIPELINE_CPU").
  const std::string *text(std::string_view name) const;

  /// Everything from the environment; a value that is not understood keeps the default and is named in `complaints`.
  /// A program that runs with another user's rights (set-uid, set-gid) gets the defaults: switches name code that is
  /// loaded and files that are written.
  static Options fromEnvironment(std::vector<std::string> &complaints);
};

/// What the environment said when Kiln was first used.
const Options &options();

/// The parts of a list option: "a,b" by ',' or "a:b" by ':'. Empty parts are left out.
std::vector<std::string> splitList(const std::string &text, char separator);

} // namespace kiln
