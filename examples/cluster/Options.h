// The options of the programs: --name=VALUE.
#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace cluster {

/// The value of --name=VALUE on the command line, or `otherwise`.
std::string option(int argc, char **argv, std::string_view name, std::string otherwise);
/// The same for a number. Ends the process with a message if it is not a number from `least` to `most`.
int option(int argc, char **argv, std::string_view name, int otherwise, int least, int most);
/// Ends the process with a message if an argument is not --name=VALUE with a name of one of the lists.
void checkOptions(int argc, char **argv, std::initializer_list<std::span<const std::string_view>> names);

} // namespace cluster
