#include "base/support/Checks.h"
#include "base/support/Options.h"

namespace kiln {
namespace {

Checks parse() {
  Checks checks;
  for (const std::string &word : splitList(options().check, ',')) {
    checks.memory |= word == "memory";
    checks.barriers |= word == "barriers";
    checks.races |= word == "races";
    checks.init |= word == "init";
  }
  return checks;
}

} // namespace

const Checks &checks() {
  static const Checks parsed = parse();
  return parsed;
}

} // namespace kiln
