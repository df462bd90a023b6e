#include "base/protocol/BuildOptions.h"
#include <filesystem>
#include <gtest/gtest.h>

namespace kiln {
namespace {

/// The front end's options, joined by '|', or the error.
std::string words(std::string_view text, BuildStep step = BuildStep::Build) {
  Result<BuildOptions> options = parseBuildOptions(text, step);
  if (!options.ok())
    return "error: " + std::string(options.message());
  std::string joined;
  for (const std::string &word : options->frontEnd)
    joined += (joined.empty() ? "" : "|") + word;
  return joined;
}

BuildOptions parse(std::string_view text, BuildStep step = BuildStep::Build) {
  Result<BuildOptions> options = parseBuildOptions(text, step);
  EXPECT_TRUE(options.ok()) << text << ": " << options.message();
  return options.ok() ? *options : BuildOptions();
}

TEST(BuildOptions, DefaultIsOpenCLC12) {
  EXPECT_EQ(words(""), "-cl-std=CL1.2");
  EXPECT_EQ(words(" \t\n "), "-cl-std=CL1.2");
  BuildOptions options = parse("");
  EXPECT_EQ(options.languageVersion, 120u);
  EXPECT_EQ(options.flags, protocol::CodeFlags());
  EXPECT_FALSE(options.kernelArgInfo || options.createLibrary);
}

TEST(BuildOptions, Macros) {
  EXPECT_EQ(words("-D N"), "-D|N|-cl-std=CL1.2");
  EXPECT_EQ(words("-DN=4 -D M=N"), "-D|N=4|-D|M=N|-cl-std=CL1.2");
  EXPECT_EQ(words("-D \"f(x)=x + 1\""), "-D|f(x)=x + 1|-cl-std=CL1.2");
  EXPECT_EQ(words("-D empty="), "-D|empty=|-cl-std=CL1.2");
}

TEST(BuildOptions, QuotesGroupAndVanish) {
  EXPECT_EQ(words("-D name=\"a b\""), "-D|name=a b|-cl-std=CL1.2");
  EXPECT_EQ(words("\"-D\" \"name=a b\""), "-D|name=a b|-cl-std=CL1.2");
  EXPECT_EQ(words("-D text=\\\"hello\\\""), "-D|text=\"hello\"|-cl-std=CL1.2");
  EXPECT_EQ(words("-D text=\"\\\"a b\\\"\""), "-D|text=\"a b\"|-cl-std=CL1.2");
  EXPECT_EQ(words("-D c='a'"), "-D|c='a'|-cl-std=CL1.2");
  EXPECT_EQ(words("'-Dtext=a b'"), "-D|text=a b|-cl-std=CL1.2");
}

TEST(BuildOptions, NewlineEndsADefinition) { EXPECT_EQ(words("-D \"a=1\n2\""), "-D|a=1|-cl-std=CL1.2"); }

TEST(BuildOptions, Folders) {
  EXPECT_EQ(words("-I /usr/include"), "-I|/usr/include|-cl-std=CL1.2");
  EXPECT_EQ(words("-I\"/a dir\""), "-I|/a dir|-cl-std=CL1.2");
  EXPECT_EQ(words("-I \"/a dir\""), "-I|/a dir|-cl-std=CL1.2");
}

// The front end has another working folder.
TEST(BuildOptions, RelativeFoldersBecomeAbsolute) {
  EXPECT_EQ(words("-I inc"), "-I|" + (std::filesystem::current_path() / "inc").string() + "|-cl-std=CL1.2");
}

TEST(BuildOptions, WorkingFolderIsThatOfTheCall) {
  EXPECT_EQ(parse("").workingFolder, std::filesystem::current_path().string());
  EXPECT_EQ(parse("", BuildStep::Link).workingFolder, "");
}

TEST(BuildOptions, Versions) {
  struct {
    const char *name;
    unsigned version;
    bool cPlusPlus;
  } const versions[] = {{"CL1.0", 100, false},   {"CL1.1", 110, false},    {"CL1.2", 120, false},
                        {"CL2.0", 200, false},   {"CL3.0", 300, false},    {"CLC++", 200, true},
                        {"CLC++1.0", 200, true}, {"CLC++2021", 300, true}, {"cl2.0", 200, false}};
  for (auto [name, version, cPlusPlus] : versions) {
    BuildOptions options = parse(std::string("-cl-std=") + name);
    EXPECT_EQ(options.languageVersion, version) << name;
    EXPECT_EQ(options.cPlusPlus, cPlusPlus) << name;
  }
}

TEST(BuildOptions, FlagsGoToBothCompilers) {
  BuildOptions options = parse("-cl-fast-relaxed-math -cl-mad-enable -cl-denorms-are-zero -cl-mad-enable");
  EXPECT_EQ(options.flags, (protocol::CodeFlags{.denormalsAreZero = true, .madEnable = true, .relaxedMath = true}));
  EXPECT_EQ(options.frontEnd[0], "-cl-fast-relaxed-math");
}

TEST(BuildOptions, BothSpellingsOfNoSignedZeros) {
  for (const char *option : {"-cl-no-signed-zeros", "-cl-no-signed-zeroes"}) {
    EXPECT_EQ(parse(option).flags, protocol::CodeFlags{.noSignedZeros = true}) << option;
    EXPECT_EQ(parse(option).frontEnd[0], "-cl-no-signed-zeros");
  }
}

TEST(BuildOptions, OptionsOfFlagsGiveTheSameFlags) {
  protocol::CodeFlags every;
  std::apply([](auto &...flag) { ((flag = true), ...); }, every.fields());
  EXPECT_EQ(parse(optionsOf(every)).flags, every);
  EXPECT_EQ(optionsOf({}), "");
  EXPECT_EQ(optionsOf({.debug = true}), "-g");
  EXPECT_EQ(optionsOf({.noSignedZeros = true, .finiteMath = true}), "-cl-no-signed-zeros -cl-finite-math-only");
}

TEST(BuildOptions, FlagsThatTwoProgramsShare) {
  const protocol::CodeFlags a{.debug = true, .madEnable = true}, b{.madEnable = true, .finiteMath = true};
  EXPECT_EQ(a & b, protocol::CodeFlags{.madEnable = true});
  EXPECT_EQ(a | b, (protocol::CodeFlags{.debug = true, .madEnable = true, .finiteMath = true}));
}

TEST(BuildOptions, OptionsOfIntelsGpusThatKilnAlwaysDoes) {
  for (BuildStep step : {BuildStep::Build, BuildStep::Compile, BuildStep::Link})
    EXPECT_TRUE(parseBuildOptions("-cl-intel-greater-than-4GB-buffer-required", step).ok());
}

TEST(BuildOptions, AFolderOfSchedulesIsMadeAbsolute) {
  EXPECT_EQ(parse("-kiln-schedules=/a/b").schedules, "/a/b");
  EXPECT_EQ(parse("-kiln-schedules=\"/a b\"").schedules, "/a b");
  Result<BuildOptions> relative = parseBuildOptions("-kiln-schedules=tuned", BuildStep::Link);
  ASSERT_TRUE(relative.ok());
  EXPECT_TRUE(relative->schedules.starts_with("/") && relative->schedules.ends_with("/tuned")) << relative->schedules;
  EXPECT_FALSE(parseBuildOptions("-kiln-schedules=", BuildStep::Build).ok());
  EXPECT_FALSE(parseBuildOptions("-kiln-schedules=/a", BuildStep::Compile).ok()); // makes no code
}

TEST(BuildOptions, EveryOptionOfTheSpecificationIsAccepted) {
  for (const char *option :
       {"-cl-single-precision-constant", "-cl-denorms-are-zero", "-cl-fp32-correctly-rounded-divide-sqrt",
        "-cl-opt-disable", "-cl-mad-enable", "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations",
        "-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-uniform-work-group-size", "-cl-no-subgroup-ifp", "-w",
        "-Werror", "-cl-kernel-arg-info", "-g", "-cl-strict-aliasing"}) {
    EXPECT_TRUE(parseBuildOptions(option, BuildStep::Build).ok()) << option;
    EXPECT_TRUE(parseBuildOptions(option, BuildStep::Compile).ok()) << option;
  }
  EXPECT_TRUE(parse("-cl-kernel-arg-info").kernelArgInfo);
  EXPECT_TRUE(parse("-g").flags.debug);
  EXPECT_TRUE(parse("-cl-opt-disable").flags.unoptimised);
  EXPECT_TRUE(parse("-cl-std=CL2.0 -cl-uniform-work-group-size").flags.uniformWorkGroupSize);
  EXPECT_TRUE(parse("-cl-fp32-correctly-rounded-divide-sqrt").flags.correctlyRounded);
}

TEST(BuildOptions, UnknownOptionsAreRejected) {
  for (const char *option :
       {"-cl-no-such-option", "-foo", "foo", "-O3", "-cl-std", "-cl-std=", "-cl-std=CL9.9", "-D", "-I", "-D 1x",
        "-D =3", "-D a-b", "-I \"\"", "-D \"a", "-create-library", "-x spir", "--", "-"})
    for (BuildStep step : {BuildStep::Build, BuildStep::Compile})
      EXPECT_FALSE(parseBuildOptions(option, step).ok()) << option;
}

TEST(BuildOptions, EachStepHasItsError) {
  EXPECT_EQ(parseBuildOptions("-foo", BuildStep::Build).code(), CL_INVALID_BUILD_OPTIONS);
  EXPECT_EQ(parseBuildOptions("-foo", BuildStep::Compile).code(), CL_INVALID_COMPILER_OPTIONS);
  EXPECT_EQ(parseBuildOptions("-foo", BuildStep::Link).code(), CL_INVALID_LINKER_OPTIONS);
  EXPECT_EQ(words("-foo"), "error: unknown option '-foo'");
}

TEST(BuildOptions, Linking) {
  for (const char *option : {"-cl-denorms-are-zero", "-cl-no-signed-zeroes", "-cl-unsafe-math-optimizations",
                             "-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp", "-create-library"})
    EXPECT_TRUE(parseBuildOptions(option, BuildStep::Link).ok()) << option;
  for (const char *option : {"-D a", "-I /", "-w", "-cl-std=CL1.2", "-cl-opt-disable", "-cl-kernel-arg-info"})
    EXPECT_FALSE(parseBuildOptions(option, BuildStep::Link).ok()) << option;
  BuildOptions options = parse("-create-library -enable-link-options", BuildStep::Link);
  EXPECT_TRUE(options.createLibrary && options.enableLinkOptions);
  EXPECT_EQ(words("-cl-fast-relaxed-math", BuildStep::Link), "");
}

TEST(BuildOptions, LinkOptionsOfALibraryNeedTheLibrary) {
  EXPECT_FALSE(parseBuildOptions("-enable-link-options", BuildStep::Link).ok());
}

} // namespace
} // namespace kiln
