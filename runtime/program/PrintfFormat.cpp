#include "runtime/program/PrintfFormat.h"
#include "base/abi/TrapAbi.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

namespace kiln {
namespace {

using Kind = PrintfArgument::Kind;
constexpr size_t ChunkBytes = 1 << 16; // text collected before it goes to the sink
constexpr size_t MaxTrapMessage = 500; // characters
constexpr size_t Whole = std::string_view::npos;

/// One conversion specification.
struct Conversion {
  std::string flags;
  int width = -1, precision = -1; // -1: not given
  unsigned components = 0;        // of the vector specifier; 0: not given
  unsigned bytes = 0;             // of the length modifier; 0: not given
  char letter = 0;
  size_t length = 0; // in the format

  bool has(char flag) const { return flags.find(flag) != std::string::npos; }
};

/// Parses the conversion after a percent sign; nothing if it is not valid in OpenCL C.
std::optional<Conversion> parse(std::string_view text) {
  Conversion result;
  size_t at = 0;
  auto next = [&] { return at < text.size() ? text[at] : '\0'; };
  auto take = [&](std::string_view word) {
    if (!text.substr(at).starts_with(word))
      return false;
    at += word.size();
    return true;
  };
  auto number = [&] {
    int value = 0;
    for (; next() >= '0' && next() <= '9'; ++at)
      value = std::min(value * 10 + (next() - '0'), MaxPrintfField);
    return value;
  };
  for (; next() && std::strchr("-+ #0", next()); ++at)
    if (!result.has(next()))
      result.flags += next();
  if (next() >= '1' && next() <= '9')
    result.width = number();
  if (take("."))
    result.precision = number();
  if (take("v")) {
    result.components = unsigned(number());
    if (!std::ranges::count(std::initializer_list<unsigned>{2, 3, 4, 8, 16}, result.components))
      return {};
  }
  // Programs use C's z and t for size_t and ptrdiff_t.
  static constexpr struct {
    std::string_view word;
    unsigned bytes;
  } Lengths[] = {{"hh", 1}, {"hl", 4}, {"h", 2}, {"ll", 8}, {"l", 8}, {"z", 8}, {"t", 8}};
  for (auto [word, bytes] : Lengths)
    if (take(word)) {
      result.bytes = bytes;
      break;
    }
  result.letter = next();
  if (!result.letter || !std::strchr(result.components ? "diouxXfFeEgGaA" : "diouxXfFeEgGaAcsp%", result.letter))
    return {};
  result.length = at + 1;
  return result;
}

double fromHalf(uint64_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? (fraction ? NAN : HUGE_VAL)
                                       : std::ldexp(1024 + fraction, exponent - 25);
  return std::copysign(size, bits >> 15 & 1 ? -1.0 : 1.0);
}

/// Formats one record. Takes its arguments in order.
class Formatter {
public:
  Formatter(const PrintfTables &tables, std::span<const PrintfArgument> signature, std::span<const std::byte> bytes,
            const PrintfSink &sink)
      : tables_(tables), signature_(signature), bytes_(bytes), sink_(sink) {}

  void run(std::string_view format) {
    while (!format.empty()) {
      size_t plain = std::min(format.find('%'), format.size());
      put(format.substr(0, plain));
      format.remove_prefix(plain);
      if (format.empty())
        break;
      std::optional<Conversion> conversion = parse(format.substr(1));
      size_t length = conversion ? conversion->length + 1 : 1;
      if (!conversion || !convert(*conversion))
        put(format.substr(0, length));
      format.remove_prefix(length);
    }
    flush();
  }

private:
  struct Argument {
    PrintfArgument type;
    const std::byte *at;

    uint64_t bits(unsigned component) const {
      uint64_t value = 0;
      std::memcpy(&value, at + size_t(component) * type.bytes, type.bytes);
      return value;
    }
    uint64_t literal() const {
      uint64_t number = 0;
      std::memcpy(&number, at + 8, sizeof number);
      return number;
    }
  };

  std::optional<Argument> take() {
    if (signature_.empty())
      return {};
    PrintfArgument type = signature_.front();
    const bool isPointer = type.kind == Kind::Pointer || type.kind == Kind::Literal;
    size_t size =
        isPointer ? (type.kind == Kind::Literal ? 16 : 8) : (size_t(type.bytes) * type.components + 7) / 8 * 8;
    const bool sound = type.kind <= Kind::Literal && (isPointer ? type.bytes == 8 && type.components == 1
                                                                : std::has_single_bit(type.bytes) && type.bytes <= 8 &&
                                                                      type.components >= 1 && type.components <= 16);
    if (!sound || size > bytes_.size()) {
      signature_ = {};
      return {};
    }
    Argument argument{type, bytes_.data()};
    signature_ = signature_.subspan(1), bytes_ = bytes_.subspan(size);
    return argument;
  }

  /// Returns false if there is no argument left for it.
  bool convert(const Conversion &conversion) {
    if (conversion.letter == '%')
      return put("%"), true;
    std::optional<Argument> argument = take();
    if (!argument)
      return false;
    if (conversion.letter == 's')
      return text(conversion, *argument), true;
    unsigned components = std::min<unsigned>(std::max(conversion.components, 1u), argument->type.components);
    for (unsigned component = 0; component < components; ++component) {
      if (component)
        put(",");
      if (std::strchr("fFeEgGaA", conversion.letter))
        real(conversion, *argument, component);
      else
        integer(conversion, *argument, component);
    }
    return true;
  }

