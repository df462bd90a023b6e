#include "bench/native/Crew.h"
#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

namespace bench::native {
namespace {

class Crew {
public:
  Crew() : meeting_(std::max(1u, std::thread::hardware_concurrency())) {
    for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i)
      threads_.emplace_back([this] {
        for (;;) {
          meeting_.arrive_and_wait();
          if (!body_)
            return;
          work();
          meeting_.arrive_and_wait();
        }
      });
  }
  ~Crew() {
    body_ = nullptr;
    meeting_.arrive_and_wait();
    for (std::thread &thread : threads_)
      thread.join();
  }
  Crew(const Crew &) = delete;

  void run(size_t count, size_t band, const std::function<void(Range)> &body) {
    body_ = &body;
    count_ = count;
    band_ = band;
    next_ = 0;
    meeting_.arrive_and_wait();
    work();
    meeting_.arrive_and_wait();
  }

private:
  void work() {
    for (size_t first; (first = next_.fetch_add(band_)) < count_;)
      (*body_)({first, std::min(first + band_, count_)});
  }

  std::barrier<> meeting_; // before a loop and after it
  std::vector<std::thread> threads_;
  // Of the loop, written while all others wait at the meeting.
  const std::function<void(Range)> *body_ = nullptr;
  size_t count_ = 0, band_ = 0;
  std::atomic<size_t> next_ = 0;
};
} // namespace

void forRange(size_t count, size_t band, const std::function<void(Range)> &body) {
  if (count <= band)
    return body({0, count});
  static Crew crew;
  crew.run(count, band, body);
}

void forRows(size_t side, const std::function<void(Rows)> &body) {
  constexpr size_t Least = 1 << 14; // texels
  forRange(side, std::max<size_t>(1, Least / side), body);
}

} // namespace bench::native
