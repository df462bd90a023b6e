#include "examples/cluster/Options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace cluster {

namespace {

[[noreturn]] void usageError(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(2);
}

} // namespace

std::string option(int argc, char **argv, std::string_view name, std::string otherwise) {
  const std::string start = "--" + std::string(name) + "=";
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with(start))
      otherwise = argv[i] + start.size();
  return otherwise;
}

int option(int argc, char **argv, std::string_view name, int otherwise, int least, int most) {
  const std::string text = option(argc, argv, name, std::to_string(otherwise));
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    usageError("--" + std::string(name) + " is " + text + ", must be a number from " + std::to_string(least) + " to " +
               std::to_string(most));
  return value;
}

void checkOptions(int argc, char **argv, std::initializer_list<std::span<const std::string_view>> names) {
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i], name = argument.substr(0, argument.find('='));
    bool known = false;
    for (std::span<const std::string_view> list : names)
      for (std::string_view each : list)
        known |= name == "--" + std::string(each);
    if (!known || name.size() == argument.size())
      usageError("argument '" + std::string(argument) + "' is not an option of this program with a value");
  }
}

} // namespace cluster
