// Parts of option values: numbers and lists.
#pragma once
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// Throws with the option's name, its value and the rule.
[[noreturn]] inline void refuse(const std::string &option, const std::string &text, const std::string &rule) {
  throw std::runtime_error(option + " is '" + text + "', must be " + rule);
}

template <typename Number> Number parseNumber(const std::string &option, const std::string &text, const char *rule) {
  Number number{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(option, text, rule);
  return number;
}

std::vector<std::string> split(const std::string &text, char separator);

/// One to three positive numbers, as 1024x64.
std::vector<size_t> parseSize(const std::string &option, const std::string &text);

/// A positive number of processors.
size_t parseProcessors(const std::string &text);

/// A number for a launch, or for each work-item: 4096, 12/item. Zero: not given.
struct Amount {
  double number = 0;
  bool perItem = false;
  uint64_t of(uint64_t items) const { return uint64_t(perItem ? number * double(items) : number); }
};
Amount parseAmount(const std::string &option, const std::string &text);

} // namespace bench
