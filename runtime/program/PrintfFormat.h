// Formats printf records as text, for every device.
//
// Formats and records come from a user's module and from code that may have written anywhere, so they are not trusted:
// invalid parts are printed verbatim or skipped, and a conversion prints at most MaxPrintfField characters of padding
// or digits.
#pragma once
#include "base/abi/ProgramInfo.h"
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace kiln {

/// The largest field width and precision, as C guarantees it.
inline constexpr int MaxPrintfField = 4095;

/// Receives the text in chunks.
using PrintfSink = std::function<void(std::string_view)>;

/// Prints one format with its arguments, which `bytes` holds as described at abi::PrintfRecord.
void formatPrintf(const PrintfTables &tables, std::string_view format, std::span<const PrintfArgument> signature,
                  std::span<const std::byte> bytes, const PrintfSink &sink);

/// Prints records up to the first empty or invalid one. Returns the number of bytes printed from `records`.
/// `trapMessage` receives the begin of the text of the first record with abi::TrapMessageBit, unless it is null.
size_t formatRecords(const PrintfTables &tables, std::span<const std::byte> records, const PrintfSink &sink,
                     std::string *trapMessage = nullptr);

} // namespace kiln
