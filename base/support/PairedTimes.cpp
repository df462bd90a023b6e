#include "base/support/PairedTimes.h"
#include <algorithm>
#include <limits>

namespace kiln {

void PairedTimes::add(bool ofChallenger, float time) noexcept { (ofChallenger ? ofChallenger_ : ofOther_).add(time); }

std::optional<double> PairedTimes::ratio() const noexcept {
  const unsigned count = ofChallenger_.count();
  if (count < EnoughIfClear || !ofOther_.count())
    return {};
  const double ratio = double(ofChallenger_.median()) / double(ofOther_.median());
  const bool isClear = ratio > Clear || ratio < 1 / Clear;
  return isClear || count >= Enough ? std::optional(ratio) : std::nullopt;
}

void PairedTimes::Times::add(float time) noexcept {
  const unsigned number = count_.fetch_add(1, std::memory_order_relaxed);
  last_[number % last_.size()].store(std::max(time, std::numeric_limits<float>::min()), std::memory_order_relaxed);
}

float PairedTimes::Times::median() const noexcept {
  std::array<float, std::tuple_size_v<decltype(last_)>> known;
  size_t size = 0;
  for (const std::atomic<float> &time : last_)
    if (const float value = time.load(std::memory_order_relaxed); value > 0) // 0: not written yet
      known[size++] = value;
  if (!size)
    return 0;
  const auto middle = known.begin() + ptrdiff_t(size / 2);
  std::nth_element(known.begin(), middle, known.begin() + ptrdiff_t(size));
  return *middle;
}

} // namespace kiln
