// A reader of JSON (RFC 8259), for bundles. Numbers are read as 64-bit unsigned integers: bundles have no others, and
// addresses need all bits.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

class Json {
public:
  /// Throws std::runtime_error with the file's name and the byte offset if the text is not one JSON value.
  static Json parse(std::string_view text, const std::string &file);

  // Each throws std::runtime_error with the member's name if the value is of another type.
  uint64_t number() const;
  bool boolean() const;
  const std::string &string() const;
  const std::vector<Json> &list() const;
  /// A member of an object; throws if there is none.
  const Json &operator[](const std::string &name) const;
  bool has(const std::string &name) const { return members_.contains(name); }

private:
  friend class JsonReader;
  enum class Type : uint8_t { Null, Boolean, Number, String, List, Object };
  void expect(Type type, const char *words) const;

  Type type_ = Type::Null;
  uint64_t number_ = 0; // of a boolean: 0 or 1
  std::string string_, name_;
  std::vector<Json> list_;
  std::map<std::string, Json> members_;
};

} // namespace bench
