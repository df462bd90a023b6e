// What a check of kiln-doctor found.
#pragma once
#include <string>
#include <vector>

namespace kiln::doctor {

struct Finding {
  enum class Level {
    Good,
    Note,    // Kiln works, with a limit
    Problem, // a program that uses Kiln fails
  } level;
  std::string what;     // the state, with names and values
  std::string advice{}; // what to do; empty if Good
};
using Findings = std::vector<Finding>;

inline Finding good(std::string what) { return {Finding::Level::Good, std::move(what)}; }
inline Finding note(std::string what, std::string advice) {
  return {Finding::Level::Note, std::move(what), std::move(advice)};
}
inline Finding problem(std::string what, std::string advice) {
  return {Finding::Level::Problem, std::move(what), std::move(advice)};
}

} // namespace kiln::doctor
