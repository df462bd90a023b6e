#include "runtime/cache/Key.h"
#include <gtest/gtest.h>

namespace kiln {
namespace {

std::string digest(const std::string &text) { return hexadecimal(Sha256::of(text.data(), text.size())); }

// The test vectors of FIPS 180, and a length whose padding takes another block.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, UpdatesAreConcatenated) {
  std::string text(1000, 'q');
  for (size_t piece : {1, 7, 63, 64, 65, 200}) {
    Sha256 hash;
    for (size_t at = 0; at < text.size(); at += piece)
      hash.update(text.data() + at, std::min(piece, text.size() - at));
    EXPECT_EQ(hexadecimal(hash.finish()), digest(text));
  }
}

// RFC 4231, cases 1, 2, 3 and 6: a short key, a shorter one, one of a block's bytes, one longer than a block.
TEST(Hmac, Published) {
  auto hmac = [](const std::vector<uint8_t> &key, const std::string &text) {
    Hmac hash(key);
    hash.update(text.data(), text.size());
    return hexadecimal(hash.finish());
  };
  EXPECT_EQ(hmac(std::vector<uint8_t>(20, 0x0b), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac({'J', 'e', 'f', 'e'}, "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac(std::vector<uint8_t>(20, 0xaa), std::string(50, '\xdd')),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(hmac(std::vector<uint8_t>(131, 0xaa), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hmac, EveryDifferenceCounts) {
  Sha256::Digest a = Sha256::of("a", 1), b = a;
  EXPECT_TRUE(equalConstantTime(a, b));
  for (uint8_t &byte : b) {
    byte ^= 0x10;
    EXPECT_FALSE(equalConstantTime(a, b));
    byte ^= 0x10;
  }
}

TEST(Key, PartsAreSeparated) {
  EXPECT_NE(KeyBuilder().add("ab").add("c").finish(), KeyBuilder().add("a").add("bc").finish());
  EXPECT_NE(KeyBuilder().add("ab").finish(), KeyBuilder().add("ab").add("").finish());
  EXPECT_EQ(KeyBuilder().add("ab").add("c").finish(), KeyBuilder().add("ab").add("c").finish());
}

} // namespace
} // namespace kiln
