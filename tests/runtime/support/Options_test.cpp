#include "runtime/support/Log.h"
#include "runtime/support/Options.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace kiln;

TEST(Options, SizesAndWhatIsNone) {
  uint64_t size = 5;
  EXPECT_TRUE(Options::parse("64M", size));
  EXPECT_EQ(size, 64u << 20);
  for (const char *wrong : {"", "M", "-1", "12x", "12MM", "99999999999999999999", "18446744073709551615K", " 1"}) {
    size = 5;
    EXPECT_FALSE(Options::parse(wrong, size)) << wrong;
    EXPECT_EQ(size, 5u) << wrong;
  }
}

TEST(Options, FlagsHaveWords) {
  bool flag = true;
  EXPECT_TRUE(Options::parse("off", flag));
  EXPECT_FALSE(flag);
  EXPECT_FALSE(Options::parse("maybe", flag));
}

TEST(Options, UnknownValueKeepsTheDefaultAndIsTold) {
  setenv("KILN_CPU_THREADS", "many", 1);
  std::vector<std::string> complaints;
  Options read = Options::fromEnvironment(complaints);
  unsetenv("KILN_CPU_THREADS");
  EXPECT_EQ(read.cpuThreads, 0u);
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_NE(complaints[0].find("many"), std::string::npos);
}

TEST(Options, TextByName) {
  Options some;
  some.pipelineCpu = "builtin.module(cse)";
  EXPECT_EQ(some.text("PIPELINE_CPU"), &some.pipelineCpu);
  EXPECT_EQ(some.text("PIPELINE_Z80"), nullptr) << "no such target";
  EXPECT_EQ(some.text("CPU_THREADS"), nullptr) << "a number";
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
