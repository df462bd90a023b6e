// The switches that name a file or a folder which Kiln writes.
#pragma once
#include <string>
#include <string_view>

namespace kiln {

/// Returns why Kiln cannot write the file or folder that the switch `name`, without KILN_, names; empty if it can, or
/// if the switch names no output. Creates nothing: a folder that does not exist may be created if the nearest one above
/// it can be written.
std::string whyNotWritable(std::string_view name, const std::string &value);

} // namespace kiln
