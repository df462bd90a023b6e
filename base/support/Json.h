// JSON strings and numbers, for traces, the report of crosscheck, and bundles.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace kiln::json {

/// Bytes above ASCII become \u00XX, because names come from users and need not be UTF-8.
inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (unsigned char c : text)
    if (c == '"' || c == '\\') {
      out += '\\', out += char(c);
    } else if (c < 0x20 || c >= 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += char(c);
    }
  return out + '"';
}

inline std::string hex(const void *bytes, size_t size) {
  std::string out;
  for (size_t i = 0; i < size; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char *>(bytes)[i]);
    out += digits;
  }
  return out;
}

template <typename List> std::string list(const List &values) {
  std::string out = "[";
  for (const auto &value : values)
    out += (out.size() > 1 ? "," : "") + std::to_string(value);
  return out + "]";
}

} // namespace kiln::json
