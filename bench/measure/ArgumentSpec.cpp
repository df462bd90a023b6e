#include "bench/measure/ArgumentSpec.h"
#include <algorithm>
#include <fstream>
#include <iterator>

namespace bench {
namespace {

bool isFill(const std::string &word) { return word == "random" || word == "zero" || word == "iota"; }

} // namespace

std::pair<std::string, std::string> splitArgument(const std::string &text) {
  const size_t mark = text.find('=');
  return mark == std::string::npos ? std::pair(std::string(), text)
                                   : std::pair(text.substr(0, mark), text.substr(mark + 1));
}

std::vector<double> parseNumbers(const std::string &text) {
  std::vector<double> numbers;
  for (const std::string &part : split(text, ','))
    numbers.push_back(parseNumber<double>("--arg", part, "a number, or numbers with commas for a vector"));
  return numbers;
}

bool namesBytes(const std::string &text) { return text.starts_with("bytes:") || text.starts_with("file:"); }

std::string parseBytes(const std::string &text) {
  if (text.starts_with("file:")) {
    std::ifstream file(text.substr(5), std::ios::binary);
    if (!file)
      throw std::runtime_error("--arg is '" + text + "', and this file cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string bytes;
  const std::string digits = text.substr(6);
  for (size_t i = 0; i < digits.size(); i += 2) {
    unsigned value = 0;
    const char *end = digits.data() + std::min(i + 2, digits.size());
    auto [stop, error] = std::from_chars(digits.data() + i, end, value, 16);
    if (error != std::errc() || stop != digits.data() + i + 2)
      refuse("--arg", text, "bytes: and two hexadecimal digits for each byte");
    bytes += char(value);
  }
  if (bytes.empty())
    refuse("--arg", text, "bytes: and two hexadecimal digits for each byte");
  return bytes;
}

FillSpec parseFill(const std::string &text) {
  const std::vector<std::string> parts = split(text, ':');
  if (!isFill(parts[0]) || parts.size() > 2)
    refuse("--arg", text, "random, zero or iota with an optional :COUNT, bytes:HEX or file:PATH");
  FillSpec spec{parts[0], {}};
  if (parts.size() > 1)
    spec.count = parseAmount("the count of --arg " + text, parts[1]);
  return spec;
}

ImageSpec parseImage(const std::string &text) {
  const std::vector<std::string> parts = split(text, ':');
  if (!isFill(parts[0]) || parts.size() > 3)
    refuse("--arg", text, "random, zero or iota with an optional :EXTENT and :ORDER,TYPE, as random:64x64:rgba,float");
  ImageSpec spec{parts[0], {}, {}, {}};
  if (parts.size() > 1)
    spec.extent = parseSize("the extent of --arg " + text, parts[1]);
  if (parts.size() > 2) {
    const std::vector<std::string> format = split(parts[2], ',');
    if (format.size() != 2)
      refuse("the format of --arg " + text, parts[2], "an order and a type, as rgba,unorm_int8");
    spec.order = format[0], spec.type = format[1];
  }
  return spec;
}

SamplerSpec parseSampler(const std::string &text) {
  static constexpr const char *modes[] = {"none", "clamp", "clamp_to_edge", "repeat", "mirrored_repeat"};
  SamplerSpec spec;
  for (const std::string &word : split(text, ',')) {
    if (word == "linear" || word == "nearest")
      spec.linear = word == "linear";
    else if (word == "normalized")
      spec.normalized = true;
    else if (std::ranges::find(modes, word) != std::end(modes))
      spec.addressing = word;
    else
      refuse("--arg", text,
             "words of nearest, linear, none, clamp, clamp_to_edge, repeat, mirrored_repeat and normalized");
  }
  if (!spec.normalized && (spec.addressing == "repeat" || spec.addressing == "mirrored_repeat"))
    refuse("--arg", text, "normalized as well if it has repeat or mirrored_repeat"); // OpenCL API 5.7.1
  return spec;
}

} // namespace bench
