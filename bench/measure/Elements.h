// Types of kernel arguments: numbers and vectors of OpenCL C, and their bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Element {
  bool isFloat = false, isSigned = false;
  size_t size = 0;         // of a component, in bytes: 1, 2, 4 or 8
  unsigned components = 1; // 1 to 16
  /// A vector of three has the size of one of four.
  size_t bytes() const { return size * (components == 3 ? 4 : components); }
};

/// The element of "float4", "unsigned int*" or "size_t", as CL_KERNEL_ARG_TYPE_NAME names types; nothing for others.
std::optional<Element> elementOf(std::string type);

/// One element with these components; a single number is that of all components. Throws, with `words` for the argument,
/// if the count differs or an integer is not in the type's range.
std::string bytesOf(const Element &element, const std::vector<double> &numbers, const std::string &words);

/// `count` elements. `fill`: zero; iota (component i is i modulo the type's range); random: the same numbers in every
/// run, floats from 0 to 1, integers of the type's range.
std::string filled(const Element &element, const std::string &fill, size_t count);

/// The number of one component's bytes.
double numberAt(const Element &element, const char *bytes);

} // namespace bench
