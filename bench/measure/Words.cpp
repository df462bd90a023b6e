#include "bench/measure/Words.h"
#include <algorithm>

namespace bench {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::vector<size_t> parseSize(const std::string &option, const std::string &text) {
  constexpr const char *Rule = "one to three positive numbers, as 1024x64";
  std::vector<size_t> size;
  for (const std::string &part : split(text, 'x')) {
    size.push_back(0);
    auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), size.back());
    if (error != std::errc() || end != part.data() + part.size())
      refuse(option, text, Rule);
  }
  if (size.size() > 3 || std::ranges::find(size, size_t(0)) != size.end())
    refuse(option, text, Rule);
  return size;
}

size_t parseProcessors(const std::string &text) {
  constexpr const char *Rule = "a positive number of processors";
  const auto count = parseNumber<size_t>("--processors", text, Rule);
  if (!count)
    refuse("--processors", text, Rule);
  return count;
}

Amount parseAmount(const std::string &option, const std::string &text) {
  constexpr const char *Rule = "a positive number, or one for each work-item, as 12/item";
  Amount amount;
  amount.perItem = text.ends_with("/item");
  const std::string number = amount.perItem ? text.substr(0, text.size() - 5) : text;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), amount.number);
  if (error != std::errc() || end != number.data() + number.size() || !(amount.number > 0) || amount.number > 1e18)
    refuse(option, text, Rule);
  return amount;
}

} // namespace bench
