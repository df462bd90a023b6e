// The command line of kiln-bench for kernels of the user: --source, YAML files and bundles.
#pragma once
#include "bench/measure/Words.h"
#include <map>

namespace bench {

/// A kernel's source, and how it is built and launched.
struct Source {
  std::string path, options{}; // build options
  std::string label{};         // the pipeline and the values of the axes: "a,UNROLL=4"
  std::string pipeline{};      // passes in place of Kiln's; empty: Kiln's
  std::vector<size_t> local{}; // the local size; empty: Request::local
};

/// Passes that --pipeline gives a name.
struct Pipeline {
  std::string name, text; // the pipeline or the transform-dialect schedule
};

/// A macro or the local size, with all values to measure.
struct Axis {
  std::string name;
  std::vector<std::string> values;
  bool isLocalSize() const { return name == "local"; }
};

/// What a launch must compute. Empty: nothing is checked.
struct Check {
  std::string reference;                       // a source whose kernel computes the result on the same device
  std::map<std::string, std::string> expected; // a file by the name or the number of an argument
  double tolerance = 0;                        // of numbers, relative for values above 1
  bool wanted() const { return !reference.empty() || !expected.empty(); }
};

struct Request {
  std::vector<Source> sources; // variants: each file with each pipeline and each value of the axes
  std::vector<std::string> bundles;
  std::string kernel;                     // empty: the only kernel of the program
  std::vector<std::vector<size_t>> sizes; // global sizes, each measured; empty: 2^20 work-items
  std::vector<size_t> local;              // empty: the runtime chooses
  std::vector<std::string> arguments;     // as given with --arg
  Check check;
  Amount bytes, reads, writes;         // of one launch; zero: the memory of all arguments
  Amount operations;                   // of one launch; zero: not reported
  std::string operationType = "float"; // of the roofline: float, double or int
  bool cold = false, roofline = false, counters = false, energy = false;
  double seconds = 10, precision = 0.01; // of sampling
  size_t processors = 0;                 // on which the process runs; 0: all that it may use
  std::string platform, device, samples; // samples: the file for all times
  std::vector<std::string> others;       // options of Google Benchmark
};

/// Returns true if the command line names a source, a YAML file or a bundle.
bool isRequest(int count, char **arguments);
/// Throws std::runtime_error that names the option and its rule.
Request parseRequest(int count, char **arguments);

/// The options that a YAML file contains, as the command line has them. Paths are relative to the file. Throws with the
/// file's line.
std::vector<std::string> optionsOfFile(const std::string &path);

} // namespace bench
