#include "base/explorer/Page.h"
#include <gtest/gtest.h>

namespace kiln::explorer {
namespace {

TEST(ExplorerPage, TextCannotEndTheScript) {
  EXPECT_EQ(quoted("</script><!--&"), R"("\u003c/script\u003e\u003c!--\u0026")");
  EXPECT_EQ(quoted("a\"b\\c\n"), R"("a\"b\\c\u000a")");
}

TEST(ExplorerPage, Utf8IsKeptAndOtherBytesAreReplaced) {
  EXPECT_EQ(quoted("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\xa5"), "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\xa5\"");
  EXPECT_EQ(quoted("\xff"), R"("\ufffd")");
  EXPECT_EQ(quoted("\xc3"), R"("\ufffd")");                                 // cut off
  EXPECT_EQ(quoted("\xc0\xaf"), R"("\ufffd\ufffd")");                       // overlong
  EXPECT_EQ(quoted("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");             // a surrogate
  EXPECT_EQ(quoted("\xf4\x90\x80\x80x"), R"("\ufffd\ufffd\ufffd\ufffdx")"); // above U+10FFFF
}

TEST(ExplorerPage, MarksInTheSourceStayThere) {
  const std::string html = page(describe("/* page.js */", {{"k.cl", "/* data */"}}, {"{}"}, {}, {}));
  EXPECT_NE(html.find(R"("title":"/* page.js */")"), std::string::npos);
  EXPECT_NE(html.find(R"("text":"/* data */")"), std::string::npos);
  EXPECT_NE(html.find(R"("variants":[{}])"), std::string::npos);
}

TEST(ExplorerPage, DataIsReadFromAPage) {
  const std::string data = describe("</script>", {{"k.cl", "a < b"}}, {"{}"}, {}, {});
  EXPECT_EQ(dataOf(page(data)), data);
  EXPECT_EQ(dataOf("<html>"), "");
  const std::string start = R"(<script id="data" type="application/json">)";
  EXPECT_EQ(dataOf(start + "{}"), "");                            // cut off
  EXPECT_EQ(dataOf(start + "{\"title\":\"<!--\"}</script>"), ""); // not escaped
}

TEST(ExplorerPage, TheComparedProgramIsPartOfTheData) {
  const std::string html = page(describe("new", {}, {}, {}, {}), "old", describe("old", {}, {}, {}, {}));
  EXPECT_NE(html.find(R"("compared":{"name":"old","data":{"title":"old")"), std::string::npos);
  EXPECT_NE(dataOf(html), "");
}

} // namespace
} // namespace kiln::explorer
