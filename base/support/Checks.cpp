#include "base/support/Checks.h"
#include "base/support/Log.h"
#include "base/support/Options.h"

namespace kiln {
namespace {

Checks parse() {
  Checks checks;
  for (const std::string &word : splitList(options().check, ',')) {
    if (word == "memory")
      checks.memory = true;
    else if (word == "barriers")
      checks.barriers = true;
    else if (word == "races")
      checks.races = true;
    else if (word == "init")
      checks.init = true;
    else
      KILN_LOG(Error, Program, "KILN_CHECK has '", word, "', must be memory, races, init or barriers");
  }
  return checks;
}

} // namespace

const Checks &checks() {
  static const Checks parsed = parse();
  return parsed;
}

} // namespace kiln
