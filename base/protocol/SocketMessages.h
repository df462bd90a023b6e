// Messages over a stream socket: a 64-bit length, then that many bytes. Used by both ends.
#pragma once
#include "base/support/Descriptor.h"
#include "base/support/Wire.h"
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace kiln {

namespace stream {

enum class IoStatus : uint8_t { Done, Ended, TimedOut, TooLarge };

/// Calls `step(offset, size)` until it has transferred `size` bytes. Waits for `events` in between, until `deadline` at
/// most (in milliseconds of `now()`, which is called every second; negative: no limit).
template <typename Step, typename Now>
IoStatus transferAll(int socket, short events, size_t size, int64_t deadline, Now now, Step step) {
  size_t transferred = 0;
  while (transferred < size) {
    ssize_t count = step(transferred, size - transferred);
    if (count > 0) {
      transferred += static_cast<size_t>(count);
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
    poll(&waiting, 1, deadline < 0 ? -1 : static_cast<int>(std::min<int64_t>(left, 1000)));
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
  IoStatus status = part(&size, sizeof size);
  return status == IoStatus::Done ? part(message.data(), message.size()) : status;
}

/// Grows the message as bytes arrive, so a wrong length does not allocate memory. A message of more than `largest`
/// bytes is not read.
template <typename Now>
IoStatus receive(int socket, wire::Bytes &message, int64_t deadline, Now now, uint64_t largest = UINT64_MAX) {
  auto part = [&](uint8_t *data, size_t bytes) {
    return transferAll(socket, POLLIN, bytes, deadline, now,
                       [&](size_t done, size_t left) { return ::recv(socket, data + done, left, MSG_DONTWAIT); });
  };
  uint64_t size = 0;
  IoStatus status = part(reinterpret_cast<uint8_t *>(&size), sizeof size);
  if (status == IoStatus::Done && size > largest)
    return IoStatus::TooLarge;
  constexpr uint64_t Step = 1 << 20;
  for (message.clear(); status == IoStatus::Done && message.size() < size;) {
    size_t had = message.size();
    message.resize(had + std::min<uint64_t>(std::max<uint64_t>(Step, had), size - had));
    status = part(message.data() + had, message.size() - had);
  }
  return status;
}

} // namespace stream
} // namespace kiln
