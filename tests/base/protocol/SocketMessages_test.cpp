#include "base/protocol/SocketMessages.h"
#include <gtest/gtest.h>

namespace kiln::stream {
namespace {

int64_t now() { return 0; }

TEST(SocketMessages, AMessageThatIsTooLargeIsNotRead) {
  for (const uint64_t largest : {uint64_t(99), uint64_t(100), uint64_t(UINT64_MAX)}) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const Descriptor one(ends[0]), other(ends[1]);
    ASSERT_EQ(send(one.get(), wire::Bytes(100, 7), -1, now), IoStatus::Done);
    wire::Bytes received;
    const bool fits = largest >= 100;
    EXPECT_EQ(receive(other.get(), received, -1, now, largest), fits ? IoStatus::Done : IoStatus::TooLarge) << largest;
    EXPECT_EQ(received, wire::Bytes(fits ? 100 : 0, 7)) << largest;
  }
}

} // namespace
} // namespace kiln::stream
