#include "bench/measure/CheckResult.h"
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

bool isClose(double one, double right, double tolerance) {
  if (std::isnan(one) || std::isnan(right))
    return std::isnan(one) && std::isnan(right);
  return one == right || std::abs(one - right) <= tolerance * std::max(1.0, std::abs(right));
}

/// The type of the numbers in memory; empty if the memory has bytes.
std::optional<Element> numbersIn(const ArgumentMemory &memory) {
  std::optional<Element> element = memory.image ? elementOfImage(*memory.image) : memory.element;
  if (element)
    element->components = 1;
  return element;
}

std::string spell(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", number);
  return text;
}

/// Returns true for memory whose name is "x" or whose number is "2": words are "argument 2 (float* x)".
bool isNamed(const ArgumentMemory &memory, const std::string &name) {
  return memory.words.starts_with("argument " + name + " ") || memory.words.ends_with(" " + name + ")");
}

} // namespace

std::string differences(const std::vector<std::string> &result, const std::vector<std::string> &right,
                        const SharedArguments &shared, double tolerance) {
  std::string first;
  size_t different = 0, all = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    const ArgumentMemory &memory = shared.memory[i];
    const std::optional<Element> element = numbersIn(memory);
    const size_t size = element ? element->size : 1;
    for (size_t at = 0; at + size <= result[i].size(); at += size, ++all) {
      if (result[i].compare(at, size, right[i], at, size) == 0)
        continue;
      const double got = element ? numberAt(*element, result[i].data() + at) : double(uint8_t(result[i][at]));
      const double wanted = element ? numberAt(*element, right[i].data() + at) : double(uint8_t(right[i][at]));
      if (element && (element->isFloat || tolerance > 0) && isClose(got, wanted, tolerance))
        continue; // without a tolerance, the bytes of integers decide: a double does not have all 64-bit integers
      if (!different++)
        first = memory.words + ", " + (element ? "number " : "byte ") + std::to_string(at / size) + " is " +
                spell(got) + ", must be " + spell(wanted);
    }
  }
  if (!different)
    return {};
  return first + " (tolerance " + spell(tolerance) + "); " + std::to_string(different) + " of " + std::to_string(all) +
         " are wrong";
}

std::vector<std::string> expectedContents(const Check &check, std::vector<std::string> result,
                                          const SharedArguments &shared) {
  for (const auto &[name, path] : check.expected) {
    auto memory = std::ranges::find_if(
        shared.memory, [&, &name = name](const ArgumentMemory &one) { return one.memory && isNamed(one, name); });
    if (memory == shared.memory.end())
      throw std::runtime_error("--expect names argument " + name + ", and the kernel has no such buffer or image");
    std::string content = parseBytes("file:" + path);
    if (content.size() != memory->content.size())
      throw std::runtime_error("--expect: " + path + " has " + std::to_string(content.size()) + " bytes, " +
                               memory->words + " has " + std::to_string(memory->content.size()));
    result[size_t(memory - shared.memory.begin())] = std::move(content);
  }
  return result;
}

} // namespace bench
