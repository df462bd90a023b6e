// Runs a function in a child process, because what it loads may crash or hang.
#pragma once
#include <functional>
#include <string>

namespace kiln::doctor {

struct ChildResult {
  std::string output;  // that the function returned
  std::string errors;  // that the process wrote to standard error
  std::string failure; // "ended with signal 11"; empty if the process ended normally
};
/// Waits for at most `seconds`, then kills the child.
ChildResult inChild(const std::function<std::string()> &function, unsigned seconds);

} // namespace kiln::doctor
