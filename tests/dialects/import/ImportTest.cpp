// The importer on bytes: both byte orders, truncated and damaged modules. Uses the entry points that programs use;
// tests/fuzz covers more inputs.
#include "dialects/import/Import.h"
#include "dialects/import/HandlerTable.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <fstream>
#include <iterator>

using namespace mlir;
using namespace kiln;

namespace {
using Bytes = std::vector<uint8_t>;

Bytes read(const std::string &name) {
  std::ifstream file(std::string(KILN_TEST_DATA "/") + name + ".spv", std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

class Import : public testing::Test {
protected:
  Import() : context(MLIRContext::Threading::DISABLED) {
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) { log += diagnostic.str() + "\n"; });
  }

  /// Returns the imported module as text; empty on errors, which are in the log.
  std::string import(const Bytes &bytes, const import::Options &options = {}) {
    log.clear();
    OwningOpRef<ModuleOp> module = import::importSpirv(bytes, context, options);
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (module)
      module->print(stream);
    return text;
  }

  /// Checks that a failed import has a message and a successful one has none.
  void expectConsistent(const Bytes &bytes) {
    std::string text = import(bytes);
    EXPECT_NE(text.empty(), log.empty()) << text << log;
  }

  MLIRContext context;
  std::string log;
};

Bytes swapped(Bytes bytes) {
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    std::swap(bytes[i], bytes[i + 3]);
    std::swap(bytes[i + 1], bytes[i + 2]);
  }
  return bytes;
}

TEST_F(Import, BothByteOrders) {
  for (const char *name : {"arithmetic", "control", "variables", "kernels"}) {
    std::string little = import(read(name));
    ASSERT_FALSE(little.empty()) << log;
    EXPECT_EQ(little, import(swapped(read(name)))) << log;
  }
}

TEST_F(Import, EmptyInput) {
  EXPECT_TRUE(import({}).empty());
  EXPECT_EQ(log, "invalid SPIR-V: length is 0 bytes, must be whole words and at least a header\n");
}

TEST_F(Import, LengthIsNotWholeWords) {
  Bytes bytes = read("control");
  bytes.pop_back();
  EXPECT_TRUE(import(bytes).empty());
  EXPECT_NE(log.find("must be whole words and at least a header"), std::string::npos) << log;
}

TEST_F(Import, NoMagicNumber) {
  EXPECT_TRUE(import(Bytes(64, 0x5a)).empty());
  EXPECT_EQ(log, "invalid SPIR-V: no magic number\n");
}

TEST_F(Import, UnsupportedVersion) {
  Bytes bytes = read("control");
  bytes[5] = 9; // minor version
  EXPECT_TRUE(import(bytes).empty());
  EXPECT_NE(log.find("version word 0x10900 is not 1.0 to 1.6"), std::string::npos) << log;
}

TEST_F(Import, BoundThatIsTooLarge) {
  Bytes bytes = read("control");
  std::fill(&bytes[12], &bytes[16], 0xff);
  EXPECT_TRUE(import(bytes).empty());
  EXPECT_NE(log.find("id bound 4294967295"), std::string::npos) << log;
}

TEST_F(Import, CutAtEveryWord) {
  Bytes whole = read("kernels");
  for (size_t size = 0; size < whole.size(); size += 4)
    expectConsistent(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)));
}

TEST_F(Import, EveryWordSetToTheLargest) {
  Bytes whole = read("control");
  for (size_t at = 0; at < whole.size(); at += 4) {
    Bytes damaged = whole;
    std::fill_n(damaged.begin() + static_cast<ptrdiff_t>(at), 4, uint8_t(0xff));
    expectConsistent(damaged);
  }
}

TEST_F(Import, EveryBitOfAnOpcodeFlipped) {
  Bytes whole = read("arithmetic");
  for (size_t at = 20; at + 4 <= whole.size();) {
    size_t words = whole[at + 2] | whole[at + 3] << 8;
    ASSERT_NE(words, 0u);
    for (unsigned bit = 0; bit < 10; ++bit) {
      Bytes damaged = whole;
      damaged[at + bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
      expectConsistent(damaged);
    }
    at += words * 4;
  }
}

TEST_F(Import, UnknownSpecConstantIsIgnored) {
  std::string plain = import(read("spec-constants"));
  ASSERT_FALSE(plain.empty()) << log;
  EXPECT_EQ(plain, import(read("spec-constants"), {{{12345, {1, 2, 3, 4, 5}}}}));
}

TEST_F(Import, SpecConstantsOfABigEndianModule) {
  std::vector<import::SpecConstantDecl> decls;
  ASSERT_TRUE(succeeded(import::inspect(swapped(read("spec-constants")), context, decls)));
  ASSERT_EQ(decls.size(), 3u);
  EXPECT_EQ(decls[1].id, 8u);
  EXPECT_EQ(decls[1].size, 1u);
  // Values are in the host's byte order.
  import::Options options{{{7, {16, 0, 0, 0}}}};
  EXPECT_EQ(import(read("spec-constants"), options), import(swapped(read("spec-constants")), options));
}

TEST_F(Import, InspectInvalidModule) {
  std::vector<import::SpecConstantDecl> decls{{1, 2}};
  EXPECT_TRUE(failed(import::inspect(Bytes(20, 0), context, decls)));
  EXPECT_TRUE(decls.empty());
}

TEST(HandlerTableDeathTest, CodeWithTwoRows) {
  auto category = [](import::HandlerTable<int> &table) {
    table.add({3, 4}, [](import::Body &, const import::Instruction &) { return success(); });
  };
  EXPECT_TRUE(import::HandlerTable<int>({+category}).find(4));
  EXPECT_FALSE(import::HandlerTable<int>({+category}).find(5));
  EXPECT_DEATH(import::HandlerTable<int>({+category, +category}), "number 3 has two handlers");
}

} // namespace
