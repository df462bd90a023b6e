// The explorer's limits: a variant of a huge program stays small, and says what it leaves out.
#include "backends/kilnc/explorer/Recorder.h"
#include <gtest/gtest.h>

namespace kiln::explorer {
namespace {

size_t count(const std::string &text, const std::string &words) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(words, at)) != std::string::npos; ++at)
    ++found;
  return found;
}

TEST(Recorder, MoreRemarksThanItsLimitAreCounted) {
  Recorder recorder("cpu", "generic");
  for (unsigned line = 1; line <= MaxRemarks + 30; ++line)
    for (int times = 0; times < 2; ++times) {
      Places places;
      recorder.addPlace(places, "k.cl", line);
      recorder.addRemark("licm", "missed", places, "text");
    }
  const std::string json = recorder.json();
  EXPECT_EQ(count(json, "\"author\":\"licm\""), MaxRemarks);
  EXPECT_EQ(count(json, "\"count\":2"), MaxRemarks) << "a known remark is counted";
  EXPECT_NE(json.find("\"leftOut\":{\"passes\":0,\"remarks\":60,\"facts\":0}"), std::string::npos);
}

TEST(Recorder, ALongRemarkIsCut) {
  Recorder recorder("cpu", "generic");
  recorder.addRemark("gvn", "missed", {}, std::string(100 * MaxRemarkBytes, 'x'));
  EXPECT_LT(recorder.json().size(), 2 * MaxRemarkBytes);
  EXPECT_NE(recorder.json().find("xxx..."), std::string::npos);
}

TEST(Recorder, MorePassesAndFactsThanTheirLimitsAreCounted) {
  Recorder recorder("cpu", "generic");
  for (size_t i = 0; i < MaxPasses + 5; ++i)
    recorder.addPass("pass", "function", 1, false, nullptr);
  for (size_t i = 0; i < MaxFacts + 7; ++i)
    recorder.addFact("function", "registers", "1");
  const std::string json = recorder.json();
  EXPECT_EQ(count(json, "\"name\":\"pass\""), MaxPasses);
  EXPECT_EQ(count(json, "[\"function\",\"registers\""), MaxFacts);
  EXPECT_NE(json.find("\"leftOut\":{\"passes\":5,\"remarks\":0,\"facts\":7}"), std::string::npos);
}

// Each line has another place: the links count as text.
TEST(Recorder, TextsAndTheirLinksAreLimited) {
  Recorder recorder("cpu", "generic");
  for (unsigned stage = 0; stage < 40; ++stage) {
    LinkedText text;
    for (unsigned line = 0; line < 20000; ++line) {
      text.text += std::to_string(stage) + " " + std::to_string(line) + "\n";
      Places places;
      for (unsigned depth = 1; depth <= 8; ++depth)
        recorder.addPlace(places, "k.cl", stage * 20000 + line + depth);
      text.link(line, places);
    }
    recorder.addStage("stage", "mlir", text);
  }
  EXPECT_TRUE(recorder.isFull());
  EXPECT_LT(recorder.json().size(), size_t(100) << 20);
}

} // namespace
} // namespace kiln::explorer
