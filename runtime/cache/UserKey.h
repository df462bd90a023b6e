// The user's key: 32 random bytes in a file that this user alone can read. Code that left this machine's cache, in a
// program binary, carries a MAC under it; without the right one it is not run. The file lies among the user's settings
// and not in the cache, which people empty.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace kiln {

using UserKey = std::array<uint8_t, 32>;

/// The key in the folder, made where there is none. Nothing where it cannot be had, or where somebody else could have
/// put it there or have read it.
std::optional<UserKey> userKeyIn(const std::string &folder);

/// The one of this process's user, in kiln in the user's folder for settings; looked for once.
const std::optional<UserKey> &userKey();

} // namespace kiln
