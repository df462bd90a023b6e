// The command line of kiln-bench for kernels of the user: --source and bundles.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Source {
  std::string path, options; // build options
};

struct Request {
  std::vector<Source> sources;
  std::vector<std::string> bundles;
  std::string kernel;                    // empty: the only kernel of the program
  std::vector<size_t> global, local;     // empty: 2^20 work-items; the runtime chooses
  std::vector<std::string> arguments;    // as given with --arg
  uint64_t bytes = 0, operations = 0;    // of one launch; 0: the sum of all buffers; not reported
  double seconds = 10, precision = 0.01; // of sampling
  std::string platform, device, samples; // samples: the file for all times
  std::vector<std::string> others;       // options of Google Benchmark
};

/// Returns true if the command line names a source or a bundle.
bool isRequest(int count, char **arguments);
/// Throws std::runtime_error that names the option and its rule.
Request parseRequest(int count, char **arguments);

/// What --arg says about one argument. Empty: the default.
///   7, 0.5, 1,2,3,4      a number, or the components of a vector
///   random[:COUNT]  zero[:COUNT]  iota[:COUNT]   a buffer of COUNT elements (as many as work-items); for a pointer to
///                                               local memory only COUNT counts
struct ArgumentSpec {
  std::vector<double> numbers;
  std::string fill;
  uint64_t count = 0;
};
/// Throws std::runtime_error with the rule.
ArgumentSpec parseArgument(const std::string &text);
/// Splits "x=7" or "2=7" into the argument's name or number and its value; the first is empty without '='.
std::pair<std::string, std::string> splitArgument(const std::string &text);

} // namespace bench
