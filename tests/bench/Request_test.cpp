// The command line of kiln-bench for kernels of the user, and the bytes of their arguments.
#include "bench/measure/Elements.h"
#include "bench/measure/Request.h"
#include <cstring>
#include <gtest/gtest.h>

namespace bench {
namespace {

Request parse(std::vector<std::string> words) {
  words.insert(words.begin(), "kiln-bench");
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  return parseRequest(int(pointers.size()), pointers.data());
}
std::string errorOf(const std::vector<std::string> &words) {
  try {
    parse(words);
  } catch (const std::exception &error) {
    return error.what();
  }
  return "none";
}

TEST(Request, OptionsOfAllAndOfOneSource) {
  const Request request = parse({"--options", "-DA", "--source", "a.cl", "--source=b.cl", "--options=-DB", "--size",
                                 "64x32x2", "--local=8x8x1", "--benchmark_out=x"});
  ASSERT_EQ(request.sources.size(), 2u);
  EXPECT_EQ(request.sources[0].options, "-DA");
  EXPECT_EQ(request.sources[1].options, "-DB");
  EXPECT_EQ(request.global, (std::vector<size_t>{64, 32, 2}));
  EXPECT_EQ(request.local, (std::vector<size_t>{8, 8, 1}));
  EXPECT_EQ(request.others, std::vector<std::string>{"--benchmark_out=x"});
}

TEST(Request, Errors) {
  EXPECT_EQ(errorOf({"--source", "a.cl", "--size", "0"}),
            "--size is '0', must be one to three positive numbers, as 1024x64");
  EXPECT_EQ(errorOf({"--source", "a.cl", "--size", "1x2x3x4"}),
            "--size is '1x2x3x4', must be one to three positive numbers, as 1024x64");
  EXPECT_EQ(errorOf({"--source", "a.cl", "--local", "8x8"}), "--local has 2 dimensions, must have as many as --size");
  EXPECT_EQ(errorOf({"--source"}), "--source takes a value");
  EXPECT_EQ(errorOf({"bundle", "--source", "a.cl"}), "a bundle and --source cannot be measured together");
  EXPECT_EQ(errorOf({"bundle", "--seconds", "x"}), "--seconds is 'x', must be a number of seconds");
}

TEST(Request, Arguments) {
  EXPECT_EQ(parseArgument("random:10").count, 10u);
  EXPECT_EQ(parseArgument("iota").fill, "iota");
  EXPECT_EQ(parseArgument("1,2.5,-3e2").numbers, (std::vector<double>{1, 2.5, -300}));
  EXPECT_EQ(splitArgument("n=7"), std::pair(std::string("n"), std::string("7")));
  EXPECT_EQ(splitArgument("7").first, "");
  for (const char *wrong : {"random:x", "random:0", "zero:1:2", "hello", "1,,2", ""})
    EXPECT_THROW(parseArgument(wrong), std::runtime_error) << wrong;
}

TEST(Elements, TypesAndSizes) {
  EXPECT_EQ(elementOf("float4*")->bytes(), 16u);
  EXPECT_EQ(elementOf("uchar3")->bytes(), 4u);
  EXPECT_EQ(elementOf("unsigned int *")->bytes(), 4u);
  EXPECT_EQ(elementOf("size_t")->bytes(), 8u);
  EXPECT_TRUE(elementOf("half")->isFloat);
  for (const char *other : {"struct S*", "image2d_t", "float5", "float4x", "bool", "int**"})
    EXPECT_FALSE(elementOf(other)) << other;
}

TEST(Elements, Bytes) {
  const std::string three = bytesOf(*elementOf("short3"), {1, -2, 3}, "x");
  ASSERT_EQ(three.size(), 8u);
  short values[4];
  std::memcpy(values, three.data(), sizeof values);
  EXPECT_EQ(values[1], -2);
  EXPECT_EQ(bytesOf(*elementOf("half"), {1.5}, "x"), std::string("\x00\x3e", 2));
  EXPECT_THROW(bytesOf(*elementOf("uchar"), {256}, "x"), std::runtime_error);
  EXPECT_THROW(bytesOf(*elementOf("uint"), {-1}, "x"), std::runtime_error);
  EXPECT_THROW(bytesOf(*elementOf("int"), {1.5}, "x"), std::runtime_error);
  EXPECT_THROW(bytesOf(*elementOf("int4"), {1, 2}, "x"), std::runtime_error);
  EXPECT_EQ(filled(*elementOf("uchar"), "iota", 130)[129], 1); // stays below 128
  EXPECT_EQ(filled(*elementOf("float3"), "random", 10).size(), 160u);
  EXPECT_EQ(filled(*elementOf("int"), "random", 10), filled(*elementOf("int"), "random", 10));
}

} // namespace
} // namespace bench
