#include "bench/measure/Elements.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>

namespace bench {
namespace {

/// The bits of the nearest half, for numbers that a half can have; overflow gives infinity. Subnormals become 0.
uint16_t halfOf(float number) {
  const auto bits = std::bit_cast<uint32_t>(number);
  const uint32_t sign = bits >> 16 & 0x8000;
  const int exponent = int(bits >> 23 & 0xff) - 127;
  if (exponent > 15)
    return uint16_t(sign | 0x7c00);
  if (exponent < -14)
    return uint16_t(sign);
  return uint16_t(sign | (uint32_t(exponent + 15) << 10 | (bits >> 13 & 0x3ff)));
}

void append(std::string &bytes, const Element &element, double number) {
  char buffer[8];
  if (element.isFloat && element.size == 8) {
    std::memcpy(buffer, &number, 8);
  } else if (element.isFloat && element.size == 4) {
    const auto single = float(number);
    std::memcpy(buffer, &single, 4);
  } else if (element.isFloat) {
    const uint16_t half = halfOf(float(number));
    std::memcpy(buffer, &half, 2);
  } else {
    const uint64_t integer = number < 0 ? uint64_t(int64_t(number)) : uint64_t(number);
    std::memcpy(buffer, &integer, 8); // little-endian, as every device of Kiln
  }
  bytes.append(buffer, element.size);
}

} // namespace

std::optional<Element> elementOf(std::string type) {
  if (type.ends_with("*"))
    type.pop_back();
  while (type.ends_with(" "))
    type.pop_back();
  for (auto [from, to] : {std::pair("unsigned ", "u"), {"signed ", ""}})
    if (type.starts_with(from))
      type = to + type.substr(std::strlen(from));
  Element element;
  if (const size_t digit = type.find_first_of("0123456789"); digit != std::string::npos) {
    auto [end, error] = std::from_chars(type.data() + digit, type.data() + type.size(), element.components);
    static constexpr unsigned counts[] = {2, 3, 4, 8, 16};
    if (error != std::errc() || end != type.data() + type.size() ||
        std::ranges::find(counts, element.components) == std::end(counts))
      return std::nullopt;
    type.resize(digit);
  }
  static constexpr struct {
    const char *name;
    bool isFloat, isSigned;
    unsigned size;
  } scalars[] = {{"char", false, true, 1},    {"uchar", false, false, 1}, {"short", false, true, 2},
                 {"ushort", false, false, 2}, {"int", false, true, 4},    {"uint", false, false, 4},
                 {"long", false, true, 8},    {"ulong", false, false, 8}, {"size_t", false, false, 8},
                 {"half", true, true, 2},     {"float", true, true, 4},   {"double", true, true, 8}};
  for (const auto &scalar : scalars)
    if (type == scalar.name) {
      element.isFloat = scalar.isFloat;
      element.isSigned = scalar.isSigned;
      element.size = scalar.size;
      return element;
    }
  return std::nullopt;
}

std::string bytesOf(const Element &element, const std::vector<double> &numbers, const std::string &words) {
  if (numbers.size() != 1 && numbers.size() != element.components)
    throw std::runtime_error(words + " has " + std::to_string(element.components) + " components, --arg has " +
                             std::to_string(numbers.size()));
  const double top = std::ldexp(1.0, int(element.size * 8 - element.isSigned));
  std::string bytes;
  for (unsigned i = 0; i < element.components; ++i) {
    const double number = numbers[numbers.size() == 1 ? 0 : i];
    if (!element.isFloat && (number != std::floor(number) || number >= top || number < (element.isSigned ? -top : 0)))
      throw std::runtime_error(words + " is an integer of " + std::to_string(element.size * 8) +
                               " bits, --arg is not one");
    append(bytes, element, number);
  }
  bytes.resize(element.bytes());
  return bytes;
}

std::string filled(const Element &element, const std::string &fill, size_t count) {
  std::string bytes;
  const size_t numbers = count * element.bytes() / element.size;
  if (fill == "zero") {
    bytes.resize(count * element.bytes());
    return bytes;
  }
  bytes.reserve(count * element.bytes());
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit;
  for (size_t i = 0; i < numbers; ++i) {
    if (fill == "iota" || element.isFloat) {
      const uint64_t index = element.size < 8 && !element.isFloat ? i % (1ull << (element.size * 8 - 1)) : i;
      append(bytes, element, fill == "iota" ? double(index) : unit(random));
    } else {
      const uint64_t bits = random();
      bytes.append(reinterpret_cast<const char *>(&bits), element.size);
    }
  }
  return bytes;
}

namespace {

double numberOfHalf(uint16_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  if (exponent == 31)
    return fraction ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

template <typename Number> Number read(const char *bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

} // namespace

double numberAt(const Element &element, const char *bytes) {
  if (element.isFloat)
    return element.size == 8   ? read<double>(bytes)
           : element.size == 4 ? double(read<float>(bytes))
                               : numberOfHalf(read<uint16_t>(bytes));
  switch (element.size) {
  case 1:
    return element.isSigned ? double(read<int8_t>(bytes)) : double(read<uint8_t>(bytes));
  case 2:
    return element.isSigned ? double(read<int16_t>(bytes)) : double(read<uint16_t>(bytes));
  case 4:
    return element.isSigned ? double(read<int32_t>(bytes)) : double(read<uint32_t>(bytes));
  default:
    return element.isSigned ? double(read<int64_t>(bytes)) : double(read<uint64_t>(bytes));
  }
}

} // namespace bench
