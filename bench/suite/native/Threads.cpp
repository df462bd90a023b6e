#include "bench/suite/native/Threads.h"
#include "bench/measure/Processors.h"
#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

namespace bench::native {
namespace {

class Threads {
public:
  Threads() : barrier_(std::ptrdiff_t(usableProcessors().size())) {
    for (size_t i = 1; i < usableProcessors().size(); ++i)
      threads_.emplace_back([this] {
        for (;;) {
          barrier_.arrive_and_wait();
          if (!body_)
            return;
          work();
          barrier_.arrive_and_wait();
        }
      });
  }
  ~Threads() {
    body_ = nullptr;
    barrier_.arrive_and_wait();
    for (std::thread &thread : threads_)
      thread.join();
  }
  Threads(const Threads &) = delete;

  void run(size_t count, size_t band, const std::function<void(Range)> &body) {
    body_ = &body;
    count_ = count;
    band_ = band;
    next_ = 0;
    barrier_.arrive_and_wait();
    work();
    barrier_.arrive_and_wait();
  }

private:
  void work() {
    for (size_t first; (first = next_.fetch_add(band_)) < count_;)
      (*body_)({first, std::min(first + band_, count_)});
  }

  std::barrier<> barrier_; // before a loop and after it
  std::vector<std::thread> threads_;
  // The current loop. Written while all other threads wait at the barrier.
  const std::function<void(Range)> *body_ = nullptr;
  size_t count_ = 0, band_ = 0;
  std::atomic<size_t> next_ = 0;
};
} // namespace

void forRange(size_t count, size_t band, const std::function<void(Range)> &body) {
  if (count <= band)
    return body({0, count});
  static Threads threads;
  threads.run(count, band, body);
}

void forRows(size_t side, const std::function<void(Rows)> &body) {
  constexpr size_t MinTexels = 1 << 14; // texels
  forRange(side, std::max<size_t>(1, MinTexels / side), body);
}

} // namespace bench::native
