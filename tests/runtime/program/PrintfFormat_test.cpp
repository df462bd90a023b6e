// The printf formatter: every conversion, flag, width, precision, length and vector of OpenCL C, and invalid formats
// and records.
#include "base/abi/TrapAbi.h"
#include "runtime/program/PrintfFormat.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace kiln;

namespace {
using Kind = PrintfArgument::Kind;

/// Arguments as a kernel stores them.
struct Arguments {
  std::vector<PrintfArgument> signature;
  std::vector<std::byte> bytes;
  PrintfTables tables;

  void put(const void *data, size_t size) {
    size_t at = bytes.size();
    bytes.resize(at + (size + 7) / 8 * 8);
    std::memcpy(&bytes[at], data, size);
  }
  template <typename T> Arguments &vector(std::vector<T> values) {
    Kind kind = std::is_floating_point_v<T> ? Kind::Float : Kind::Integer;
    signature.push_back({kind, sizeof(T), uint8_t(values.size())});
    put(values.data(), values.size() * sizeof(T));
    return *this;
  }
  template <typename T> Arguments &add(T value) { return vector(std::vector<T>{value}); }
  Arguments &half(std::vector<uint16_t> bits) {
    signature.push_back({Kind::Float, 2, uint8_t(bits.size())});
    put(bits.data(), bits.size() * 2);
    return *this;
  }
  Arguments &pointer(uint64_t value) {
    signature.push_back({Kind::Pointer, 8, 1});
    put(&value, 8);
    return *this;
  }
  Arguments &literal(const std::string &text) {
    tables.strings.push_back(text);
    return literal(0x1000, tables.strings.size());
  }
  Arguments &literal(uint64_t address, uint64_t number) {
    signature.push_back({Kind::Literal, 8, 1});
    put(&address, 8), put(&number, 8);
    return *this;
  }
};

std::string text(const std::string &format, const Arguments &arguments = {}) {
  std::string result;
  formatPrintf(arguments.tables, format, arguments.signature, arguments.bytes,
               [&](std::string_view piece) { result += piece; });
  return result;
}
template <typename T> std::string one(const std::string &format, T value) {
  return text(format, Arguments().add(value));
}
} // namespace

TEST(PrintfFormat, Plain) {
  EXPECT_EQ(text(""), "");
  EXPECT_EQ(text("no conversion\n"), "no conversion\n");
  EXPECT_EQ(text("100%%, %%d"), "100%, %d");
}

TEST(PrintfFormat, IntegersWithFlags) {
  EXPECT_EQ(one("%d|", 42), "42|");
  EXPECT_EQ(one("%i|", -42), "-42|");
  EXPECT_EQ(one("%5d|", 10), "   10|");
  EXPECT_EQ(one("%-5d|", 10), "10   |");
  EXPECT_EQ(one("%05d|", -10), "-0010|");
  EXPECT_EQ(one("%-05d|", 10), "10   |");
  EXPECT_EQ(one("%+d|", 10), "+10|");
  EXPECT_EQ(one("% d|", 10), " 10|");
  EXPECT_EQ(one("%+ d|", 10), "+10|");
  EXPECT_EQ(one("%06.5i|", 100), " 00100|");
  EXPECT_EQ(one("%.0d|", 0), "|");
  EXPECT_EQ(one("%.d|", 0), "|");
  EXPECT_EQ(one("%u|", -1), "4294967295|");
  EXPECT_EQ(one("%o|", 8), "10|");
  EXPECT_EQ(one("%#o|", 8), "010|");
  EXPECT_EQ(one("%#x|", 0xabc), "0xabc|");
  EXPECT_EQ(one("%#X|", 0xabc), "0XABC|");
  EXPECT_EQ(one("%#x|", 0), "0|");
  EXPECT_EQ(one("%08x|", 0xabc), "00000abc|");
}

