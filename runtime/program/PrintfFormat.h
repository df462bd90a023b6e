// Turns what printf left in a buffer into text: the one formatter for every device.
//
// Formats and records come from a user's module and from code that may have written anywhere, so nothing in them is
// trusted: what makes no sense is printed as it stands or left out, and no number makes the output larger than
// MaxPrintfField for each conversion.
#pragma once
#include "runtime/compiler/ProgramInfo.h"
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace kiln {

/// The widest field and the highest precision; C asks for no more.
inline constexpr int MaxPrintfField = 4095;

/// Gets the text in pieces.
using PrintfSink = std::function<void(std::string_view)>;

/// Prints one format with its arguments, which lie in `bytes` as abi::PrintfRecord says.
void formatPrintf(const PrintfTables &tables, std::string_view format, std::span<const PrintfArgument> signature,
                  std::span<const std::byte> bytes, const PrintfSink &sink);

/// Prints records up to the first one that is empty or no record. Says how many bytes they take.
size_t formatRecords(const PrintfTables &tables, std::span<const std::byte> records, const PrintfSink &sink);

} // namespace kiln
