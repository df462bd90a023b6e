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

  void run(size_t rows, size_t band, const std::function<void(Rows)> &body) {
    body_ = &body;
    rows_ = rows;
    band_ = band;
    next_ = 0;
    meeting_.arrive_and_wait();
    work();
    meeting_.arrive_and_wait();
  }

private:
  void work() {
    for (size_t first; (first = next_.fetch_add(band_)) < rows_;)
      (*body_)({first, std::min(first + band_, rows_)});
  }

  std::barrier<> meeting_; // before a loop and after it
  std::vector<std::thread> threads_;
  // Of the loop, written while all others wait at the meeting.
  const std::function<void(Rows)> *body_ = nullptr;
  size_t rows_ = 0, band_ = 0;
  std::atomic<size_t> next_ = 0;
};
} // namespace

void forRows(size_t side, const std::function<void(Rows)> &body) {
  constexpr size_t Least = 1 << 14; // texels that are worth a thread's while
  if (side * side <= Least)
    return body({0, side});
  static Crew crew;
  crew.run(side, std::max<size_t>(1, Least / side), body);
}

} // namespace bench::native