TEST(PrintfFormat, Lengths) {
  EXPECT_EQ(one("%hhd", 0x1ff), "-1");
  EXPECT_EQ(one("%hhu", -1), "255");
  EXPECT_EQ(one("%hd", 0x18000), "-32768");
  EXPECT_EQ(one("%hx", -1), "ffff");
  EXPECT_EQ(one("%ld", INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(one("%lu", UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(one("%lx", uint64_t(1) << 40), "10000000000");
  EXPECT_EQ(one("%zu", uint64_t(1) << 40), "1099511627776");
  EXPECT_EQ(one("%td", int64_t(-1) << 40), "-1099511627776");
}

TEST(PrintfFormat, FloatingPoint) {
  EXPECT_EQ(one("%f", 1.5), "1.500000");
  EXPECT_EQ(one("%f", 1.5f), "1.500000");
  EXPECT_EQ(one("%8.2f|", -3.14159), "   -3.14|");
  EXPECT_EQ(one("%08.2f|", -3.14159), "-0003.14|");
  EXPECT_EQ(one("%#.0f", 2.0), "2.");
  EXPECT_EQ(one("%e", 12345.678), "1.234568e+04");
  EXPECT_EQ(one("%.2E", 12345.678), "1.23E+04");
  EXPECT_EQ(one("%g %%", 0.0001), "0.0001 %");
  EXPECT_EQ(one("%#g", 1.0), "1.00000");
  EXPECT_EQ(one("%G", 1e-10), "1E-10");
  EXPECT_EQ(one("%a", 0.5), "0x1p-1");
  EXPECT_EQ(one("%A", 10.0), "0X1.4P+3");
  EXPECT_EQ(one("%.2a", 1.5), "0x1.80p+0");
  for (const char *format : {"%f", "%e", "%g", "%a"}) {
    EXPECT_EQ(one(format, HUGE_VAL), "inf");
    EXPECT_EQ(one(format, -HUGE_VAL), "-inf");
    EXPECT_EQ(one(format, std::copysign(NAN, 1.0)), "nan");
  }
  for (const char *format : {"%F", "%E", "%G", "%A"}) {
    EXPECT_EQ(one(format, HUGE_VALF), "INF");
    EXPECT_EQ(one(format, std::copysign(NAN, 1.0f)), "NAN");
  }
  EXPECT_EQ(one("%05f|", HUGE_VAL), "  inf|");
  EXPECT_EQ(one("%f", -0.0), "-0.000000");
}

TEST(PrintfFormat, Half) {
  EXPECT_EQ(
      text("%g %g %g %g %g", Arguments().half({0x3c00}).half({0xc000}).half({0x0001}).half({0x7bff}).half({0x8000})),
      "1 -2 5.96046e-08 65504 -0");
  EXPECT_EQ(text("%f %F", Arguments().half({0xfc00}).half({0x7e00})), "-inf NAN");
  EXPECT_EQ(text("%v2hf", Arguments().half({0x3c00, 0x4000})), "1.000000,2.000000");
}

TEST(PrintfFormat, CharactersAndPointers) {
  EXPECT_EQ(one("%c|", int('a')), "a|");
  EXPECT_EQ(one("%4c|", int('a')), "   a|");
  EXPECT_EQ(one("%-4c|", 0x141), "A   |");
  EXPECT_EQ(one("%c", 0), std::string(1, '\0'));
  EXPECT_EQ(text("%p", Arguments().pointer(0xdeadbeef)), "0xdeadbeef");
  EXPECT_EQ(text("%-12p|", Arguments().pointer(0xdeadbeef)), "0xdeadbeef  |");
  EXPECT_EQ(text("%p %d", Arguments().literal(0x77, 0).add(3)), "0x77 3");
}

TEST(PrintfFormat, Strings) {
  EXPECT_EQ(text("<%s>", Arguments().literal("kiln")), "<kiln>");
  EXPECT_EQ(text("<%6s><%-6s>", Arguments().literal("kiln").literal("oven")), "<  kiln><oven  >");
  EXPECT_EQ(text("<%.2s><%4.1s><%.9s>", Arguments().literal("kiln").literal("kiln").literal("kiln")),
            "<ki><   k><kiln>");
  EXPECT_EQ(text("%s", Arguments().literal("%d %s %%")), "%d %s %%");
  EXPECT_EQ(text("<%s>", Arguments().pointer(0)), "<(null)>");
  EXPECT_EQ(text("<%s>", Arguments().literal(0, 0)), "<(null)>");
  EXPECT_EQ(text("<%s>", Arguments().pointer(1234)), "<(not a literal)>");
  EXPECT_EQ(text("<%s>", Arguments().literal(1234, 99)), "<(not a literal)>");
  EXPECT_EQ(text("<%s>", Arguments().add(7)), "<(not a literal)>");
}

TEST(PrintfFormat, Vectors) {
  EXPECT_EQ(text("f4 = %2.2v4hlf", Arguments().vector<float>({1, 2, 3, 4})), "f4 = 1.00,2.00,3.00,4.00");
  EXPECT_EQ(text("uc = %#v4hhx", Arguments().vector<uint8_t>({0xfa, 0xfb, 0xfc, 0xfd})), "uc = 0xfa,0xfb,0xfc,0xfd");
  EXPECT_EQ(text("%v2hhd", Arguments().vector<int8_t>({-1, 127})), "-1,127");
  EXPECT_EQ(text("%v3hd", Arguments().vector<int16_t>({-1, 2, -32768})), "-1,2,-32768");
  EXPECT_EQ(text("%+v8hli", Arguments().vector<int32_t>({1, -2, 3, -4, 5, -6, 7, -8})), "+1,-2,+3,-4,+5,-6,+7,-8");
  EXPECT_EQ(text("%05v4hlu|", Arguments().vector<uint32_t>({1, 12, 123456, ~0u})), "00001,00012,123456,4294967295|");
  EXPECT_EQ(text("%v2ld", Arguments().vector<int64_t>({INT64_MAX, -5})), "9223372036854775807,-5");
  EXPECT_EQ(text("%.1v2la", Arguments().vector<double>({0.25, 1.5})), "0x1.0p-2,0x1.8p+0");
  EXPECT_EQ(text("%3v16hhd", Arguments().vector(std::vector<int8_t>(16, 7))).size(), 16u * 3 + 15);
  EXPECT_EQ(text("%v3hld %d", Arguments().vector<int32_t>({1, 2, 3}).add(4)), "1,2,3 4");
}

// Undefined formats: the formatter terminates and prints the text after them.
TEST(PrintfFormat, HostileFormats) {
  EXPECT_EQ(text("%"), "%");
  EXPECT_EQ(text("5%"), "5%");
  EXPECT_EQ(text("%d and %s"), "%d and %s") << "no arguments";
  EXPECT_EQ(one("%n %y %L %", 1), "%n %y %L %");
  EXPECT_EQ(one("%v5d %v99999999999d %v", 1), "%v5d %v99999999999d %v");
  EXPECT_EQ(one("%*d", 1), "%*d");
  EXPECT_EQ(one("%1$d", 1), "%1$d");
  EXPECT_EQ(one("%v4hld|", 1), "1|") << "a scalar for a vector";
  EXPECT_EQ(text("%d|", Arguments().vector<int>({1, 2, 3, 4})), "1|") << "a vector for a scalar";
  EXPECT_EQ(one("%lx|", -1), "ffffffff|") << "longer than the argument";
  EXPECT_EQ(one("%f|", uint8_t(3)), "3.000000|");
  EXPECT_EQ(one("%d|", 1.0), "0|");
  EXPECT_EQ(one("%99999999999999999999d", 1).size(), size_t(MaxPrintfField));
  EXPECT_EQ(one("%.99999999999999999999d", 1).size(), size_t(MaxPrintfField));
  EXPECT_EQ(one("%.2147483647f", 1e308).size(), 309u + 1 + MaxPrintfField);
  EXPECT_EQ(text("%2147483648s", Arguments().literal("x")).size(), size_t(MaxPrintfField));
  EXPECT_EQ(one(std::string("a\0b%d", 5), 1), std::string("a\0b1", 4));
}

TEST(PrintfFormat, HostileSignatures) {
  for (PrintfArgument wrong :
       {PrintfArgument{Kind(77), 4, 1}, PrintfArgument{Kind::Integer, 3, 1}, PrintfArgument{Kind::Integer, 200, 1},
        PrintfArgument{Kind::Float, 8, 17}, PrintfArgument{Kind::Float, 8, 0}, PrintfArgument{Kind::Literal, 4, 1}}) {
    Arguments arguments;
    arguments.signature = {wrong, {Kind::Integer, 4, 1}};
    arguments.bytes.resize(512);
    EXPECT_EQ(text("%v16ld %d", arguments), "%v16ld %d");
  }
  Arguments arguments;
  arguments.signature = {{Kind::Integer, 8, 16}};
  arguments.bytes.resize(120);
  EXPECT_EQ(text("%v16ld", arguments), "%v16ld") << "the record ends too early";
}

TEST(PrintfFormat, LongOutputComesInChunks) {
  Arguments arguments;
  std::string format;
  for (int i = 0; i < 100; ++i)
    arguments.add(i), format += "%4000d";
  size_t pieces = 0, bytes = 0;
  formatPrintf(arguments.tables, format, arguments.signature, arguments.bytes, [&](std::string_view piece) {
    ++pieces, bytes += piece.size();
    EXPECT_LT(piece.size(), size_t(1) << 17);
  });
  EXPECT_GT(pieces, 4u);
  EXPECT_EQ(bytes, 400000u);
}

namespace {
struct Records {
  PrintfTables tables{.strings = {"<%d>", "-"}, .signatures = {{}, {{Kind::Integer, 4, 1}}}};
  std::vector<std::byte> bytes;

  void add(kiln::abi::PrintfRecord head, std::vector<uint64_t> arguments = {}) {
    size_t at = bytes.size();
    bytes.resize(at + sizeof head + arguments.size() * 8);
    std::memcpy(&bytes[at], &head, sizeof head);
    if (!arguments.empty())
      std::memcpy(&bytes[at + sizeof head], arguments.data(), arguments.size() * 8);
  }
  std::string print(size_t taken) {
    std::string result;
    EXPECT_EQ(formatRecords(tables, bytes, [&](std::string_view piece) { result += piece; }), taken);
    return result;
  }
};
} // namespace

TEST(PrintfRecords, InTheirOrderUpToTheEmptyOne) {
  Records records;
  records.add({24, 1, 1}, {5});
  records.add({16, 0, 2});
  records.add({24, 1, 1}, {uint64_t(uint32_t(-6))});
  records.add({0, 0, 0});
  records.add({16, 0, 2});
  EXPECT_EQ(records.print(64), "<5>-<-6>");
}

TEST(PrintfRecords, UnknownIndicesAreSkipped) {
  Records records;
  records.add({24, 9, 1}, {5});
  records.add({16, 0, 0});
  records.add({16, 0, 3});
  records.add({16, 0, UINT64_MAX});
  records.add({16, 0, 2});
  EXPECT_EQ(records.print(88), "-");
}

// The first one that is marked is the message, up to its limit; a mark alone has no effect.
TEST(PrintfRecords, TheMessageOfATrap) {
  constexpr uint32_t Mark = kiln::abi::TrapMessageBit;
  Records records;
  records.add({16, 0, 2});
  records.add({24, 1 | Mark, 1}, {5});
  records.add({24, 1 | Mark, 1}, {6});
  records.add({16, 7 | Mark, 2});
  EXPECT_EQ(records.print(80), "-<5><6>");
  std::string message;
  EXPECT_EQ(formatRecords(records.tables, records.bytes, [](std::string_view) {}, &message), 80u);
  EXPECT_EQ(message, "<5>");

  records.tables.strings[0] = std::string(100'000, 'x') + "%d";
  std::string all;
  message.clear();
  formatRecords(records.tables, records.bytes, [&](std::string_view piece) { all += piece; }, &message);
  EXPECT_EQ(all.size(), 200'003u);
  EXPECT_EQ(message, std::string(500, 'x'));
}

TEST(PrintfRecords, DamagedSizesEndTheList) {
  for (uint32_t size : {8u, 20u, 48u, ~0u, 0xfffffff8u}) {
    Records records;
    records.add({16, 0, 2});
    records.add({size, 0, 2});
    records.add({16, 0, 2});
    EXPECT_EQ(records.print(16), "-") << size;
  }
  Records records;
  records.add({16, 0, 2});
  records.bytes.resize(20);
  EXPECT_EQ(records.print(16), "-");
}
