// kiln-differential: runs generated programs on an OpenCL device and in the evaluator, and compares byte for byte.
//
//   kiln-differential --seeds=1:1001 [--style=operators|people] [--batch=8] [--options="-cl-opt-disable"]
//                     [--device=0] [--platform=Kiln]
//   kiln-differential --print=17          writes the source of a seed
//   kiln-differential --reduce=17         writes a smaller program that fails in the same way
//
// Each seed is one kernel. Each failure is one line. The exit status is 1 if there was a failure, 2 for a wrong option.
#include "tests/differential/Reduce.h"
#include "tests/differential/Supervise.h"
#include <algorithm>
#include <cstdio>
#include <optional>

using namespace kiln::differential;

namespace {

Style styleOf(const std::string &name) {
  if (name == "operators")
    return Style::Operators;
  if (name == "people")
    return Style::People;
  fail("style is " + name + ", must be operators or people");
}

std::string sizes(const std::array<size_t, 3> &values) {
  return std::to_string(values[0]) + " " + std::to_string(values[1]) + " " + std::to_string(values[2]);
}

/// Prints the source, the sizes and the arguments.
void print(const Program &program) {
  std::printf("%s%s", preamble().c_str(), write(program).c_str());
  std::printf("// offset %s, global %s, local %s%s\n", sizes(program.range.offset).c_str(),
              sizes(program.range.global).c_str(), sizes(program.range.local).c_str(),
              program.range.isLocalGiven ? "" : " in the evaluator, null for the device");
  for (const Argument &argument : program.arguments)
    std::printf("// v%u = %lld\n", argument.variable,
                static_cast<long long>(convert(argument.value.type.kind, argument.value.components[0], Kind::I64, false,
                                               Rounding::Default)));
  for (size_t i = 0; i < program.memories.size(); ++i)
    if (program.memories[i].space != Memory::Space::Local)
      std::printf("// p%zu: buffer %u of %zu elements\n", i, program.memories[i].storage, program.memories[i].elements);
}

} // namespace

int main(int count, char **words) {
  Settings settings;
  std::optional<uint64_t> printed, reduced;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals), value = equals == word.npos ? "" : word.substr(equals + 1);
    if (name == "--seeds" && value.find(':') != value.npos) {
      settings.first = std::stoull(value);
      settings.end = std::stoull(value.substr(value.find(':') + 1));
    } else if (name == "--style") {
      settings.style = styleOf(value);
    } else if (name == "--batch") {
      settings.batch = std::max(1ull, std::stoull(value));
    } else if (name == "--options") {
      settings.options = value;
    } else if (name == "--device") {
      settings.device = std::stoull(value);
    } else if (name == "--platform") {
      settings.platform = value;
    } else if (name == "--print") {
      printed = std::stoull(value);
    } else if (name == "--reduce") {
      reduced = std::stoull(value);
    } else {
      fail("option " + word + " is unknown");
    }
  }
  if (printed) {
    print(generate(settings.style, *printed));
    return 0;
  }
  if (reduced) {
    print(reduce(settings, generate(settings.style, *reduced)));
    return 0;
  }
  const Totals totals = compareSeeds(settings);
  if (totals.skipped)
    std::printf("%llu kernels skipped: the device does not support their local sizes\n",
                static_cast<unsigned long long>(totals.skipped));
  std::printf("%llu kernels, %llu failures\n", static_cast<unsigned long long>(settings.end - settings.first),
              static_cast<unsigned long long>(totals.wrong));
  return totals.wrong != 0;
}
