// Compares the times of two ways to do the same work, measured side by side while the machine does other work as well.
// The medians are compared: a thread that loses the processor makes one time many times longer.
#pragma once
#include <array>
#include <atomic>
#include <optional>

namespace kiln {

/// Any number of threads may add and ask.
class PairedTimes {
public:
  void add(bool ofChallenger, float time) noexcept;
  /// The challenger's time as a part of the other's; nothing while too little has been measured.
  std::optional<double> ratio() const noexcept;

private:
  static constexpr unsigned Enough = 32, EnoughIfClear = 6; // times of the challenger
  static constexpr double Clear = 2;                        // a ratio, or its inverse, that needs fewer

  class Times {
  public:
    void add(float time) noexcept;
    unsigned count() const noexcept { return count_.load(std::memory_order_relaxed); }
    float median() const noexcept; // 0: there are none

  private:
    std::atomic<unsigned> count_ = 0;
    std::array<std::atomic<float>, 64> last_{};
  };
  Times ofChallenger_, ofOther_;
};

} // namespace kiln
