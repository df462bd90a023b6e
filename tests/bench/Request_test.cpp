// The command line of kiln-bench for kernels of the user, and the bytes of their arguments.
#include "bench/measure/ArgumentSpec.h"
#include "bench/measure/Elements.h"
#include "bench/measure/Request.h"
#include <cstring>
#include <fstream>
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
  EXPECT_EQ(request.sizes, (std::vector<std::vector<size_t>>{{64, 32, 2}}));
  EXPECT_EQ(request.local, (std::vector<size_t>{8, 8, 1}));
  EXPECT_EQ(request.others, std::vector<std::string>{"--benchmark_out=x"});
}

TEST(Request, TheBaseIsTheFirstVariant) {
  const Request request = parse({"--source=a.cl", "--source=b.cl", "--options=-DB", "--source=c.cl", "--base", "-DB"});
  ASSERT_EQ(request.sources.size(), 3u);
  EXPECT_EQ(request.sources[0].path, "b.cl");
  EXPECT_EQ(request.sources[0].options, "-DB");
  EXPECT_EQ(request.sources[1].path, "a.cl");
  EXPECT_EQ(request.sources[2].path, "c.cl");
  EXPECT_EQ(errorOf({"--source=a.cl", "--base=d.cl"}),
            "--base is 'd.cl', must be a part of a variant's name, options or label");
}

TEST(Request, Errors) {
  EXPECT_EQ(errorOf({"--source", "a.cl", "--size", "0"}),
            "--size is '0', must be one to three positive numbers, as 1024x64");
  EXPECT_EQ(errorOf({"--source", "a.cl", "--size", "1x2x3x4"}),
            "--size is '1x2x3x4', must be one to three positive numbers, as 1024x64");
  EXPECT_EQ(errorOf({"--source", "a.cl", "--local", "8x8"}), "--local has 2 dimensions, must have as many as --size");
  EXPECT_EQ(errorOf({"--source"}), "--source takes a value");
  EXPECT_EQ(errorOf({"bundle", "--source", "a.cl"}), "a bundle and --source cannot be measured together");
  EXPECT_EQ(errorOf({"--source", "a.cl", "--processors", "0"}),
            "--processors is '0', must be a positive number of processors");
  EXPECT_EQ(errorOf({"bundle", "--energy"}), "--energy needs --source: memory is restored before each launch of a "
                                             "bundle, and energy of this would count");
  EXPECT_EQ(errorOf({"bundle", "--seconds", "x"}), "--seconds is 'x', must be a number of seconds");
}

TEST(Request, PipelinesAndAxesMakeVariants) {
  const Request request =
      parse({"a.cl", "--options=-DX", "--pipeline=fast=builtin.module(a)", "--pipeline=safe=builtin.module(b)",
             "--axis=UNROLL=1,4", "--axis=local=8x8,16x16", "--size=64x64"});
  ASSERT_EQ(request.sources.size(), 8u);
  EXPECT_EQ(request.sources[0].label, "fast,UNROLL=1,local=8x8");
  EXPECT_EQ(request.sources[0].pipeline, "builtin.module(a)");
  EXPECT_EQ(request.sources[0].options, "-DX -DUNROLL=1");
  EXPECT_EQ(request.sources[0].local, (std::vector<size_t>{8, 8}));
  EXPECT_EQ(request.sources[7].label, "safe,UNROLL=4,local=16x16");
  EXPECT_EQ(request.sources[7].pipeline, "builtin.module(b)");
}

TEST(Request, OnePipelineIsComparedWithKilnsOwn) {
  const Request request = parse({"a.cl", "--pipeline=p=builtin.module(a)"});
  ASSERT_EQ(request.sources.size(), 2u);
  EXPECT_EQ(request.sources[0].label + request.sources[0].pipeline, "");
  EXPECT_EQ(request.sources[1].label, "p");
}

