// The user's key: 32 random bytes in a file that only this user can read. Code in a program binary has an HMAC under
// this key and does not run without a valid one. The file is in the settings folder, not in the cache, because users
// delete the cache.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace kiln {

using UserKey = std::array<uint8_t, 32>;

/// Returns the key in the folder; creates it if there is none. Nothing if it cannot be read, or if another user may
/// have written or read it.
std::optional<UserKey> userKeyIn(const std::string &folder);

/// The folder of the key: kiln in the user's settings folder; empty without one.
std::string settingsFolder();

/// The key of this process's user, in kiln in the settings folder; read once.
const std::optional<UserKey> &userKey();

} // namespace kiln
