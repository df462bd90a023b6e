// Operations that tests of drivers submit to streams.
#pragma once
#include "backends/Device.h"
#include "base/support/Futex.h"
#include <functional>
#include <memory>
#include <utility>

namespace kiln {

/// Runs a function as its issue, and records its end. Keeps itself alive until then.
class TestOperation final : public Operation {
public:
  using What = std::function<Status(Issuer &)>;
  enum Flags : unsigned { Plain = 0, Timed = 1, Unwatched = 2 };
  static std::shared_ptr<TestOperation> submit(Stream &stream, What what, unsigned flags = Plain) {
    std::shared_ptr<TestOperation> made(new TestOperation(std::move(what)));
    made->self_ = made;
    made->needsTimes = flags & Timed;
    made->isWaitable = !(flags & Unwatched);
    stream.submit(*made);
    return made;
  }
  Status issue(Issuer &issuer) override { return what_(issuer); }
  void onEnded(cl_int code, uint64_t start, uint64_t end) override {
    std::shared_ptr<TestOperation> self = std::move(self_);
    code_ = code;
    times_ = {start, end};
    state_.store(1, std::memory_order_seq_cst);
    waitQueue_.wake(state_);
  }
  bool done() const { return state_.load() == 1; }
  cl_int code() const { return code_; }
  std::pair<uint64_t, uint64_t> times() const { return times_; }
  /// Waits without running or polling the stream.
  void sleep() {
    waitQueue_.wait(state_, [this] { return done(); });
  }
  void progressUntil(Stream &stream) {
    stream.progressUntil({[](const void *self) { return static_cast<const TestOperation *>(self)->done(); }, this});
    stream.flush();
    sleep();
  }

private:
  explicit TestOperation(What what) : what_(std::move(what)) {}
  const What what_;
  cl_int code_ = 1;
  std::pair<uint64_t, uint64_t> times_{0, 0};
  std::atomic<uint32_t> state_{0};
  WaitQueue waitQueue_;
  std::shared_ptr<TestOperation> self_;
};

} // namespace kiln
