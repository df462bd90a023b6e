// The cache returns the stored entry or nothing: never another one, and never an error.
#include "runtime/cache/Cache.h"
#include "runtime/cache/Files.h"
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln {
namespace {
namespace fs = std::filesystem;

struct CacheTest : testing::Test {
  CacheTest() {
    std::string name = (fs::temp_directory_path() / "kiln-test-XXXXXX").string();
    parent = mkdtemp(name.data());
    folder = parent + "/a/b";
  }
  ~CacheTest() override { fs::remove_all(parent); }

  static wire::Bytes bytes(const std::string &text) { return {text.begin(), text.end()}; }
  static CacheKey key(int number) { return KeyBuilder().add(std::to_string(number)).finish(); }
  std::string path(const CacheKey &key, const char *ending) const {
    std::string name = hexadecimal(key);
    return folder + "/" + name.substr(0, 2) + "/" + name.substr(2) + ending;
  }
  static void flip(const std::string &path, int64_t offset) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    ASSERT_TRUE(file.good());
    file.seekg(offset, offset < 0 ? std::ios::end : std::ios::beg);
    char byte = static_cast<char>(file.peek() ^ 1);
    file.seekp(offset, offset < 0 ? std::ios::end : std::ios::beg);
    file.put(byte);
  }
  static void makeOld(const std::string &path, time_t age) {
    timespec times[2] = {{time(nullptr) - age, 0}, {time(nullptr) - age, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  uint64_t bytesThere() const {
    uint64_t sum = 0;
    for (const fs::directory_entry &file : fs::recursive_directory_iterator(folder))
      sum += file.is_regular_file() ? file.file_size() : 0;
    return sum;
  }

  std::string parent, folder;
};

TEST_F(CacheTest, FindsWhatWasStored) {
  Cache cache(folder, 1 << 20);
  EXPECT_FALSE(cache.find(key(1)));
  auto stored = cache.store(key(1), bytes("data"), bytes("code"));
  auto found = cache.find(key(1));
  ASSERT_TRUE(found && found->code && stored);
  EXPECT_EQ(found->data, bytes("data"));
  EXPECT_EQ(found->code->read(), bytes("code"));
  EXPECT_EQ(found->code->path(), stored->path());
  EXPECT_FALSE(cache.find(key(2)));
}

TEST_F(CacheTest, AnotherProcessFindsItToo) {
  Cache(folder, 1 << 20).store(key(1), bytes("data"), {});
  auto found = Cache(folder, 1 << 20).find(key(1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->data, bytes("data"));
  EXPECT_FALSE(found->code);
}

TEST_F(CacheTest, FilesArePrivateToTheUser) {
  Cache(folder, 1 << 20).store(key(1), bytes("data"), bytes("code"));
  for (const std::string &created : {folder, path(key(1), ".entry"), path(key(1), ".so")}) {
    struct stat about;
    ASSERT_EQ(stat(created.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 077u, 0u) << created;
  }
}

TEST_F(CacheTest, DamagedDataIsDropped) {
  Cache cache(folder, 1 << 20);
  for (int64_t offset : {0, 10, 50, -1, -33}) {
    cache.store(key(1), bytes("data"), {});
    flip(path(key(1), ".entry"), offset);
    EXPECT_FALSE(cache.find(key(1))) << offset;
    EXPECT_FALSE(fs::exists(path(key(1), ".entry")));
  }
}

TEST_F(CacheTest, DamagedCodeIsDropped) {
  Cache cache(folder, 1 << 20);
  cache.store(key(1), bytes("data"), bytes("code"));
  flip(path(key(1), ".so"), 2);
  EXPECT_FALSE(cache.find(key(1)));
  cache.store(key(1), bytes("data"), bytes("code"));
  fs::remove(path(key(1), ".so"));
  EXPECT_FALSE(cache.find(key(1)));
}

TEST_F(CacheTest, TruncatedEntryIsDropped) {
  Cache cache(folder, 1 << 20);
  for (uint64_t left : {0, 5, 32, 60}) {
    cache.store(key(1), bytes("data"), {});
    fs::resize_file(path(key(1), ".entry"), left);
    EXPECT_FALSE(cache.find(key(1))) << left;
  }
}

// An entry that was copied or renamed has another key.
TEST_F(CacheTest, RenamedEntryIsRejected) {
  Cache cache(folder, 1 << 20);
  cache.store(key(1), bytes("data"), {});
  fs::create_directories(fs::path(path(key(2), ".entry")).parent_path());
  fs::rename(path(key(1), ".entry"), path(key(2), ".entry"));
  EXPECT_FALSE(cache.find(key(2)));
}

TEST_F(CacheTest, FolderThatOthersMayWriteToIsRejected) {
  fs::create_directories(folder);
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  EXPECT_FALSE(Cache(folder, 1 << 20).usable());
}

TEST_F(CacheTest, FolderOfAnotherUserIsRejected) {
  fs::create_directories(folder);
  if (geteuid() != 0 || chown(folder.c_str(), 12345, 12345) != 0)
    GTEST_SKIP() << "only root can give a folder away";
  EXPECT_FALSE(Cache(folder, 1 << 20).usable());
}

// Another user could replace the code in such a sub-folder.
TEST_F(CacheTest, SubFolderThatOthersMayWriteToIsRejected) {
  Cache cache(folder, 1 << 20);
  cache.store(key(1), bytes("data"), bytes("code"));
  const fs::path inner = fs::path(path(key(1), ".so")).parent_path();
  ASSERT_EQ(chmod(inner.c_str(), 0777), 0);
  EXPECT_FALSE(cache.find(key(1)));
  fs::remove(path(key(1), ".entry"));
  auto file = cache.store(key(1), bytes("data"), bytes("code"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->read(), bytes("code"));
  EXPECT_FALSE(fs::exists(path(key(1), ".entry")));
  ASSERT_EQ(chmod(inner.c_str(), 0700), 0);
  cache.store(key(1), bytes("data"), bytes("code"));
  EXPECT_TRUE(cache.find(key(1)));
}

TEST_F(CacheTest, SubFolderOfAnotherUserIsRejected) {
  Cache cache(folder, 1 << 20);
  cache.store(key(1), bytes("data"), {});
  if (geteuid() != 0 || chown(fs::path(path(key(1), ".so")).parent_path().c_str(), 12345, 12345) != 0)
    GTEST_SKIP() << "only root can give a folder away";
  EXPECT_FALSE(cache.find(key(1)));
}

TEST_F(CacheTest, WithoutAFolderCodeStillGetsAFile) {
  std::ofstream(parent + "/file").put('x');
  for (const std::string &none : {std::string(), parent + "/file/below", parent + "/file"}) {
    Cache cache(none, 1 << 20);
    EXPECT_FALSE(cache.usable());
    auto file = cache.store(key(1), bytes("data"), bytes("code"));
    ASSERT_TRUE(file);
    EXPECT_EQ(file->read(), bytes("code"));
    EXPECT_FALSE(cache.find(key(1)));
  }
}

// The folder is removed, or fills up, while it is in use.
TEST_F(CacheTest, FolderThatCannotBeWrittenTo) {
  Cache cache(folder, 1 << 20);
  ASSERT_TRUE(cache.usable());
  fs::remove_all(parent + "/a");
  std::ofstream(parent + "/a").put('x');
  auto file = cache.store(key(1), bytes("data"), bytes("code"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->read(), bytes("code"));
}

TEST_F(CacheTest, TemporaryCodeIsRemovedWithItsObject) {
  auto file = CodeFile::temporary(bytes("code"));
  ASSERT_TRUE(file.ok());
  std::string path = (*file)->path();
  EXPECT_EQ((*file)->read(), bytes("code"));
  *file = nullptr;
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(CacheTest, ObeysTheSizeLimit) {
  constexpr uint64_t Limit = 1 << 20;
  Cache cache(folder, Limit);
  wire::Bytes code(32 << 10, 7);
  for (int i = 0; i < 200; ++i) {
    cache.store(key(i), bytes("data"), code);
    for (const char *ending : {".entry", ".so"})
      if (fs::exists(path(key(i), ending)))
        makeOld(path(key(i), ending), 10000 - i);
  }
  EXPECT_LE(bytesThere(), Limit + Limit / 8);
  EXPECT_FALSE(cache.find(key(0)));
  EXPECT_TRUE(cache.find(key(199)));
}

// A lookup counts as use.
TEST_F(CacheTest, EvictsTheLeastRecentlyUsed) {
  Cache cache(folder, 1 << 20);
  wire::Bytes code(32 << 10, 7);
  for (int i = 0; i < 100; ++i) {
    cache.store(key(i), bytes("data"), code);
    ASSERT_TRUE(cache.find(key(0))) << i;
    for (const char *ending : {".entry", ".so"})
      makeOld(path(key(i), ending), i ? 10000 - i : 20000);
    ASSERT_TRUE(cache.find(key(0))) << i;
  }
}

TEST_F(CacheTest, AbandonedFilesAreRemoved) {
  Cache cache(folder, 1 << 20);
  cache.store(key(1), bytes("data"), {});
  std::string left = path(key(1), ".entry.new-abcdef"), fresh = path(key(1), ".entry.new-ghijkl");
  std::ofstream(left).put('x');
  std::ofstream(fresh).put('x');
  makeOld(left, 1000);
  makeOld(folder + "/last-sweep", 10000);
  cache.store(key(2), bytes("data"), {});
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_F(CacheTest, ManyProcessesAtOnce) {
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process)
    if (pid_t child = fork(); child == 0) {
      Cache cache(folder, 200 << 10);
      bool right = true;
      for (int round = 0; round < 100; ++round) {
        int number = (round * 7 + process) % 20;
        wire::Bytes code(4096 + number, static_cast<uint8_t>(number));
        cache.store(key(number), bytes(std::to_string(number)), code);
        if (auto found = cache.find(key((number + 3) % 20)))
          right &= found->data == bytes(std::to_string((number + 3) % 20));
      }
      _exit(right ? 0 : 1);
    } else {
      children.push_back(child);
    }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

} // namespace
} // namespace kiln
