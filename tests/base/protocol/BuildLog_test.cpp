#include "base/protocol/BuildLog.h"
#include <gtest/gtest.h>

namespace kiln::protocol {
namespace {

constexpr size_t Limit = BuildLog::HeadBytes + BuildLog::TailBytes;

std::string linesOf(size_t bytes) {
  std::string text;
  for (size_t i = 0; text.size() < bytes; ++i)
    text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST(BuildLog, ASmallLogIsWhole) {
  BuildLog log;
  EXPECT_TRUE(log.empty());
  log.append("one\n");
  log.append("");
  log.append("two");
  EXPECT_FALSE(log.empty());
  EXPECT_EQ(log.text(), "one\ntwo");
}

TEST(BuildLog, ALogOfTheLimitIsWhole) {
  for (const size_t part : {size_t(1000), Limit}) {
    const std::string whole = linesOf(Limit).substr(0, Limit);
    BuildLog log;
    for (size_t at = 0; at < whole.size(); at += part)
      log.append(std::string_view(whole).substr(at, part));
    EXPECT_EQ(log.text(), whole) << part;
    EXPECT_EQ(bounded(whole), whole);
  }
}

// In parts of every kind: the result is that of the whole.
TEST(BuildLog, BeginningAndEndOfALargeLogStay) {
  for (const size_t size : {Limit + 1, Limit * 3 / 2, Limit * 9}) {
    const std::string whole = linesOf(size);
    for (const size_t part : {size_t(17), size_t(9000), BuildLog::TailBytes * 5 / 2, whole.size()}) {
      BuildLog log;
      for (size_t at = 0; at < whole.size(); at += part)
        log.append(std::string_view(whole).substr(at, part));
      const std::string text = log.text();
      EXPECT_LE(text.size(), Limit + 100) << part;
      EXPECT_GE(text.size(), Limit - 200) << part;
      const size_t note = text.find("note: ");
      ASSERT_NE(note, std::string::npos) << part;
      const std::string begin = text.substr(0, note), end = text.substr(text.find('\n', note) + 1);
      EXPECT_TRUE(whole.starts_with(begin) && begin.ends_with('\n')) << part;
      EXPECT_TRUE(whole.ends_with(end) && end.starts_with("line ")) << part;
      const std::string leftOut = std::to_string(whole.size() - begin.size() - end.size());
      EXPECT_EQ(text.substr(note, text.find('\n', note) - note),
                "note: " + leftOut + " bytes of the log are left out here")
          << part;
      EXPECT_EQ(bounded(whole), text) << part;
    }
  }
}

TEST(BuildLog, OneLongLineIsCut) {
  const std::string text = bounded(std::string(3 * Limit, 'x'));
  EXPECT_TRUE(text.starts_with("xxx") && text.ends_with("xxx"));
  EXPECT_NE(text.find("x\nnote: " + std::to_string(2 * Limit) + " bytes"), std::string::npos);
}

} // namespace
} // namespace kiln::protocol
