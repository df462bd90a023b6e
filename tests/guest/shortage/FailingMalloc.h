// The C library's allocator with this program's own in front of it, which counts what Kiln asks for, remembers what it
// has not given back, and fails when told to.
//
// Kiln asks when libkiln calls, or what libkiln calls (the dynamic loader, the C library). So everything counts but
// what the test's own code and the ICD loader do: a thread that runs the test's code says so.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kiln::test::shortage {

/// From here on, in this thread and until the end of the scope, requests are the test's own. Kiln's own threads never
/// say this, so all of theirs are Kiln's.
class OwnCode {
public:
  explicit OwnCode(bool own = true);
  ~OwnCode();

private:
  const bool before_;
};

/// The n-th request of Kiln's from now on fails, and so do all behind it until `over`; with `once` it alone.
void begin(uint64_t nth, bool once);
void over();
/// Requests of Kiln's since `begin`.
uint64_t asked();
/// Whether one of them has failed.
bool struck();

/// Blocks that Kiln has asked for and nobody has freed.
size_t held();
/// Writes to stderr where blocks come from that were asked for after so many others: for whoever looks for a leak.
void tellHeldSince(uint64_t sequence);
/// Requests of Kiln's so far.
uint64_t sequence();

} // namespace kiln::test::shortage
