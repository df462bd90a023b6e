#include "runtime/cache/Key.h"
#include <gtest/gtest.h>

namespace kiln {
namespace {

std::string digest(const std::string &text) { return hexadecimal(Sha256::of(text.data(), text.size())); }

// The vectors of FIPS 180's examples, and a length at which the padding takes a block of its own.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesAreTheWhole) {
  std::string text(1000, 'q');
  for (size_t piece : {1, 7, 63, 64, 65, 200}) {
    Sha256 hash;
    for (size_t at = 0; at < text.size(); at += piece)
      hash.update(text.data() + at, std::min(piece, text.size() - at));
    EXPECT_EQ(hexadecimal(hash.finish()), digest(text));
  }
}

TEST(Key, PartsAreKeptApart) {
  EXPECT_NE(KeyBuilder().add("ab").add("c").finish(), KeyBuilder().add("a").add("bc").finish());
  EXPECT_NE(KeyBuilder().add("ab").finish(), KeyBuilder().add("ab").add("").finish());
  EXPECT_EQ(KeyBuilder().add("ab").add("c").finish(), KeyBuilder().add("ab").add("c").finish());
}

} // namespace
} // namespace kiln
