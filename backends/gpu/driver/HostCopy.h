// Copies large ranges of host memory with several threads. One core copies 8 to 12 GB/s, a PCIe 5 bus 50 GB/s, so that
// the staging ring's copies would be what a transfer of pageable memory waits for.
//
// The threads are created at the first large copy. After a copy they spin for some microseconds, because the next chunk
// of the same transfer follows, and then sleep.
#pragma once
#include <cstddef>

namespace kiln::gpu {

/// The next reader of a copy. A device reads from memory faster than from the host's caches, so large copies for it
/// bypass the caches.
enum class NextReader { Host, Device };

/// memcpy. Divides the range between threads if that pays and no other thread's copy is being divided. Takes no lock
/// that is held during a driver call.
void copyHost(std::byte *to, const std::byte *from, size_t bytes, NextReader reader = NextReader::Host);

} // namespace kiln::gpu