TEST(Request, ErrorsOfVariants) {
  EXPECT_EQ(errorOf({"a.cl", "--pipeline=p"}), "--pipeline is 'p', must be NAME=FILE or NAME=builtin.module(...)");
  EXPECT_EQ(errorOf({"a.cl", "--pipeline=p=/none"}), "--pipeline is 'p=/none': /none cannot be read");
  EXPECT_EQ(errorOf({"a.cl", "--pipeline=p=builtin.module()", "--pipeline=p=builtin.module()"}),
            "--pipeline has the name 'p' twice");
  EXPECT_EQ(errorOf({"a.cl", "--axis=U=1,,2"}),
            "--axis is 'U=1,,2', must be MACRO=VALUE,VALUE... or local=SIZE,SIZE...");
  EXPECT_EQ(errorOf({"a.cl", "--axis=U=1,1"}), "--axis U has the value '1' twice");
  EXPECT_EQ(errorOf({"a.cl", "--axis=A=1", "--axis=B=1", "--axis=C=1"}), "there are 3 --axis, must be two at most");
  EXPECT_EQ(errorOf({"a.cl", "--axis=local=8", "--local=8"}), "--local and --axis local cannot be given together");
  EXPECT_EQ(errorOf({"a.cl", "--axis=local=8x8"}),
            "--axis local has the value 8x8, must have as many dimensions as --size");
  EXPECT_EQ(errorOf({"bundle", "--axis=U=1"}), "--pipeline and --axis need a source");
  EXPECT_EQ(errorOf({"a.cl", "--bytes=4", "--reads=4"}),
            "--bytes is the sum of --reads and --writes, and cannot be given together with them");
}

TEST(Request, SizesAmountsAndFlags) {
  const Request request = parse({"--source=a.cl", "--size=16,1024", "--bytes=12/item", "--ops=7", "--cold",
                                 "--roofline", "--energy", "--processors=3"});
  EXPECT_EQ(request.sizes, (std::vector<std::vector<size_t>>{{16}, {1024}}));
  EXPECT_EQ(request.bytes.of(100), 1200u);
  EXPECT_EQ(request.operations.of(100), 7u);
  EXPECT_TRUE(request.cold && request.roofline && !request.counters && request.energy);
  EXPECT_EQ(request.processors, 3u);
  EXPECT_EQ(errorOf({"--source=a", "--size=1,2x2"}), "the sizes of --size have different numbers of dimensions");
  EXPECT_EQ(errorOf({"--source=a", "--cold=yes"}), "--cold takes no value");
  EXPECT_EQ(errorOf({"--source=a", "--roofline"}), "--roofline needs --ops, the operations of a launch");
  EXPECT_EQ(errorOf({"--source=a", "--bytes=x/item"}),
            "--bytes is 'x/item', must be a positive number, or one for each work-item, as 12/item");
  EXPECT_EQ(errorOf({"--source=a", "--ops-type=half"}), "--ops-type is 'half', must be float, double or int");
  EXPECT_EQ(errorOf({"--source=a", "--expect=y"}), "--expect is 'y', must be ARGUMENT=FILE");
  EXPECT_EQ(errorOf({"--source=a", "--tolerance=0.1"}), "--tolerance needs --reference or --expect");
}

/// A YAML file that lives as long as the object.
class File {
public:
  explicit File(const std::string &text) : path_(testing::TempDir() + "kiln-request.yaml") {
    std::ofstream(path_) << text;
  }
  ~File() { std::remove(path_.c_str()); }
  const std::string &path() const { return path_; }

private:
  const std::string path_;
};

TEST(Request, YamlFile) {
  const File file(R"(
options: -DALL
source:
  - a.cl
  - {file: b.cl, options: -DB}
base: a.cl
kernel: k
size: [64x2, 128x2]
local: 8x2
arguments:
  x: iota
  v: [1, 2]
  s: file:data.bin
check: {reference: r.cl, expect: {y: y.bin}, tolerance: 1e-3}
bytes: 8/item
operations: 100
cold: yes
counters: no
)");
  const std::string folder = testing::TempDir();
  const Request request = parse({"--size=32x1", file.path(), "--kernel=other"}); // they replace those of the file
  ASSERT_EQ(request.sources.size(), 2u);
  EXPECT_EQ(request.sources[0].path, folder + "a.cl");
  EXPECT_EQ(request.sources[0].options, "-DALL");
  EXPECT_EQ(request.sources[1].options, "-DB");
  EXPECT_EQ(request.kernel, "other");
  EXPECT_EQ(request.sizes, (std::vector<std::vector<size_t>>{{32, 1}}));
  EXPECT_EQ(request.local, (std::vector<size_t>{8, 2}));
  EXPECT_EQ(request.arguments, (std::vector<std::string>{"x=iota", "v=1,2", "s=file:" + folder + "data.bin"}));
  EXPECT_EQ(request.check.reference, folder + "r.cl");
  EXPECT_EQ(request.check.expected.at("y"), folder + "y.bin");
  EXPECT_EQ(request.check.tolerance, 1e-3);
  EXPECT_EQ(request.bytes.of(2), 16u);
  EXPECT_TRUE(request.cold && !request.counters);
}

