// Whole messages over a stream socket: a 64-bit length, then so many bytes. Both ends of a build use it.
#pragma once
#include "runtime/compiler/Wire.h"
#include "runtime/support/Descriptor.h"
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace kiln {

namespace stream {

enum class IoStatus : uint8_t { Done, Ended, TimedOut };

/// Moves `size` bytes with `step(data, size)`, waiting for `events` in between and no later than `deadline` (in
/// `now()`'s milliseconds; negative is never).
template <typename Step, typename Now>
IoStatus transferAll(int socket, short events, size_t size, int64_t deadline, Now now, Step step) {
  size_t moved = 0;
  while (moved < size) {
    ssize_t count = step(moved, size - moved);
    if (count > 0) {
      moved += static_cast<size_t>(count);
      continue;
    }
    if (count == 0 && events == POLLIN)
      return IoStatus::Ended;
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
      return IoStatus::Ended;
    int64_t left = deadline < 0 ? -1 : deadline - now();
    if (deadline >= 0 && left <= 0)
      return IoStatus::TimedOut;
    pollfd waiting{socket, events, 0};
    poll(&waiting, 1, deadline < 0 ? -1 : static_cast<int>(std::min<int64_t>(left, 1 << 30)));
  }
  return IoStatus::Done;
}

template <typename Now> IoStatus send(int socket, const wire::Bytes &message, int64_t deadline, Now now) {
  uint64_t size = message.size();
  auto part = [&](const void *data, size_t bytes) {
    return transferAll(socket, POLLOUT, bytes, deadline, now, [&](size_t done, size_t left) {
      return ::send(socket, static_cast<const uint8_t *>(data) + done, left, MSG_NOSIGNAL | MSG_DONTWAIT);
    });
  };
  IoStatus outcome = part(&size, sizeof size);
  return outcome == IoStatus::Done ? part(message.data(), message.size()) : outcome;
}

/// Grows the message as bytes arrive: a length that is a lie costs nothing.
template <typename Now> IoStatus receive(int socket, wire::Bytes &message, int64_t deadline, Now now) {
  auto part = [&](uint8_t *data, size_t bytes) {
    return transferAll(socket, POLLIN, bytes, deadline, now,
                       [&](size_t done, size_t left) { return ::recv(socket, data + done, left, MSG_DONTWAIT); });
  };
  uint64_t size = 0;
  IoStatus outcome = part(reinterpret_cast<uint8_t *>(&size), sizeof size);
  constexpr uint64_t Step = 1 << 20;
  for (message.clear(); outcome == IoStatus::Done && message.size() < size;) {
    size_t had = message.size();
    message.resize(had + std::min<uint64_t>(std::max<uint64_t>(Step, had), size - had));
    outcome = part(message.data() + had, message.size() - had);
  }
  return outcome;
}

} // namespace stream
} // namespace kiln
