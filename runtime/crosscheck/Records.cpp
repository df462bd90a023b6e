#include "runtime/crosscheck/Records.h"
#include "base/abi/KernelAbi.h"
#include "runtime/program/PrintfFormat.h"
#include <algorithm>
#include <cstring>
#include <span>

namespace kiln::crosscheck {
namespace {

/// Zeroes the addresses among a record's arguments.
void dropPointers(std::string &record, const PrintfTables &tables) {
  abi::PrintfRecord head;
  std::memcpy(&head, record.data(), sizeof head);
  if (head.signature >= tables.signatures.size())
    return;
  size_t at = sizeof head;
  for (const PrintfArgument &argument : tables.signatures[head.signature]) {
    const bool literal = argument.kind == PrintfArgument::Kind::Literal;
    if ((literal || argument.kind == PrintfArgument::Kind::Pointer) && at + 8 <= record.size())
      std::memset(record.data() + at, 0, 8);
    at += literal ? 16 : (size_t(argument.bytes) * argument.components + 7) / 8 * 8;
  }
}

} // namespace

Records Records::read(const std::byte *buffer, const PrintfTables &tables) {
  abi::PrintfBuffer head;
  std::memcpy(&head, buffer, sizeof head);
  Records records;
  records.overflowed = head.used > head.capacity;
  const std::byte *next = buffer + sizeof head, *end = next + std::min(head.used, head.capacity);
  while (size_t(end - next) >= sizeof(abi::PrintfRecord)) {
    abi::PrintfRecord record;
    std::memcpy(&record, next, sizeof record);
    if (record.bytes < sizeof record || record.bytes > size_t(end - next))
      break;
    dropPointers(records.sorted.emplace_back(reinterpret_cast<const char *>(next), record.bytes), tables);
    next += record.bytes;
  }
  std::ranges::sort(records.sorted);
  return records;
}

Records Records::take(std::byte *buffer, const PrintfTables &tables) {
  Records records = read(buffer, tables);
  abi::PrintfBuffer head;
  std::memcpy(&head, buffer, sizeof head);
  std::memset(buffer + sizeof head, 0, std::min(head.used, head.capacity));
  head.used = 0;
  std::memcpy(buffer, &head, sizeof head);
  return records;
}

std::string difference(const Records &normal, const Records &scalar, const PrintfTables &tables) {
  auto [inNormal, inScalar] = std::ranges::mismatch(normal.sorted, scalar.sorted);
  if (inNormal == normal.sorted.end() && inScalar == scalar.sorted.end())
    return {};
  auto print = [&](auto at, auto end) {
    if (at == end)
      return std::string("absent");
    std::string line = "\"";
    formatRecords(tables, std::as_bytes(std::span(*at)), [&](std::string_view text) { line += text; });
    for (size_t i = 0; (i = line.find('\n', i)) != std::string::npos;)
      line.replace(i, 1, "\\n");
    return line + "\"";
  };
  return "printf record is " + print(inNormal, normal.sorted.end()) + ", must be " +
         print(inScalar, scalar.sorted.end()) + " as in the scalar form";
}

} // namespace kiln::crosscheck
