// Results of the cross-check in this process: counts and differences. At the end of the process one line is written to
// standard error, one per kernel to the log (info), and one of JSON to KILN_CROSSCHECK_REPORT. The child of a fork
// starts with empty counts.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kiln::crosscheck {

// Reasons for not running a launch twice, and for ignoring a difference: name in the report, text in the log.
#define KILN_SKIPS(X)                                                                                                  \
  X(Enqueues, "enqueues", "enqueue kernels")                                                                           \
  X(Enqueued, "enqueued", "were enqueued by a kernel")                                                                 \
  X(ByItself, "by_itself", "are initializers or finalizers of a program")                                              \
  X(HostAtomics, "host_atomics", "use atomics that the host may take part in")                                         \
  X(UnknownMemory, "unknown_memory", "may reach memory of unknown extent")                                             \
  X(TooMuchMemory, "too_much_memory", "reach more memory than copies may take")                                        \
  X(NoScalarForm, "no_scalar_form", "have no scalar variant")                                                          \
  X(ScalarFailed, "scalar_failed", "failed in the scalar variant")
#define KILN_FREEDOMS(X)                                                                                               \
  X(Atomics, "atomics", "the order of atomics is free")                                                                \
  X(Clock, "clock", "it reads a clock")                                                                                \
  X(NaNs, "nans", "OpenCL leaves the sign and the payload of a NaN open")                                              \
  X(Pipes, "pipes", "the order of packets in a pipe is free")                                                          \
  X(Printf, "printf", "more was printed than the buffer holds")
#define KILN_ENUMERATOR(name, word, words) name,
enum class Skip : uint8_t { KILN_SKIPS(KILN_ENUMERATOR) Count };
/// None: results are defined bit by bit.
enum class Freedom : uint8_t { None, KILN_FREEDOMS(KILN_ENUMERATOR) Count };
#undef KILN_ENUMERATOR

const char *words(Skip reason);
const char *words(Freedom reason);

struct Difference {
  std::string kernel, sizes, variant, where, normal, scalar;
  uint64_t bytes = 0;   // that differ, in all memory
  std::string bundle{}; // folder of the bundle; empty without one
};

class Findings {
public:
  static Findings &get();

  void compared(const std::string &kernel);
  /// `bytes`: size of the copies if it exceeded the limit.
  void skipped(const std::string &kernel, Skip reason, uint64_t bytes = 0);
  /// The launch is also counted as compared.
  void differs(Difference difference);
  void notComparable(const std::string &kernel, Freedom reason);

  /// Returns true if a difference of this kernel and variant should be logged; sets `bundle` if it should be written:
  /// the first one of each.
  bool shows(const std::string &kernel, const std::string &variant, bool &bundle);

private:
  struct Counts {
    uint64_t launches = 0, compared = 0, differences = 0, skipped = 0, notComparable = 0;
  };
  Findings();
  static void report();
  static std::string json(const Findings &all);
  std::string summary() const;

  Counts total_;
  std::array<uint64_t, size_t(Skip::Count)> skips_{};
  std::array<uint64_t, size_t(Freedom::Count)> freedoms_{};
  uint64_t largest_ = 0; // largest size of skipped copies, in bytes
  std::map<std::string, Counts> kernels_;
  std::map<std::string, unsigned> shown_;
  std::vector<Difference> differences_;
};

} // namespace kiln::crosscheck
