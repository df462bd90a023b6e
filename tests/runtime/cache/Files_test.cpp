// Files that change between runs: comparing one with its recorded content must neither wait nor read more than that.
#include "runtime/cache/Files.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln {
namespace {
namespace fs = std::filesystem;

struct Files : testing::Test {
  Files() {
    std::string name = (fs::temp_directory_path() / "kiln-test-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder); }

  std::string write(const std::string &text) const {
    std::ofstream(folder + "/file", std::ios::binary) << text;
    return folder + "/file";
  }
  static Sha256::Digest digestOf(const std::string &text) { return Sha256::of(text.data(), text.size()); }

  std::string folder;
};

TEST_F(Files, ContentOfSeveralBlocks) {
  for (const size_t size : {size_t(0), size_t(1), size_t(64 << 10), size_t(200'001)}) {
    const std::string text(size, 'x'), path = write(text);
    EXPECT_EQ(files::digestOf(path), digestOf(text)) << size;
    EXPECT_TRUE(files::hasContent(path, size, digestOf(text))) << size;
    EXPECT_FALSE(files::hasContent(path, size + 1, digestOf(text))) << size;
    EXPECT_FALSE(files::hasContent(path, size, digestOf(text + "y"))) << size;
    EXPECT_TRUE(files::read(path, size)) << size;
    EXPECT_EQ(files::read(path, size ? size - 1 : 0).has_value(), size == 0) << size;
  }
}

// 1 TiB, of which the disk has nothing: it would take an hour to read.
TEST_F(Files, AFileOfAnotherSizeIsNotRead) {
  const std::string path = write("");
  ASSERT_EQ(truncate(path.c_str(), off_t(1) << 40), 0);
  EXPECT_FALSE(files::hasContent(path, 3, digestOf("one")));
  EXPECT_FALSE(files::read(path, 1 << 20));
}

TEST_F(Files, WhatIsNoFileIsNotRead) {
  const std::string pipe = folder + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string &path : {pipe, std::string("/dev/zero"), std::string("/dev/tty"), folder, folder + "/none"}) {
    EXPECT_FALSE(files::hasContent(path, 0, digestOf(""))) << path;
    EXPECT_FALSE(files::digestOf(path)) << path;
    EXPECT_FALSE(files::read(path)) << path;
  }
}

} // namespace
} // namespace kiln
