// The explorer's page: one HTML file with a program's source and the stages of its variants. It opens without a
// network.
//
// A variant is the result of one compilation: a device's generic code, or code for fixed values. kilnc describes each
// variant as a JSON object (backends/kilnc/explorer); `page` puts these objects into the page unchanged. README.md
// describes the JSON.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::explorer {

/// Returns a JSON string that is also safe in a <script> element: `<`, `>` and `&` are escaped, because names and
/// source come from users. Bytes that are not UTF-8 become U+FFFD.
std::string quoted(std::string_view text);

/// A source file of the program.
struct File {
  std::string name, text;
};

/// Returns the data of a program's page, a JSON object. `variants`, `launches` and `machineCode` are JSON objects.
std::string describe(std::string_view title, const std::vector<File> &files, const std::vector<std::string> &variants,
                     const std::vector<std::string> &launches, const std::vector<std::string> &machineCode);

/// Returns the data of a page, a part of its text. Empty if the text is no page of the explorer, or if it has a `<`,
/// which `quoted` escapes.
std::string_view dataOf(std::string_view page);

/// Returns the page of `data`, a result of `describe` or `dataOf`. If `compared` is not empty, it is the data of
/// another page, named `comparedName`, and the page starts with the comparison of both.
std::string page(std::string_view data, std::string_view comparedName = {}, std::string_view compared = {});

} // namespace kiln::explorer
