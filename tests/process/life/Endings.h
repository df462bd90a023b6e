// The ways in which the application ends.
#pragma once
#include "tests/process/life/Application.h"
#include <span>

namespace kiln::life {

struct Ending {
  const char *name, *what;
  /// Runs in a new process. If it returns, the process ends with exit(0), as if `main` returned.
  void (*run)(Application &application);
  int signal = 0;        // that ends the process
  bool isUnique = false; // needs a program that is in no cache
};

std::span<const Ending> endings();
/// A process that has requested the variants that the other ones use, and waits.
inline constexpr const char *Preparation = "prepare";
const Ending &preparation();

} // namespace kiln::life
