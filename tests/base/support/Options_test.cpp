#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Outputs.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <unistd.h>

using namespace kiln;

TEST(Options, Sizes) {
  uint64_t size = 5;
  EXPECT_TRUE(Options::parse("64M", size));
  EXPECT_EQ(size, 64u << 20);
  for (const char *wrong : {"", "M", "-1", "12x", "12MM", "99999999999999999999", "18446744073709551615K", " 1"}) {
    size = 5;
    EXPECT_FALSE(Options::parse(wrong, size)) << wrong;
    EXPECT_EQ(size, 5u) << wrong;
  }
}

TEST(Options, Flags) {
  bool flag = true;
  EXPECT_TRUE(Options::parse("off", flag));
  EXPECT_FALSE(flag);
  EXPECT_FALSE(Options::parse("maybe", flag));
}

TEST(Options, InvalidValueKeepsTheDefaultWithAWarning) {
  setenv("KILN_CPU_THREADS", "many", 1);
  std::vector<std::string> warnings;
  Options read = Options::fromEnvironment(warnings);
  unsetenv("KILN_CPU_THREADS");
  EXPECT_EQ(read.cpuThreads, 0u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("many"), std::string::npos);
}

TEST(Options, OldNamesWorkWithAWarning) {
  for (const char *oldName : {"KILN_CPU_WIDTH", "KILN_CPU_VECTOR_WIDTH"}) {
    setenv(oldName, "4", 1);
    std::vector<std::string> warnings;
    EXPECT_EQ(Options::fromEnvironment(warnings).cpuMachineWidth, 4u) << oldName;
    ASSERT_EQ(warnings.size(), 1u) << oldName;
    EXPECT_EQ(warnings[0].find(std::string(oldName) + " is called KILN_CPU_MACHINE_WIDTH now"), 0u) << warnings[0];
    setenv("KILN_CPU_MACHINE_WIDTH", "8", 1);
    EXPECT_EQ(Options::fromEnvironment(warnings).cpuMachineWidth, 8u) << "the current name has precedence";
    unsetenv(oldName);
    unsetenv("KILN_CPU_MACHINE_WIDTH");
  }
}

// The test runs itself again as a set-uid program of another user.
TEST(Options, SetUidProgramReadsNoOption) {
  if (getauxval(AT_SECURE)) {
    std::vector<std::string> warnings;
    Options read = Options::fromEnvironment(warnings);
    EXPECT_EQ(read.compilerDir + read.cudaLibrary + read.hipLibrary + read.passPlugins + read.trace + read.dump, "");
    return;
  }
  if (geteuid() != 0 || getenv("KILN_TEST_IS_COPY"))
    GTEST_SKIP() << "only root can give a program to another user, where the file system lets it be set-uid";
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "kiln-test-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(folder.data()));
  const std::string program = folder + "/test";
  fs::copy_file("/proc/self/exe", program);
  fs::permissions(folder, fs::perms(0755));
  ASSERT_EQ(chown(program.c_str(), 12345, 12345), 0);
  fs::permissions(program, fs::perms(04755));
  const std::string command =
      "KILN_TEST_IS_COPY=1 KILN_COMPILER_DIR=/x KILN_CUDA_LIBRARY=/x KILN_HIP_LIBRARY=/x KILN_PASS_PLUGINS=/x "
      "KILN_TRACE=/x KILN_DUMP=/x " +
      program + " --gtest_filter=Options.SetUidProgramReadsNoOption";
  FILE *output = popen(command.c_str(), "r"); // NOLINT(bugprone-command-processor): a command of this test
  ASSERT_TRUE(output);
  std::string text;
  char part[4096];
  while (size_t count = fread(part, 1, sizeof part, output))
    text.append(part, count);
  const int status = pclose(output);
  fs::remove_all(folder);
  if (text.find("SKIPPED") != std::string::npos)
    GTEST_SKIP() << "the temporary folder is mounted nosuid";
  EXPECT_EQ(status, 0) << text;
}

TEST(Options, TextByName) {
  Options some;
  some.pipelineCpu = "builtin.module(cse)";
  EXPECT_EQ(some.text("PIPELINE_CPU"), &some.pipelineCpu);
  EXPECT_EQ(some.text("PIPELINE_Z80"), nullptr) << "no such target";
  EXPECT_EQ(some.text("CPU_THREADS"), nullptr) << "a number";
}

TEST(Options, Words) {
  EXPECT_EQ(Options::whyNotWords("LOG", "warn,event"), "");
  EXPECT_EQ(Options::whyNotWords("DEVICES", "cpu,gpu"), "'gpu' is none of cpu,cuda,hip,null");
  EXPECT_EQ(Options::whyNotWords("DUMP", "any folder"), "") << "without words";
}

TEST(Options, Outputs) {
  std::string folder = (std::filesystem::temp_directory_path() / "kiln-test-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(folder.data()));
  const std::string file = folder + "/report.json";
  EXPECT_EQ(whyNotWritable("CHECK_REPORT", file), "");
  EXPECT_EQ(whyNotWritable("CHECK_REPORT", "report.json"), "") << "in the current folder";
  EXPECT_FALSE(std::filesystem::exists(file)) << "the check has created the file";
  std::ofstream(file) << "x";
  EXPECT_EQ(whyNotWritable("CHECK_REPORT", file), "") << "it exists";
  EXPECT_EQ(whyNotWritable("CHECK_REPORT", folder), "Is a directory");
  EXPECT_EQ(whyNotWritable("CHECK_REPORT", folder + "/none/report.json"), "No such file or directory");
  EXPECT_EQ(whyNotWritable("CHECK_REPORT", file + "/report.json"), "Not a directory");
  EXPECT_EQ(whyNotWritable("HOT_LINES", "-"), "") << "standard error";
  EXPECT_EQ(whyNotWritable("CAPTURE_DIR", folder + "/new/folders/"), "") << "Kiln creates them";
  EXPECT_EQ(whyNotWritable("CAPTURE_DIR", file), "Not a directory");
  EXPECT_EQ(whyNotWritable("CAPTURE_DIR", file + "/new"), "Not a directory");
  EXPECT_EQ(whyNotWritable("CPU_THREADS", folder + "/none/none"), "") << "no output";
  if (geteuid() != 0) { // root may write anywhere
    std::filesystem::permissions(folder, std::filesystem::perms(0555));
    EXPECT_EQ(whyNotWritable("CAPTURE_DIR", folder + "/new"), "Permission denied");
    EXPECT_EQ(whyNotWritable("CHECK_REPORT", folder + "/new.json"), "Permission denied");
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
  }
  std::filesystem::remove_all(folder);
}

TEST(Log, LevelThenGroups) {
  using namespace log;
  Filter filter = Filter::parse("info,event");
  EXPECT_TRUE(filter.shows(Level::Info, Group::Event));
  EXPECT_FALSE(filter.shows(Level::Debug, Group::Event));
  EXPECT_FALSE(filter.shows(Level::Info, Group::Memory));
  EXPECT_FALSE(Filter::parse("off").shows(Level::Error, Group::Api));
  EXPECT_TRUE(Filter::parse("event").shows(Level::Info, Group::Event));
}