  /// Formats with the C library: rebuilds the conversion with a length modifier for `value`.
  template <typename T> void print(const Conversion &conversion, std::string_view flags, const char *size, T value) {
    std::string format = "%";
    for (char flag : conversion.flags)
      if (flags.find(flag) != Whole)
        format += flag;
    if (conversion.width >= 0)
      format += std::to_string(conversion.width);
    if (conversion.precision >= 0 && conversion.letter != 'c' && conversion.letter != 'p')
      format += "." + std::to_string(conversion.precision);
    format += size;
    format += conversion.letter;
    char buffer[2 * MaxPrintfField]; // 309 digits of the largest double, and the precision
    int length = std::snprintf(buffer, sizeof buffer, format.c_str(), value);
    put({buffer, size_t(std::clamp<int>(length, 0, sizeof buffer - 1))});
  }

  // A shorter length modifier truncates the argument, as for promoted types; a longer one has no effect.
  void integer(const Conversion &conversion, const Argument &argument, unsigned component) {
    uint64_t bits = argument.bits(component);
    if (conversion.letter == 'p')
      return print(conversion, "-", "", reinterpret_cast<void *>(bits));
    if (conversion.letter == 'c')
      return print(conversion, "-", "", int(uint8_t(bits)));
    unsigned stated = conversion.bytes ? conversion.bytes : conversion.components ? argument.type.bytes : 4;
    unsigned shift = 64 - 8 * std::min<unsigned>(stated, argument.type.bytes);
    if (conversion.letter == 'd' || conversion.letter == 'i')
      print(conversion, "-+ 0", "ll", static_cast<long long>(static_cast<int64_t>(bits << shift) >> shift));
    else
      print(conversion, "-#0", "ll", static_cast<unsigned long long>(bits << shift >> shift));
  }

  void real(const Conversion &conversion, const Argument &argument, unsigned component) {
    uint64_t bits = argument.bits(component);
    double value = double(bits); // there is no 1-byte floating-point type
    if (argument.type.bytes == 8) {
      std::memcpy(&value, &bits, sizeof value);
    } else if (argument.type.bytes == 4) {
      float single;
      std::memcpy(&single, &bits, sizeof single);
      value = single;
    } else if (argument.type.bytes == 2) {
      value = fromHalf(bits);
    }
    print(conversion, "-+ #0", "", value);
  }

  void text(const Conversion &conversion, const Argument &argument) {
    std::string_view text = "(not a literal)";
    if (argument.type.kind == Kind::Literal && argument.literal() && argument.literal() <= tables_.strings.size())
      text = tables_.strings[argument.literal() - 1];
    else if (argument.type.kind >= Kind::Pointer && !argument.bits(0))
      text = "(null)";
    text = text.substr(0, conversion.precision < 0 ? Whole : size_t(conversion.precision));
    size_t padding =
        conversion.width > 0 && size_t(conversion.width) > text.size() ? conversion.width - text.size() : 0;
    if (!conversion.has('-'))
      put(std::string(padding, ' '));
    put(text);
    if (conversion.has('-'))
      put(std::string(padding, ' '));
  }

  void put(std::string_view text) {
    output_ += text;
    if (output_.size() >= ChunkBytes)
      flush();
  }
  void flush() {
    if (!output_.empty())
      sink_(output_);
    output_.clear();
  }

  const PrintfTables &tables_;
  std::span<const PrintfArgument> signature_;
  std::span<const std::byte> bytes_;
  const PrintfSink &sink_;
  std::string output_;
};

} // namespace

void formatPrintf(const PrintfTables &tables, std::string_view format, std::span<const PrintfArgument> signature,
                  std::span<const std::byte> bytes, const PrintfSink &sink) {
  Formatter(tables, signature, bytes, sink).run(format);
}

size_t formatRecords(const PrintfTables &tables, std::span<const std::byte> records, const PrintfSink &sink,
                     std::string *trapMessage) {
  const PrintfSink sinkAndMessage = [&](std::string_view text) {
    trapMessage->append(text.substr(0, MaxTrapMessage - trapMessage->size()));
    sink(text);
  };
  size_t at = 0;
  while (records.size() - at >= sizeof(abi::PrintfRecord)) {
    abi::PrintfRecord head;
    std::memcpy(&head, records.data() + at, sizeof head);
    if (head.bytes < sizeof head || head.bytes % 8 || head.bytes > records.size() - at)
      break;
    const uint32_t signature = head.signature & ~abi::TrapMessageBit;
    const bool isMessage = signature != head.signature && trapMessage && trapMessage->empty();
    if (signature < tables.signatures.size() && head.format && head.format <= tables.strings.size())
      formatPrintf(tables, tables.strings[head.format - 1], tables.signatures[signature],
                   records.subspan(at + sizeof head, head.bytes - sizeof head), isMessage ? sinkAndMessage : sink);
    at += head.bytes;
  }
  return at;
}

} // namespace kiln
