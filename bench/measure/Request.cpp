#include "bench/measure/Request.h"
#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace bench {
namespace {

template <typename Number> Number parse(const std::string &option, const std::string &text, const char *rule) {
  Number number{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error(option + " is '" + text + "', must be " + rule);
  return number;
}

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
  for (const std::string &part : split(text, 'x'))
    size.push_back(parse<size_t>(option, part, Rule));
  if (size.size() > 3 || std::ranges::find(size, size_t(0)) != size.end())
    throw std::runtime_error(option + " is '" + text + "', must be " + Rule);
  return size;
}

} // namespace

bool isRequest(int count, char **arguments) {
  for (int i = 1; i < count; ++i)
    if (std::string word = arguments[i]; word == "--source" || word.starts_with("--source=") || !word.starts_with("-"))
      return true;
  return false;
}

Request parseRequest(int count, char **arguments) {
  Request request;
  std::string options;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (!word.starts_with("-")) {
      request.bundles.push_back(word);
      continue;
    }
    if (word.starts_with("--benchmark_")) {
      request.others.push_back(word);
      continue;
    }
    const size_t mark = word.find('=');
    const std::string name = word.substr(0, mark);
    static constexpr const char *names[] = {"--source", "--options", "--kernel",  "--size",    "--local",
                                            "--arg",    "--bytes",   "--ops",     "--seconds", "--precision",
                                            "--device", "--samples", "--platform"};
    if (std::ranges::find(names, name) == std::end(names))
      throw std::runtime_error("there is no option " + name + " for kernels of one's own; see kiln-bench --help");
    if (mark == std::string::npos && i + 1 == count)
      throw std::runtime_error(name + " takes a value");
    const std::string value = mark == std::string::npos ? arguments[++i] : word.substr(mark + 1);
    if (name == "--source")
      request.sources.push_back({value, options});
    else if (name == "--options") // before every source: for all; else for the last one
      (request.sources.empty() ? options : request.sources.back().options) = value;
    else if (name == "--kernel")
      request.kernel = value;
    else if (name == "--size")
      request.global = parseSize(name, value);
    else if (name == "--local")
      request.local = parseSize(name, value);
    else if (name == "--arg")
      request.arguments.push_back(value);
    else if (name == "--bytes")
      request.bytes = parse<uint64_t>(name, value, "a number of bytes");
    else if (name == "--ops")
      request.operations = parse<uint64_t>(name, value, "a number of operations");
    else if (name == "--seconds")
      request.seconds = parse<double>(name, value, "a number of seconds");
    else if (name == "--precision")
      request.precision = parse<double>(name, value, "a number of percent") / 100;
    else if (name == "--device")
      request.device = value;
    else if (name == "--samples")
      request.samples = value;
    else
      request.platform = value;
  }
  if (!request.bundles.empty() && !request.sources.empty())
    throw std::runtime_error("a bundle and --source cannot be measured together");
  if (!request.local.empty() && request.local.size() != std::max<size_t>(request.global.size(), 1))
    throw std::runtime_error("--local has " + std::to_string(request.local.size()) +
                             " dimensions, must have as many as --size");
  return request;
}

std::pair<std::string, std::string> splitArgument(const std::string &text) {
  const size_t mark = text.find('=');
  return mark == std::string::npos ? std::pair(std::string(), text)
                                   : std::pair(text.substr(0, mark), text.substr(mark + 1));
}

ArgumentSpec parseArgument(const std::string &text) {
  ArgumentSpec spec;
  const std::vector<std::string> parts = split(text, ':');
  if (parts[0] == "random" || parts[0] == "zero" || parts[0] == "iota") {
    spec.fill = parts[0];
    if (parts.size() > 1)
      spec.count = parse<uint64_t>("the count of --arg " + text, parts[1], "a number of elements");
    if (parts.size() > 2 || (parts.size() == 2 && !spec.count))
      throw std::runtime_error("--arg is '" + text + "', must be " + parts[0] + " or " + parts[0] + ":COUNT");
    return spec;
  }
  for (const std::string &part : split(text, ','))
    spec.numbers.push_back(parse<double>("--arg", part, "numbers, or random, zero or iota with an optional :COUNT"));
  return spec;
}

} // namespace bench
