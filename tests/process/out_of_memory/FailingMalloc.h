// Replaces the C library's allocator: counts Kiln's requests, records blocks that are not freed, and fails on request.
//
// A request is Kiln's if libkiln makes it, or a library that libkiln calls (the dynamic loader, the C library).
// Requests of the test's code and the ICD loader are excluded by `OwnCode`.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kiln::test::failing_malloc {

/// Requests of this thread are the test's until the end of the scope. Kiln's threads never create one.
class OwnCode {
public:
  explicit OwnCode(bool own = true);
  ~OwnCode();

private:
  const bool before_;
};

/// The n-th request of Kiln from now on fails, and all later ones until `over`; with `once` only that one.
void begin(uint64_t nth, bool once);
void over();
/// Number of Kiln's requests since `begin`.
uint64_t asked();
/// Returns true if one of them has failed.
bool struck();

/// Number of blocks that Kiln has not freed.
size_t held();
/// For finding leaks: writes the call stacks of unfreed blocks to stderr that were requested after the given number of
/// requests.
void tellHeldSince(uint64_t sequence);
/// Number of Kiln's requests so far.
uint64_t sequence();

} // namespace kiln::test::failing_malloc
