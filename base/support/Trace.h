// KILN_TRACE=file.json: a timeline in the trace event format, which Perfetto and Chrome open.
//   trace::Span span("api", "clFinish");            // from here to the end of the scope, on this thread
//   trace::span("launch", kernelName, begin, end);  // explicit times, in nowNanoseconds()'s base
// The file is a complete JSON array after every event, so it can be opened even if the process is killed. With tracing
// off a span costs the load of one flag.
#pragma once
#include <atomic>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

namespace kiln {

/// Monotonic host time in nanoseconds, the time base of events, profiling and traces.
uint64_t nowNanoseconds();

namespace trace {

namespace detail {
enum State : int { Unknown, Off, On };
extern std::atomic<int> state;
bool start() noexcept;
} // namespace detail

inline bool enabled() noexcept {
  int state = detail::state.load(std::memory_order_relaxed);
  return state == detail::On || (state == detail::Unknown && detail::start());
}

/// Calls `emit` and ignores std::bad_alloc, so that tracing never fails a call.
template <typename Emit> void ignoringBadAlloc(Emit emit) noexcept {
  try {
    emit();
  } catch (const std::bad_alloc &) {
  }
}

/// Writes a span on the calling thread's track, or on the track named `track`. `arguments`: members of a JSON object,
/// without its braces.
void span(std::string_view category, std::string_view name, uint64_t begin, uint64_t end, std::string_view track = {},
          std::string_view arguments = {});
/// Writes the begin or the end of an arrow between two spans, each of which contains its time: on the calling thread's
/// track, or on the track named `track`. `id` is that of the arrow.
enum class Arrow : uint8_t { Begin, End };
void arrow(Arrow end, std::string_view name, std::string_view id, uint64_t time, std::string_view track = {});
/// Writes a new value of a counter.
void counter(std::string_view name, uint64_t time, uint64_t value);

class Span {
public:
  /// A span that took less than `shortest` nanoseconds is not written.
  Span(const char *category, std::string_view name, uint64_t shortest = 0) : category_(category), shortest_(shortest) {
    if (enabled())
      ignoringBadAlloc([&] { name_ = name, begin_ = nowNanoseconds(); });
  }
  ~Span() {
    if (!begin_)
      return;
    if (const uint64_t end = nowNanoseconds(); end - begin_ >= shortest_)
      ignoringBadAlloc([&] { span(category_, name_, begin_, end); });
  }
  Span(const Span &) = delete;
  Span &operator=(const Span &) = delete;

private:
  const char *category_;
  std::string name_;
  const uint64_t shortest_;
  uint64_t begin_ = 0;
};

} // namespace trace
} // namespace kiln
