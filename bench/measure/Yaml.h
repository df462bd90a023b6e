// A YAML document as a tree, read with libyaml.
#pragma once
#include <string>
#include <vector>

namespace bench {

struct Yaml {
  enum class Type { Scalar, List, Map } type = Type::Scalar;
  size_t line = 1;
  std::string key; // in its map
  std::string scalar;
  std::vector<Yaml> children; // of a list or a map, in the file's order
};

/// The file's only document. Throws std::runtime_error with the file and the line if it is not one.
Yaml readYaml(const std::string &path);

} // namespace bench
