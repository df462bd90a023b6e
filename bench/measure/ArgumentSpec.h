// The values of --arg. The kernel's parameter decides which of them is read.
#pragma once
#include "bench/measure/Words.h"

namespace bench {

/// Splits "x=7" or "2=7" into the argument's name or number and its value; the first is empty without '='.
std::pair<std::string, std::string> splitArgument(const std::string &text);

/// 7, 0.5, 1,2,3,4: a number, or the components of a vector.
std::vector<double> parseNumbers(const std::string &text);

/// Bytes of a structure or a buffer: bytes:0011ff (hexadecimal, in memory's order), file:PATH.
bool namesBytes(const std::string &text);
std::string parseBytes(const std::string &text);

/// random, zero or iota, with an optional :COUNT of elements, as 4096 or 2/item.
struct FillSpec {
  std::string fill;
  Amount count;
};
FillSpec parseFill(const std::string &text);

/// random, zero or iota, with an optional :EXTENT, as 512x512, and an optional :ORDER,TYPE, as rgba,unorm_int8.
struct ImageSpec {
  std::string fill;
  std::vector<size_t> extent; // empty: the global size
  std::string order, type;    // lower case, without CL_; empty: the default
};
ImageSpec parseImage(const std::string &text);

/// Words in any order: nearest, linear; none, clamp, clamp_to_edge, repeat, mirrored_repeat; normalized.
struct SamplerSpec {
  bool linear = false, normalized = false;
  std::string addressing = "clamp_to_edge";
};
SamplerSpec parseSampler(const std::string &text);

} // namespace bench
