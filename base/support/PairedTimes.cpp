#include "base/support/PairedTimes.h"
#include <algorithm>

namespace kiln {

void PairedTimes::add(bool ofChallenger, uint64_t nanoseconds, uint64_t items) noexcept {
  (ofChallenger ? ofChallenger_ : ofOther_).add(nanoseconds, items);
}

std::optional<double> PairedTimes::ratio() const noexcept {
  const unsigned count = ofChallenger_.count();
  if (count < EnoughIfLongAndClear || !ofOther_.count())
    return {};
  const double ratio = double(ofChallenger_.median()) / double(ofOther_.median());
  const bool isClear = ratio > Clear || ratio < 1 / Clear;
  const uint64_t sum = ofChallenger_.sum();
  if (count >= (isClear ? EnoughIfClear : Enough) ||
      (sum >= (isClear ? LongIfClear : Long) && count >= (isClear ? EnoughIfLongAndClear : EnoughIfLong)))
    return ratio;
  return {};
}

void PairedTimes::Times::add(uint64_t nanoseconds, uint64_t items) noexcept {
  const auto time = float(double(std::max<uint64_t>(nanoseconds, 1)) / double(items));
  sum_.fetch_add(nanoseconds, std::memory_order_relaxed);
  const unsigned number = count_.fetch_add(1, std::memory_order_relaxed);
  last_[number % last_.size()].store(time, std::memory_order_relaxed);
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
