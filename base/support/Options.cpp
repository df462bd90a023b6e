#include "base/support/Options.h"
#include "base/support/Log.h"
#include "base/support/Outputs.h"
#include "base/support/Status.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace kiln {

bool Options::parse(const char *value, std::string &option) {
  option = value;
  return true;
}

bool Options::parse(const char *value, bool &option) {
  for (const char *yes : {"1", "on", "yes", "true"})
    if (!strcasecmp(value, yes))
      return option = true;
  for (const char *no : {"0", "off", "no", "false"})
    if (!strcasecmp(value, no))
      return option = false, true;
  return false;
}

bool Options::parse(const char *value, uint64_t &option) {
  uint64_t number = 0;
  const char *next = value;
  for (; *next >= '0' && *next <= '9'; ++next)
    if (__builtin_mul_overflow(number, uint64_t(10), &number) ||
        __builtin_add_overflow(number, uint64_t(*next - '0'), &number))
      return false;
  if (next == value)
    return false;
  unsigned shift = 0;
  switch (std::toupper(static_cast<unsigned char>(*next))) {
  case 'K':
    shift = 10;
    break;
  case 'M':
    shift = 20;
    break;
  case 'G':
    shift = 30;
    break;
  }
  if (shift)
    ++next;
  if (*next || number > std::numeric_limits<uint64_t>::max() >> shift)
    return false;
  option = number << shift;
  return true;
}

namespace {
const std::string *ifText(const std::string &option) { return &option; }
const std::string *ifText(uint64_t) { return nullptr; }
} // namespace

const std::string *Options::text(std::string_view name) const {
#define KILN_OPTION(member, NAME, type, initial, sentence)                                                             \
  if (name == #NAME)                                                                                                   \
    return ifText(member);
#include "base/support/Options.def"
  return nullptr;
}

std::string Options::whyNotWords(std::string_view name, const std::string &value) {
#define KILN_OPTION_WORDS(NAME, words)                                                                                 \
  if (name == #NAME) {                                                                                                 \
    const std::vector<std::string> known = splitList(words, ',');                                                      \
    for (const std::string &word : splitList(value, ','))                                                              \
      if (std::ranges::find(known, word) == known.end())                                                               \
        return kiln::text("'", word, "' is none of " words);                                                           \
  }
#include "base/support/Options.def"
  return {};
}

/// The file is opened at once, or the first use logs an error, or nothing is lost: no warning at the start.
static bool reportsItself(std::string_view name) { return name == "TRACE" || name == "DUMP" || name == "CACHE_DIR"; }

Options Options::fromEnvironment(std::vector<std::string> &warnings) {
  Options options;
#define KILN_OPTION(member, NAME, type, initial, sentence)                                                             \
  if (const char *value = secure_getenv("KILN_" #NAME); value && *value) {                                             \
    if (!parse(value, options.member))                                                                                 \
      warnings.push_back(std::string("KILN_" #NAME "=") + value + " is invalid and ignored");                          \
    else if (std::string why = whyNotWords(#NAME, value); !why.empty())                                                \
      warnings.push_back(std::string("KILN_" #NAME "=") + value + " is invalid: " + why);                              \
    else if (std::string reason = whyNotWritable(#NAME, value); !reason.empty() && !reportsItself(#NAME))              \
      warnings.push_back(std::string("KILN_" #NAME " is ") + value + ", which cannot be written: " + reason);          \
  }
#include "base/support/Options.def"
#define KILN_RENAMED_OPTION(member, OLD, NAME)                                                                         \
  if (const char *value = secure_getenv("KILN_" #OLD); value && *value) {                                              \
    warnings.push_back("KILN_" #OLD " is called KILN_" #NAME " now; the next release does not know the old name");     \
    if (const char *current = secure_getenv("KILN_" #NAME); !(current && *current) && !parse(value, options.member))   \
      warnings.push_back(std::string("KILN_" #OLD "=") + value + " is invalid and ignored");                           \
  }
  KILN_RENAMED_OPTION(cpuMachineWidth, CPU_WIDTH, CPU_MACHINE_WIDTH)
  KILN_RENAMED_OPTION(cpuMachineWidth, CPU_VECTOR_WIDTH, CPU_MACHINE_WIDTH)
#undef KILN_RENAMED_OPTION
  return options;
}

const Options &options() {
  // Leaked: threads may read options while the process ends.
  static const auto *result = [] {
    std::vector<std::string> warnings;
    auto *read = new Options(Options::fromEnvironment(warnings));
    for (const std::string &warning : warnings)
      log::write(log::Level::Warn, log::Group::Api, warning);
    return read;
  }();
  return *result;
}

std::vector<std::string> splitList(const std::string &text, char separator) {
  std::vector<std::string> parts;
  size_t first = 0;
  while (first <= text.size()) {
    size_t end = text.find(separator, first);
    if (end == std::string::npos)
      end = text.size();
    if (end > first)
      parts.push_back(text.substr(first, end - first));
    first = end + 1;
  }
  return parts;
}

} // namespace kiln
