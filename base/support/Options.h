// The switches of Options.def as a struct, read from the environment once. No other code of Kiln reads switches from
// the environment.
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
#include "base/support/Options.def"

  /// Parses one switch into `option`. Returns false and leaves `option` unchanged if the text is not a value of its
  /// type.
  static bool parse(const char *value, std::string &option);
  static bool parse(const char *value, bool &option);
  static bool parse(const char *value, uint64_t &option);

  /// Returns why `value` is not one of the words of KILN_OPTION_WORDS; empty if it is, or if the option has no words.
  static std::string whyNotWords(std::string_view name, const std::string &value);

  /// Returns the Text option of that name, as options().text("PIPELINE_CPU"); null if there is none.
  const std::string *text(std::string_view name) const;

  /// Reads the environment. An invalid value keeps the default and adds a line to `warnings`. A set-uid or set-gid
  /// program gets the defaults, because switches name code to load and files to write.
  static Options fromEnvironment(std::vector<std::string> &warnings);
};

/// The switches at the first call.
const Options &options();

/// Splits a list option, "a,b" at ',' or "a:b" at ':'. Drops empty parts.
std::vector<std::string> splitList(const std::string &text, char separator);

} // namespace kiln
