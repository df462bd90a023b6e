#include "base/explorer/Page.h"
#include <cstdio>
#include <iterator>

namespace kiln::explorer {
namespace {

constexpr char Html[] = {
#include "page.html.inc"
};
constexpr char Style[] = {
#include "page.css.inc"
};
// clang-format off: the order is that of the scripts, because a later one uses an earlier one.
constexpr char Script[] = {
#include "program.js.inc"
#include "differences.js.inc"
#include "documents.js.inc"
#include "words.js.inc"
#include "hints.js.inc"
#include "panes.js.inc"
#include "comparison.js.inc"
#include "tables.js.inc"
#include "address.js.inc"
#include "page.js.inc"
};
// clang-format on
constexpr std::string_view DataStart = R"(<script id="data" type="application/json">)", DataEnd = "</script>";

/// Returns the length of the UTF-8 sequence at the start of `text`, or 0 if it is not valid.
size_t sequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const size_t length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : 4;
  if (length == 1)
    return 1;
  if (first < 0xc2 || first > 0xf4 || text.size() < length)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  const bool isOverlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool isSurrogate = first == 0xed && byte(1) >= 0xa0;
  const bool isTooLarge = first == 0xf4 && byte(1) >= 0x90;
  return isOverlong || isSurrogate || isTooLarge ? 0 : length;
}

std::string list(const std::vector<std::string> &objects) {
  std::string out = "[";
  for (const std::string &object : objects)
    out += (out.size() > 1 ? ",\n" : "") + object;
  return out + "]";
}

/// Replaces the only occurrence of `mark`.
void insert(std::string &html, std::string_view mark, std::string_view text) {
  html.replace(html.find(mark), mark.size(), text);
}

} // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    const size_t length = sequenceLength(text);
    if (length == 0) {
      out += "\\ufffd";
    } else if (length > 1) {
      out += text.substr(0, length);
    } else if (first == '"' || first == '\\') {
      out += '\\', out += char(first);
    } else if (first < 0x20 || first == '<' || first == '>' || first == '&' || first == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", first);
      out += escape;
    } else {
      out += char(first);
    }
    text.remove_prefix(length ? length : 1);
  }
  return out + '"';
}

std::string_view dataOf(std::string_view page) {
  const size_t start = page.find(DataStart);
  if (start == std::string_view::npos)
    return {};
  page.remove_prefix(start + DataStart.size());
  const std::string_view found = page.substr(0, page.find(DataEnd));
  // Pages of the explorer escape it. Other text could end the script or begin a comment.
  return found.size() == page.size() || found.find('<') != std::string_view::npos ? std::string_view() : found;
}

std::string page(std::string_view data, std::string_view comparedName, std::string_view compared) {
  std::string html(std::begin(Html), std::end(Html));
  insert(html, "/* page.css */", {Style, sizeof Style});
  insert(html, "/* page.js */", {Script, sizeof Script});
  // Last: the marks above must not be found in the program's text.
  std::string all(data);
  if (!compared.empty())
    all.insert(all.rfind('}'),
               ",\n\"compared\":{\"name\":" + quoted(comparedName) + ",\"data\":" + std::string(compared) + "}");
  insert(html, "/* data */", all);
  return html;
}

std::string describe(std::string_view title, const std::vector<File> &files, const std::vector<std::string> &variants,
                     const std::vector<std::string> &launches, const std::vector<std::string> &machineCode) {
  std::vector<std::string> sources;
  for (const File &file : files)
    sources.push_back("{\"name\":" + quoted(file.name) + ",\"text\":" + quoted(file.text) + "}");
  return "{\"title\":" + quoted(title) + ",\n\"files\":" + list(sources) + ",\n\"variants\":" + list(variants) +
         ",\n\"launches\":" + list(launches) + ",\n\"machineCode\":" + list(machineCode) + "}";
}

} // namespace kiln::explorer
