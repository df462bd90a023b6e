// Compares the times of two ways to do the same work, measured side by side while the machine does other work as well.
// The medians are compared: a thread that loses the processor makes one time many times longer.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace kiln {

/// Any number of threads may add and ask.
class PairedTimes {
public:
  /// A part of the work, `items` units, took so long.
  void add(bool ofChallenger, uint64_t nanoseconds, uint64_t items) noexcept;
  /// The challenger's time per unit as a part of the other's; nothing while too little has been measured.
  std::optional<double> ratio() const noexcept;

private:
  // The number of the challenger's times that ratio() needs. Other work disturbs long times less, so it needs fewer of
  // them.
  static constexpr unsigned Enough = 32, EnoughIfClear = 6, EnoughIfLong = 4, EnoughIfLongAndClear = 2;
  static constexpr uint64_t Long = 200'000'000, LongIfClear = 20'000'000; // nanoseconds in all
  static constexpr double Clear = 1.5;                                    // a ratio, or its inverse

  class Times {
  public:
    void add(uint64_t nanoseconds, uint64_t items) noexcept;
    unsigned count() const noexcept { return count_.load(std::memory_order_relaxed); }
    uint64_t sum() const noexcept { return sum_.load(std::memory_order_relaxed); }
    float median() const noexcept; // 0: there are none

  private:
    std::atomic<unsigned> count_ = 0;
    std::atomic<uint64_t> sum_ = 0;
    std::array<std::atomic<float>, 64> last_{}; // nanoseconds per unit
  };
  Times ofChallenger_, ofOther_;
};

} // namespace kiln
