// Cache entries whose checksums are right and whose contents are not: a build compiles again, and stores the result.
#include "runtime/cache/Cache.h"
#include "tests/process/ProcessTest.h"
#include <filesystem>

namespace kiln::test {
namespace {

struct ForgedCache : ProcessTest {
  void expectWorks(const Environment &more = {}) {
    Environment environment = {{"KILN_LOG", "warn"}};
    environment.insert(environment.end(), more.begin(), more.end());
    inNewProcessWithErrors([] { EXPECT_TRUE(App().works(1)); }, environment);
  }
  /// The keys of entries with code.
  std::vector<CacheKey> keys() const {
    std::vector<CacheKey> found;
    for (const auto &file : std::filesystem::recursive_directory_iterator(folder + "/cache")) {
      if (file.path().extension() != ".so")
        continue;
      const std::string name = file.path().parent_path().filename().string() + file.path().stem().string();
      CacheKey &key = found.emplace_back();
      for (size_t i = 0; i < key.size(); ++i)
        key[i] = uint8_t(std::stoul(name.substr(2 * i, 2), nullptr, 16));
    }
    return found;
  }
  /// Gives these entries other code.
  void forge(const std::vector<CacheKey> &keys, const wire::Bytes &code) const {
    Cache cache(folder + "/cache", 1 << 30);
    for (const CacheKey &key : keys) {
      auto entry = cache.find(key);
      ASSERT_TRUE(entry && entry->code);
      cache.store(key, entry->data, code);
    }
  }
  void expectCompiledAgain() {
    expectWorks();
    EXPECT_NE(errors.find("is compiled again"), std::string::npos) << errors;
    expectWorks({{"KILN_COMPILER_DIR", "/none"}}); // the result is in the cache
    EXPECT_EQ(errors.find("is compiled again"), std::string::npos) << errors;
  }
};

TEST_F(ForgedCache, CodeWithoutTheKernel) {
  inNewProcess([] {
    App app;
    Program program = app.source("kernel void other(global int *out) { out[0] = 1; }");
    EXPECT_EQ(app.build(program), CL_SUCCESS);
  });
  ASSERT_EQ(keys().size(), 1u);
  const wire::Bytes other = Cache(folder + "/cache", 1 << 30).find(keys()[0])->code->read();
  std::filesystem::remove_all(folder + "/cache");
  expectWorks();
  ASSERT_EQ(keys().size(), 1u);
  forge(keys(), other);
  expectCompiledAgain();
}

TEST_F(ForgedCache, CodeThatIsNone) {
  expectWorks();
  forge(keys(), {'n', 'o', 't', 'h', 'i', 'n', 'g'});
  expectCompiledAgain();
}

TEST_F(ForgedCache, NoCodeAtAll) {
  expectWorks();
  forge(keys(), {});
  expectWorks();
  expectWorks({{"KILN_COMPILER_DIR", "/none"}});
}

} // namespace
} // namespace kiln::test