TEST(Request, WrongYamlFiles) {
  for (auto [text, message] : {std::pair("source: a.cl\nsise: 3\n", ":2: there is no key 'sise'"),
                               {"source: [a.cl\n", ":2: did not find expected"},
                               {"source: a.cl\nsource: b.cl\n", ":2: 'source' is given twice"},
                               {"source: a.cl\ncold: maybe\n", ":2: 'cold' must be yes or no"},
                               {"source: {options: -DX}\n", ":1: the source has no file"},
                               {"source: a.cl\ncheck: {refrence: b.cl}\n", ":2: a check has reference, expect"},
                               {"- a\n", ":1: the file must be a map"},
                               {"", ":1: the file is empty"}}) {
    const File file(text);
    EXPECT_NE(errorOf({file.path()}).find(file.path() + message), std::string::npos) << errorOf({file.path()});
  }
  EXPECT_EQ(errorOf({"/none/x.yaml"}), "/none/x.yaml cannot be read");
}

TEST(Request, Arguments) {
  EXPECT_EQ(parseFill("random:10").count.of(99), 10u);
  EXPECT_EQ(parseFill("random:2/item").count.of(99), 198u);
  EXPECT_EQ(parseFill("iota").fill, "iota");
  EXPECT_EQ(parseNumbers("1,2.5,-3e2"), (std::vector<double>{1, 2.5, -300}));
  EXPECT_EQ(splitArgument("n=7"), std::pair(std::string("n"), std::string("7")));
  EXPECT_EQ(splitArgument("7").first, "");
  for (const char *wrong : {"random:x", "random:0", "zero:1:2", "hello", ""})
    EXPECT_THROW(parseFill(wrong), std::runtime_error) << wrong;
  for (const char *wrong : {"hello", "1,,2", ""})
    EXPECT_THROW(parseNumbers(wrong), std::runtime_error) << wrong;
  EXPECT_EQ(parseBytes("bytes:00ff10"), std::string("\x00\xff\x10", 3));
  for (const char *wrong : {"bytes:", "bytes:0", "bytes:0g", "file:/none/file"})
    EXPECT_THROW(parseBytes(wrong), std::runtime_error) << wrong;
}

TEST(Request, ImagesAndSamplers) {
  const ImageSpec image = parseImage("iota:64x32:r,float");
  EXPECT_EQ(image.extent, (std::vector<size_t>{64, 32}));
  EXPECT_EQ(image.order + "/" + image.type, "r/float");
  for (const char *wrong : {"64x64", "random:0x1", "random:8x8:rgba", "random:8x8:rgba,float:1"})
    EXPECT_THROW(parseImage(wrong), std::runtime_error) << wrong;
  const SamplerSpec sampler = parseSampler("linear,repeat,normalized");
  EXPECT_TRUE(sampler.linear && sampler.normalized && sampler.addressing == "repeat");
  for (const char *wrong : {"bicubic", "repeat", ""})
    EXPECT_THROW(parseSampler(wrong), std::runtime_error) << wrong;
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

TEST(Elements, NumbersFromBytes) {
  for (auto [type, number] : {std::pair("char", -3.0),
                              {"uchar", 200.0},
                              {"short", -300.0},
                              {"ushort", 60000.0},
                              {"int", -7.0},
                              {"uint", 4e9},
                              {"long", -9.0},
                              {"ulong", 9.0},
                              {"half", -1.5},
                              {"float", 0.25},
                              {"double", 0.1}}) {
    const Element element = *elementOf(type);
    EXPECT_EQ(numberAt(element, bytesOf(element, {number}, type).data()), number) << type;
  }
  EXPECT_EQ(numberAt(*elementOf("half"), "\x01\x00"), 0x1p-24); // a subnormal
}

} // namespace
} // namespace bench
